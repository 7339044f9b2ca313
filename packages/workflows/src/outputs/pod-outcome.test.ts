import type { Pod } from '@tiphys/kube/kinds'
import { expect, test } from 'vitest'
import { ANNOTATION } from '../pods/labels.ts'
import { endedPod } from './pod-outcome.ts'

const failed = (exitCode: number, message?: string) => ({
  terminated: { exitCode, reason: 'Error', ...(message !== undefined && { message }) },
})

function podOf(containers: Record<string, { terminated: { exitCode: number } }>, annotations = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'step', annotations },
    spec: { containers: Object.keys(containers).map(name => ({ name })) },
    status: {
      phase: 'Failed',
      containerStatuses: Object.entries(containers).map(([name, state]) => ({ name, state })),
    },
  } as unknown as Pod
}

type ReadLog = Parameters<typeof endedPod>[2]['log']
const note = { needsResult: false } as Parameters<typeof endedPod>[1]

test('a failed step says which container failed, and its last words, as upstream does', () => {
  const { phase, outcome } = endedPod(podOf({ main: failed(3, 'no such table') }), note, {})
  expect([phase, outcome?.exitCode, outcome?.message]).toEqual([
    'Failed',
    3,
    'main: Error (exit code 3): no such table',
  ])
})

const ofSet = (...mains: string[]) => ({ [ANNOTATION.step]: JSON.stringify({ mains }) })

test('so does each container of a set', () => {
  const pod = podOf({ first: { terminated: { exitCode: 0 } }, second: failed(5) }, ofSet('first', 'second'))
  const { outcome, containers } = endedPod(pod, note, {})
  expect(outcome?.message).toBe('second: Error (exit code 5)')
  expect(containers).toMatchObject({
    first: { phase: 'Succeeded' },
    second: { phase: 'Failed', message: 'second: Error (exit code 5)' },
  })
})

test('and the one container of a set of one, which was said not to have run', () => {
  const { containers } = endedPod(podOf({ only: failed(5) }, ofSet('only')), note, {})
  expect(containers).toMatchObject({ only: { phase: 'Failed', exitCode: 5, message: 'only: Error (exit code 5)' } })
})

test('containers that are not of the step decide nothing', () => {
  const killed = failed(137)
  const good = endedPod(podOf({ proxy: killed, main: { terminated: { exitCode: 0 } } }), note, {})
  expect([good.phase, good.outcome?.exitCode, good.containers]).toEqual(['Succeeded', 0, undefined])
  const bad = endedPod(podOf({ proxy: killed, main: failed(3) }), note, {})
  expect([bad.phase, bad.outcome?.message]).toEqual(['Failed', 'main: Error (exit code 3)'])
})

test('a default is for what is not there, not for what cannot be read', () => {
  const parameters = ['absent', 'folder', 'large'].map(name => ({
    name,
    valueFrom: { path: `/tmp/${name}`, default: 'd' },
  }))
  const frames = [
    { type: 'missing', name: 'parameter:absent' },
    { type: 'unreadable', name: 'parameter:folder' },
    { type: 'content', name: 'parameter:large', content: Buffer.alloc(300_000) },
  ]
  const pod = podOf({ main: { terminated: { exitCode: 0 } } })
  const wanting = { ...note, outputs: { parameters } } as typeof note
  const { outcome } = endedPod(pod, wanting, { log: { frames, text: '' } as unknown as NonNullable<ReadLog> })
  expect(outcome?.unreadable).toEqual(['folder', 'large'])
  expect(outcome?.missing?.folder).toBe('/tmp/folder is no file that can be read')
})
