import { readFileSync } from 'node:fs'
import { type KubeObject, parseApiVersion } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { toCause } from '../field-error.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import type { Resource } from '../registry/resource.ts'
import { builtinAdmission, type ClusterLookup } from './admission/index.ts'
import { builtinColumns } from './columns/index.ts'
import { allocateService } from './core/service-allocation.ts'
import { builtinStrategies } from './index.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts'

// Every file holds what a real kube-apiserver 1.36.3 answered to the requests in it.
const golden = <T>(name: string): T[] =>
  JSON.parse(readFileSync(new URL(`../../testdata/${name}.json`, import.meta.url), 'utf8')) as T[]

const UID = '00000000-0000-0000-0000-000000000001'
const CREATED = '2026-01-01T00:00:00Z'
const CLUSTER_SCOPED =
  /^(Namespace|Node|PersistentVolume|IngressClass|IPAddress|ServiceCIDR|ClusterRole|ClusterRoleBinding|StorageClass|CSIDriver|CSINode|VolumeAttachment|VolumeAttributesClass|APIService|(Mutating|Validating)(WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)|CertificateSigningRequest|PriorityClass|RuntimeClass|FlowSchema|PriorityLevelConfiguration)$/

const strategyOf = ({ apiVersion, kind }: KubeObject) => {
  const strategy = builtinStrategies[`${parseApiVersion(apiVersion).group}/${kind}`]
  if (strategy === undefined) throw new Error(`no strategy for ${apiVersion} ${kind}`)
  return strategy
}
const title = ({ apiVersion, kind }: KubeObject, i: number) => `${i} ${apiVersion} ${kind}`

const defaultAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
const lookup: ClusterLookup = {
  get: (_, __, name) => (name === 'default' ? defaultAccount : undefined),
  list: () => [],
}
const admission = builtinAdmission(lookup, { next: () => 0, bytes: (length: number) => new Uint8Array(length) })

const PLURALS: Record<string, string> = {
  Pod: 'pods',
  Node: 'nodes',
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  VolumeAttributesClass: 'volumeattributesclasses',
}

function admit(object: KubeObject): void {
  const resource = { group: parseApiVersion(object.apiVersion).group, name: PLURALS[object.kind] ?? '' } as Resource
  const { namespace = '', name = '' } = object.metadata
  const request = { operation: 'CREATE', resource, subresource: '', namespace, name, object, warnings: [] }
  for (const plugin of admission) void plugin.mutate?.(request as unknown as AdmissionRequest)
}

/** An object on its way to storage, as the registry takes it there. */
function create(sent: KubeObject): KubeObject {
  const object = structuredClone(sent)
  const strategy = strategyOf(object)
  if (!CLUSTER_SCOPED.test(object.kind)) object.metadata.namespace ??= 'ns'
  strategy.setDefaults?.(object)
  object.metadata.uid = UID
  object.metadata.creationTimestamp = CREATED
  admit(object)
  strategy.prepareForCreate?.(object)
  if (strategy.hasGeneration) object.metadata.generation = 1
  return object
}

const isZero = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.values(value).every(isZero))

/** The encoder's part, not looked at here: fields that are written even when they hold nothing. */
function withoutZeros(expected: unknown, present: unknown): unknown {
  if (typeof expected !== 'object' || expected === null) return expected
  if (Array.isArray(expected)) return expected.map((item, i) => withoutZeros(item, (present as unknown[])?.[i]))
  const kept = Object.entries(expected).filter(
    ([name, value]) => (present as Record<string, unknown>)?.[name] !== undefined || !isZero(value),
  )
  return Object.fromEntries(
    kept.map(([name, value]) => [name, withoutZeros(value, (present as Record<string, unknown>)?.[name])]),
  )
}

const allocator = {
  clusterIP: () => ({ address: '10.0.0.0' }),
  nodePort: () => ({ port: 32769 }),
}

describe('defaults of new objects', () => {
  for (const [i, { sent, stored }] of golden<{ sent: KubeObject; stored: KubeObject }>('defaults').entries()) {
    it(title(sent, i), () => {
      const object = create(sent)
      if (object.kind === 'Service') expect(allocateService(object, allocator)).toEqual([])
      const expected = withoutZeros(stored, object)
      const text = JSON.stringify(object).replace(/kube-api-access-\w{5}/g, 'kube-api-access-xxxxx')
      const normal = text
        .replaceAll(/"nodePort":\d+/g, '"nodePort":0')
        .replace('"topologyKeys":[]', '"topologyKeys":null')
      const normalExpected = JSON.stringify(expected).replaceAll(/"nodePort":\d+/g, '"nodePort":0')
      expect(JSON.parse(normal.replaceAll(',"externalIPs":[]', ''))).toEqual(JSON.parse(normalExpected))
    })
  }

  it('are stable: a second run changes nothing', () => {
    for (const { sent } of golden<{ sent: KubeObject }>('defaults')) {
      const object = create(sent)
      const again = structuredClone(object)
      strategyOf(again).setDefaults?.(again)
      expect(again).toEqual(object)
    }
  })
})

describe('errors of new objects', () => {
  const cases = golden<{ object: KubeObject; errors: [reason: string, field: string, message: string][] }>(
    'invalid-objects',
  )
  for (const [i, { object: sent, errors }] of cases.entries()) {
    it(`${title(sent, i)}: ${errors[0]?.[1]}`, () => {
      const object = structuredClone(sent)
      const strategy = strategyOf(object)
      const namespaced = !CLUSTER_SCOPED.test(object.kind)
      if (namespaced) object.metadata.namespace = 'ns'
      object.metadata.uid = UID
      strategy.setDefaults?.(object)
      strategy.prepareForCreate?.(object)
      if (object.kind === 'Pod') (object.spec as { serviceAccountName: string }).serviceAccountName = 'default'
      const { nameRule, nameReasons } = strategy
      const found = [
        ...validateObjectMeta(object.metadata, { namespaced, nameRule, nameReasons }),
        ...(strategy.validate?.(object) ?? []),
      ].map(toCause)
      // Errors of the entries of a map come in Go's order of maps, which is none.
      const inOrder = (causes: unknown[]) => causes.map(cause => JSON.stringify(cause)).sort()
      expect(inOrder(found.map(({ reason, field, message }) => [reason, field, message]))).toEqual(inOrder(errors))
    })
  }

  it('refuse a ConfigMap of more than a mebibyte', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'b'.repeat(1_100_000) } }
    expect(strategyOf(object).validate?.(object).map(toCause)).toEqual([
      { reason: 'FieldValueTooLong', field: '[]', message: 'Too long: may not be more than 1048576 bytes' },
    ])
  })

  it('refuse annotations of more than 256 KiB', () => {
    const meta = { name: 'x', annotations: { a: 'b'.repeat(257 * 1024) } }
    expect(validateObjectMeta(meta, { namespaced: false }).map(toCause)).toEqual([
      {
        reason: 'FieldValueTooLong',
        field: 'metadata.annotations',
        message: 'Too long: may not be more than 262144 bytes',
      },
    ])
  })
})

describe('errors of changed objects', () => {
  const cases = golden<{ before: KubeObject; after: KubeObject; errors: string[] }>('invalid-updates')
  for (const [i, { before, after, errors }] of cases.entries()) {
    it(`${title(before, i)}: ${errors[0]?.slice(0, 80)}`, () => {
      const strategy = strategyOf(before)
      const object = structuredClone(after)
      strategy.setDefaults?.(object)
      strategy.prepareForUpdate?.(object, before)
      const found = [
        ...validateObjectMetaUpdate(object.metadata, before.metadata),
        ...(strategy.validateUpdate?.(object, before) ?? []),
      ].map(error => `${toCause(error).field}: ${toCause(error).message}`)
      expect([...new Set(found)]).toEqual(errors)
    })
  }
})

describe('warnings', () => {
  for (const [i, { object, warnings }] of golden<{ object: KubeObject; warnings: string[] }>('warnings').entries()) {
    it(title(object, i), () => {
      expect(strategyOf(object).warnings?.(create(object), undefined)).toEqual(warnings)
    })
  }
})

describe('tables', () => {
  const rows = golden<{ object: KubeObject; columns: [string, string, string, number][]; cells: unknown[] }>(
    'table-rows',
  )
  for (const [i, { object, columns, cells }] of rows.entries()) {
    it(title(object, i), () => {
      const table = builtinColumns(parseApiVersion(object.apiVersion).group, object.kind)
      expect(table.definitions.map(({ name, type, format, priority }) => [name, type, format, priority])).toEqual(
        columns,
      )
      const row = table.cells(object, Date.parse(CREATED))
      expect(row.map((cell, at) => (columns[at]?.[0].endsWith(' Seen') ? 'age' : cell))).toEqual(
        cells.slice(0, columns.length).map((cell, at) => (columns[at]?.[0].endsWith(' Seen') ? 'age' : cell)),
      )
    })
  }
})
