import type { Container, Pod } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import { expand } from './expansion.ts'
import { type PodPlace, podField, resourceField } from './pod-fields.ts'

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u1',
    labels: { tier: 'front', app: 'web' },
    annotations: { 'example.com/note': 'say "hi"' },
  },
  spec: { serviceAccountName: 'robot', containers: [] },
}
const place: PodPlace = {
  nodeName: 'node-1',
  hostIps: ['192.0.2.1'],
  podIps: ['10.0.0.1', 'fd00::1'],
  allocatable: { cpu: '8', memory: '1Gi' },
}

describe('the fields of a pod', () => {
  it.each([
    ['metadata.name', 'web'],
    ['metadata.namespace', 'shop'],
    ['metadata.uid', 'u1'],
    ['metadata.labels', 'app="web"\ntier="front"'],
    ["metadata.labels['tier']", 'front'],
    ["metadata.annotations['example.com/note']", 'say "hi"'],
    ["metadata.labels['none']", ''],
    ['spec.nodeName', 'node-1'],
    ['spec.serviceAccountName', 'robot'],
    ['status.hostIP', '192.0.2.1'],
    ['status.podIP', '10.0.0.1'],
    ['status.podIPs', '10.0.0.1,fd00::1'],
  ])('%s', (path, value) => {
    expect(podField(pod, path, place)).toBe(value)
  })

  it('are only those that a pod may ask for', () => {
    expect(() => podField(pod, 'spec.containers', place)).toThrow('unsupported fieldPath: spec.containers')
  })
})

describe('the resources of a container', () => {
  const container: Container = { name: 'main', resources: { limits: { cpu: '1500m' }, requests: { memory: '100M' } } }

  it.each([
    ['limits.cpu', undefined, '2'],
    ['limits.cpu', '1m', '1500'],
    ['limits.memory', '1Mi', '1024'],
    ['requests.memory', '1', '100000000'],
    ['requests.memory', '1Mi', '96'],
    ['requests.cpu', undefined, '0'],
  ])('%s in units of %s', (resource, divisor, value) => {
    expect(resourceField(container, divisor === undefined ? { resource } : { resource, divisor }, place)).toBe(value)
  })
})

describe('references to variables', () => {
  const lookup = (name: string) => ({ A: '1', B: '$(A)' })[name]

  it.each([
    ['$(A)', '1'],
    ['x$(A)y$(A)', 'x1y1'],
    ['$(B)', '$(A)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$1'],
    ['$(C)', '$(C)'],
    ['$A ${A} $', '$A ${A} $'],
    ['$(A', '$(A'],
    ['$$', '$'],
  ])('%s becomes %s', (text, expected) => {
    expect(expand(text, lookup)).toBe(expected)
  })
})
