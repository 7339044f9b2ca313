import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import type { CrdSpec, CrdVersion } from './crd.ts'
import { customStrategy, deprecationWarning } from './custom-strategy.ts'
import { compareKubeVersions } from './kube-version.ts'
import { scaleOf, withReplicas } from './scale-mapping.ts'

const object = (fields: Record<string, unknown>, metadata: KubeObject['metadata'] = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Foo',
  metadata: { name: 'a', ...metadata },
  ...fields,
})

const version = (more: Partial<CrdVersion> = {}): CrdVersion => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  ...more,
})

describe('with a status subresource', () => {
  const strategy = customStrategy(version({ subresources: { status: {} } }))

  it('drops status on creation', () => {
    const created = object({ spec: {}, status: { x: 1 } })
    strategy.prepareForCreate?.(created)
    expect(created).toEqual(object({ spec: {} }))
  })

  it('keeps the stored status on update, or none', () => {
    const updated = object({ spec: { a: 2 }, status: { x: 2 } })
    strategy.prepareForUpdate?.(updated, object({ spec: { a: 1 }, status: { x: 1 } }))
    expect(updated).toEqual(object({ spec: { a: 2 }, status: { x: 1 } }))
    strategy.prepareForUpdate?.(updated, object({ spec: { a: 1 } }))
    expect(updated).toEqual(object({ spec: { a: 2 } }))
  })

  it('takes nothing but status and the managers from a status write', () => {
    const managedFields = [{ manager: 'm' }]
    const written = object({ spec: { a: 2 }, foo: 1, status: { x: 2 } }, { labels: { a: 'b' }, managedFields })
    strategy.prepareForStatusUpdate?.(written, object({ spec: { a: 1 }, status: { x: 1 } }, { uid: 'u' }))
    expect(written).toEqual(object({ spec: { a: 1 }, status: { x: 2 } }, { uid: 'u', managedFields }))
  })

  it('grows the generation for everything but metadata', () => {
    const before = object({ spec: { a: 1 } })
    expect(strategy.generationChanges?.(object({ spec: { a: 1 } }, { labels: { a: 'b' } }), before)).toBe(false)
    expect(strategy.generationChanges?.(object({ spec: { a: 2 } }), before)).toBe(true)
    expect(strategy.generationChanges?.(object({ spec: { a: 1 }, data: 1 }), before)).toBe(true)
  })
})

it('treats status as any other field without the subresource', () => {
  const strategy = customStrategy(version())
  const updated = object({ status: { x: 2 } })
  strategy.prepareForUpdate?.(updated, object({ status: { x: 1 } }))
  expect(updated.status).toEqual({ x: 2 })
  expect(strategy.generationChanges?.(updated, object({ status: { x: 1 } }))).toBe(true)
})

it('answers selectable fields as texts, absent ones as empty', () => {
  const selectableFields = [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.deep.size' }, { jsonPath: '.spec.on' }]
  const strategy = customStrategy(version({ selectableFields }))
  expect(strategy.fieldNames).toEqual(['spec.color', 'spec.deep.size', 'spec.on'])
  expect(strategy.fields?.(object({ spec: { color: 'red', deep: { size: 7 } } }))).toEqual({
    'spec.color': 'red',
    'spec.deep.size': '7',
    'spec.on': '',
  })
})

it('warns of new finalizers without a domain', () => {
  const strategy = customStrategy(version())
  const finalizers = ['foregroundDeletion', 'example.com/x', 'mine', 'my.own']
  expect(strategy.warnings?.(object({}, { finalizers }), undefined)).toEqual([
    'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    'metadata.finalizers: "my.own": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
  ])
  expect(strategy.warnings?.(object({}, { finalizers }), object({}, { finalizers }))).toEqual([])
})

it('warns once of rules that an unchanged value breaks', () => {
  const rules = [{ rule: 'self < 5', message: 'below 5' }]
  const size = { type: 'integer', 'x-kubernetes-validations': rules } as const
  const spec = { type: 'object', properties: { size, note: { type: 'string' } } } as const
  const strategy = customStrategy(version({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }))
  const updated = object({ spec: { size: 7, note: 'new' } })
  const old = object({ spec: { size: 7 } })
  expect(strategy.validateUpdate?.(updated, old)).toEqual([])
  expect(strategy.warnings?.(updated, old)).toEqual(['spec.size: Invalid value: 7: below 5'])
})

describe('deprecated versions', () => {
  const names = { plural: 'gads', kind: 'Gad' }
  const spec = (...versions: Partial<CrdVersion>[]): CrdSpec => ({
    group: 'ex2.dev',
    scope: 'Cluster',
    names,
    versions: versions.map(version),
  })

  it('name the best version that is served', () => {
    const crd = spec(
      { name: 'v1beta1', deprecated: true },
      { name: 'v1' },
      { name: 'v2alpha1' },
      { name: 'v3', served: false },
    )
    expect(deprecationWarning(crd, crd.versions[0] as CrdVersion)).toBe(
      'ex2.dev/v1beta1 Gad is deprecated; use ex2.dev/v1 Gad',
    )
  })

  it('name none when there is none better', () => {
    const crd = spec({ name: 'v1', deprecated: true }, { name: 'v1beta1' })
    expect(deprecationWarning(crd, crd.versions[0] as CrdVersion)).toBe('ex2.dev/v1 Gad is deprecated')
  })

  it('say what the CRD says', () => {
    const crd = spec({ name: 'v1', deprecated: true, deprecationWarning: 'gone soon' })
    expect(deprecationWarning(crd, crd.versions[0] as CrdVersion)).toBe('gone soon')
    expect(deprecationWarning(crd, version())).toBeUndefined()
  })
})

it('orders versions as Kubernetes prefers them', () => {
  const ordered = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10']
  expect([...ordered].reverse().sort((a, b) => compareKubeVersions(b, a))).toEqual(ordered)
})

describe('the scale subresource', () => {
  const paths = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '.status.selector' }

  it('shows where the object keeps its replicas', () => {
    const found = scaleOf(object({ spec: { n: 3 }, status: { n: 2, selector: 'a=b' } }, { uid: 'u' }), paths)
    expect(found).toEqual({
      hasReplicas: true,
      scale: {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a', uid: 'u' },
        spec: { replicas: 3 },
        status: { replicas: 2, selector: 'a=b' },
      },
    })
  })

  it('says when the object does not tell', () => {
    expect(scaleOf(object({}), paths)).toMatchObject({
      hasReplicas: false,
      scale: { spec: {}, status: { replicas: 0 } },
    })
    expect(scaleOf(object({ spec: { n: 'x' } }), paths)).toEqual({
      error: '.spec.n accessor error: x is of the type string, expected int64',
    })
  })

  it('writes replicas into a copy, also where there was nothing', () => {
    const before = object({})
    expect(withReplicas(before, paths, 4)).toEqual(object({ spec: { n: 4 } }))
    expect(before).toEqual(object({}))
  })
})
