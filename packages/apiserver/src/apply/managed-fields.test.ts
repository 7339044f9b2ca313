import type { KubeObject, ManagedFieldsEntry } from '@tiphys/kube'
import { describe, expect, test } from 'vitest'
import { builtinKindSchema } from '../builtin-schema.ts'
import type { Schema } from '../schema/schema.ts'
import { StatusError } from '../status-error.ts'
import { ApplyConflict, applyPatch, keepTimesOfUnchanged, trackUpdate } from './managed-fields.ts'
import { withoutStatusFields } from './reset-fields.ts'

const configMapSchema = builtinKindSchema('', 'v1', 'ConfigMap')
const deploymentSchema = builtinKindSchema('apps', 'v1', 'Deployment')

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`

function configMap(data: Record<string, string>, managedFields?: ManagedFieldsEntry[]): KubeObject {
  const metadata = { name: 'c', ...(managedFields ? { uid: 'u', managedFields } : {}) }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
}

interface Write {
  live?: KubeObject
  manager?: string
  second?: number
  force?: boolean
}

const tracking = ({ manager = 'm1', second = 0, live }: Write) => ({
  live,
  schema: configMapSchema,
  manager,
  apiVersion: 'v1',
  subresource: '',
  now: at(second),
})

const update = (next: KubeObject, write: Write = {}) => trackUpdate({ ...tracking(write), next })
const apply = (config: KubeObject, write: Write = {}) =>
  applyPatch({ ...tracking(write), config, force: write.force ?? false })

/** `m1 Update 0: {"f:data":…}` */
const summary = (entries: ManagedFieldsEntry[] | undefined): string[] =>
  (entries ?? []).map(
    ({ manager, operation, time, fieldsV1 }) =>
      `${manager} ${operation} ${time?.slice(17, 19) ?? '-'}: ${JSON.stringify(fieldsV1)}`,
  )

function thrown(run: () => unknown): StatusError {
  try {
    run()
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('updates', () => {
  test('who creates an object owns what it set, and not what the server sets', () => {
    const [entry] = update(configMap({ a: '1' })) as ManagedFieldsEntry[]
    expect(JSON.stringify(entry)).toBe(
      `{"manager":"m1","operation":"Update","apiVersion":"v1","time":"${at(0)}","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:a":{}}}}`,
    )
  })

  test('a struct that Go always writes is not owned by who sets something in it', () => {
    const next = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        strategy: { rollingUpdate: { maxSurge: 1 }, type: 'RollingUpdate' },
        template: {
          metadata: {},
          spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }], resources: {} }] },
        },
      },
      status: {},
    }
    const entries = trackUpdate({
      live: undefined,
      next,
      schema: deploymentSchema,
      manager: 'kubectl-create',
      apiVersion: 'apps/v1',
      subresource: '',
      now: at(0),
      resetFields: withoutStatusFields,
    })
    expect(entries?.[0]?.fieldsV1).toEqual({
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} }, 'f:type': {} },
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:name': {},
                'f:ports': {
                  '.': {},
                  'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                },
                'f:resources': {},
              },
            },
          },
        },
      },
    })
  })

  test('what an update changes moves to its manager, what it removes is nobody’s', () => {
    const live = configMap({ a: '1', b: '1', c: '1' }, update(configMap({ a: '1', b: '1', c: '1' })))
    expect(summary(update(configMap({ a: '1', b: '2' }), { live, manager: 'm2', second: 1 }))).toEqual([
      'm1 Update 00: {"f:data":{".":{},"f:a":{}}}',
      'm2 Update 01: {"f:data":{"f:b":{}}}',
    ])
  })

  test('an update that changes nothing keeps the entries and their times', () => {
    const entries = update(configMap({ a: '1' }))
    const live = configMap({ a: '1' }, entries)
    expect(update(configMap({ a: '1' }), { live, second: 5 })).toEqual(entries)
  })

  test('an empty list or entry forgets everybody, and tracking stays off until the first apply', () => {
    const live = configMap({ a: '1' }, update(configMap({ a: '1' })))
    expect(update(configMap({ a: '2' }, []), { live })).toBeUndefined()
    expect(update(configMap({ a: '2' }, [{}]), { live })).toBeUndefined()
    const forgotten: KubeObject = { ...configMap({ a: '2' }), metadata: { name: 'c', uid: 'u' } }
    expect(update(configMap({ a: '3' }), { live: forgotten })).toBeUndefined()
    expect(summary(apply(configMap({ b: '1' }), { live: forgotten, second: 3 }).managedFields)).toEqual([
      'm1 Apply 03: {"f:data":{"f:b":{}}}',
      'before-first-apply Update 03: {"f:data":{".":{},"f:a":{}}}',
    ])
  })

  test('more than ten updaters become ten and the ancient changes', () => {
    let live = configMap({ k0: '1' }, update(configMap({ k0: '1' }), { manager: 'u0' }))
    const data: Record<string, string> = { k0: '1' }
    for (let second = 1; second <= 12; second++) {
      data[`k${second}`] = '1'
      live = configMap({ ...data }, update(configMap({ ...data }), { live, manager: `u${second}`, second }))
    }
    const lines = summary(live.metadata.managedFields)
    expect(lines).toHaveLength(10)
    expect(lines[0]).toBe('ancient-changes Update 03: {"f:data":{".":{},"f:k0":{},"f:k1":{},"f:k2":{},"f:k3":{}}}')
  })

  test('an object that does not fit its schema is stored untracked', () => {
    const broken = { ...configMap({}), data: { a: { b: 'c' } } } as unknown as KubeObject
    expect(update(broken)).toBeUndefined()
  })

  test('managers of another version lose what changed in their version', () => {
    const live = configMap(
      { a: '1' },
      update(configMap({ a: '1' }))?.map(entry => ({ ...entry, apiVersion: 'v0' })),
    )
    const inVersion = (object: KubeObject, apiVersion: string) =>
      apiVersion === 'v0' ? { object: { ...object, apiVersion }, schema: configMapSchema } : undefined
    const write = { ...tracking({ live, manager: 'm2', second: 1 }), next: configMap({ a: '2' }), inVersion }
    expect(summary(trackUpdate(write))).toEqual(['m1 Update 00: {"f:data":{}}', 'm2 Update 01: {"f:data":{"f:a":{}}}'])
    expect(summary(trackUpdate({ ...write, inVersion: () => undefined }))).toEqual([
      'm2 Update 01: {"f:data":{"f:a":{}}}',
    ])
  })
})

describe('apply', () => {
  const owned = configMap({ a: '1' }, apply(configMap({ a: '1' })).managedFields)

  test('a change of somebody else’s field is a conflict', () => {
    const error = thrown(() => apply(configMap({ a: '2' }), { live: owned, manager: 'm2' }))
    expect(error).toBeInstanceOf(ApplyConflict)
    expect(error).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "m1": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.data.a' }] },
    })
  })

  test('several conflicts are told by manager', () => {
    const live = configMap({ a: '1', b: '1' }, update(configMap({ a: '1', b: '1' }), { manager: 'kubectl-edit' }))
    expect(thrown(() => apply(configMap({ a: '2', b: '2' }), { live })).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "kubectl-edit" using v1:\n- .data.a\n- .data.b',
    )
  })

  test('force takes the field', () => {
    const { object, managedFields } = apply(configMap({ a: '2' }), {
      live: owned,
      manager: 'm2',
      force: true,
      second: 1,
    })
    expect(object.data).toEqual({ a: '2' })
    expect(summary(managedFields)).toEqual(['m2 Apply 01: {"f:data":{"f:a":{}}}'])
  })

  test('the same value is shared', () => {
    const { isChanged, managedFields } = apply(configMap({ a: '1' }), { live: owned, manager: 'm2', second: 1 })
    expect(isChanged).toBe(false)
    expect(summary(managedFields)).toEqual(['m2 Apply -: {"f:data":{"f:a":{}}}', 'm1 Apply 00: {"f:data":{"f:a":{}}}'])
  })

  test('what is not applied any more disappears, unless somebody else owns it', () => {
    const first = apply(configMap({ a: '1', b: '1', c: '1' }))
    let live = configMap({ a: '1', b: '1', c: '1' }, first.managedFields)
    live = configMap({ a: '1', b: '1', c: '1' }, apply(configMap({ b: '1' }), { live, manager: 'm2' }).managedFields)
    const { object } = apply(configMap({ a: '1' }), { live, second: 1 })
    expect(object.data).toEqual({ a: '1', b: '1' })
  })

  test('applying the same again changes neither object nor times', () => {
    const again = apply(configMap({ a: '1' }), { live: owned, second: 9 })
    expect(again).toMatchObject({ isChanged: false, managedFields: owned.metadata.managedFields })
  })

  test('list items keep their order, and follow the configuration where it names them', () => {
    const pod = (names: string[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: names.map(name => ({ name })) },
    })
    const request = { ...tracking({}), schema: builtinKindSchema('', 'v1', 'Pod'), force: false }
    const live = pod(['a', 'b', 'c'])
    const { object } = applyPatch({ ...request, live, config: pod(['c', 'a', 'x']), manager: 'm' })
    expect(object.spec).toEqual({ containers: [{ name: 'b' }, { name: 'c' }, { name: 'a' }, { name: 'x' }] })
  })

  test('refuses a configuration that brings managedFields or another kind', () => {
    expect(thrown(() => apply(configMap({}, [])))).toMatchObject({
      code: 400,
      message: 'metadata.managedFields must be nil',
    })
    expect(thrown(() => apply({ ...configMap({}), apiVersion: 'v2' })).message).toBe(
      'invalid object type: /v2, Kind=ConfigMap',
    )
  })

  test('says where a configuration does not fit', () => {
    const config = { ...configMap({}), data: { a: 1 }, nonsense: true } as unknown as KubeObject
    expect(thrown(() => apply(config))).toMatchObject({
      code: 500,
      message: [
        'failed to create typed patch object (/c; /v1, Kind=ConfigMap): errors:',
        '  .data.a: expected string, got &value.valueUnstructured{Value:1}',
        '  .nonsense: field not declared in schema',
      ].join('\n'),
    })
  })

  test('kubectl takes over what its client-side apply set', () => {
    const applied = JSON.stringify(configMap({ a: '1' }))
    const annotated = configMap({ a: '1' })
    annotated.metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': applied }
    const managedFields = update(annotated, { manager: 'kubectl-client-side-apply' })
    const live: KubeObject = {
      ...annotated,
      metadata: { ...annotated.metadata, uid: 'u', ...(managedFields && { managedFields }) },
    }
    expect(thrown(() => apply(configMap({ a: '2' }), { live, manager: 'other' }))).toBeInstanceOf(ApplyConflict)
    const { object } = apply(configMap({ a: '2' }), { live, manager: 'kubectl', second: 1 })
    expect(object.data).toEqual({ a: '2' })
    expect(object.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration']).toBe(
      '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"c"}}\n',
    )
  })

  test('keys that JavaScript gives a meaning are owned like any other', () => {
    const config = JSON.parse(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"__proto__":"x"}}',
    ) as KubeObject
    const { object, managedFields } = apply(config)
    expect(JSON.stringify(object.data)).toBe('{"__proto__":"x"}')
    expect(summary(managedFields)).toEqual(['m1 Apply 00: {"f:data":{"f:__proto__":{}}}'])
  })
})

describe('a schema that changes', () => {
  const schema = (mapType?: 'atomic'): Schema => ({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        additionalProperties: { type: 'string' },
        ...(mapType && { 'x-kubernetes-map-type': mapType }),
      },
    },
  })

  test('a manager of parts becomes one of the whole', () => {
    const object: KubeObject = { apiVersion: 'e.dev/v1', kind: 'W', metadata: { name: 'w' }, spec: { a: '1' } }
    const request = { manager: 'm1', apiVersion: 'e.dev/v1', subresource: '', now: at(0) }
    const before = trackUpdate({ ...request, live: undefined, next: object, schema: schema() })
    expect(before?.[0]?.fieldsV1).toEqual({ 'f:spec': { '.': {}, 'f:a': {} } })
    const live: KubeObject = { ...object, metadata: { name: 'w', uid: 'u', ...(before && { managedFields: before }) } }
    const after = trackUpdate({ ...request, live, next: object, schema: schema('atomic') })
    expect(after?.[0]?.fieldsV1).toEqual({ 'f:spec': {} })
  })
})

describe('keepTimesOfUnchanged', () => {
  test('gives back the old times only when nothing else changed', () => {
    const entries = update(configMap({ a: '1' })) as ManagedFieldsEntry[]
    const later = entries.map(entry => ({ ...entry, time: at(9) }))
    const live = configMap({ a: '1' }, entries)
    expect(keepTimesOfUnchanged(live, configMap({ a: '1' }, later))).toBe(entries)
    expect(keepTimesOfUnchanged(live, configMap({ a: '2' }, later))).toBe(later)
  })
})
