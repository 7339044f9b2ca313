import type { KubeObject, NumberTexts } from '@tiphys/kube'
import { parseApiVersion } from '@tiphys/kube'
import { statusResetFieldsOf, withoutStatusFields } from '../apply/reset-fields.ts'
import { builtinColumns } from '../builtin/columns/index.ts'
import { builtinStrategies } from '../builtin/index.ts'
import { builtinDiscovery, builtinKindSchema, type DiscoveryResource } from '../builtin-schema.ts'
import { jsonCopy } from '../json-value.ts'
import { DecodeFailure, decode } from '../schema/decode.ts'
import type { Json, JsonObject, Schema } from '../schema/schema.ts'
import { badRequest } from '../status-error.ts'
import type { Storage } from '../storage/storage.ts'
import type { Strategy } from '../strategy.ts'
import { notEnforced } from './not-enforced.ts'
import { apiVersionOf, type Decoded, type Resource, type Subresource } from './resource.ts'

/** Kinds that are served in several places and stored once: where, and in which form. */
const STORED_ELSEWHERE: Record<string, { collection: string; version: string }> = {
  'autoscaling/v1/horizontalpodautoscalers': { collection: 'autoscaling/horizontalpodautoscalers', version: 'v2' },
  'events.k8s.io/v1/events': { collection: '/events', version: 'v1' },
}

/** What every request to these kinds is warned of. */
const DEPRECATED: Record<string, string | undefined> = {
  '/v1/Endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  '/v1/ComponentStatus': 'v1 ComponentStatus is deprecated in v1.19+',
}

/** All built-in resources, in the order discovery shows them. `subresource` gives the handler of a subresource. */
export function* builtinResources(
  storage: Storage,
  subresource: (resource: Resource, name: string) => Subresource['serve'] | undefined,
): Iterable<Resource> {
  for (const { groupVersion, resources } of builtinDiscovery()) {
    const { group, version } = parseApiVersion(groupVersion)
    for (const entry of resources) {
      if (entry.name.includes('/')) continue
      const resource = builtinResource(storage, group, version, entry)
      const subresources = new Map<string, Subresource>()
      for (const child of resources) {
        if (!child.name.startsWith(`${entry.name}/`)) continue
        const name = child.name.slice(entry.name.length + 1)
        const serve = subresource(resource, name)
        const kind = { group: child.group ?? group, version: child.version ?? version, kind: child.kind }
        if (serve) subresources.set(name, { name, kind, verbs: child.verbs, serve })
      }
      if (subresources.has('status')) {
        resource.resetFields = withoutStatusFields
        resource.statusResetFields = statusResetFieldsOf({ group, resource: entry.name, isCustom: false })
      }
      resource.subresources = subresources
      yield resource
    }
  }
}

function builtinResource(storage: Storage, group: string, version: string, entry: DiscoveryResource): Resource {
  const { kind } = entry
  const schemaOf = once(() => builtinKindSchema(entry.group ?? group, entry.version ?? version, kind) as Schema)
  const strategy: Strategy = builtinStrategies[`${group}/${kind}`] ?? { hasGeneration: false }
  const elsewhere = STORED_ELSEWHERE[`${group}/${version}/${entry.name}`]
  const caution = notEnforced(group, kind)
  const deprecation = DEPRECATED[`${group}/${version}/${kind}`]
  return {
    group,
    version,
    name: entry.name,
    singular: entry.singularName,
    kind,
    listKind: `${kind}List`,
    namespaced: entry.namespaced,
    verbs: entry.verbs,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    ...(entry.storageVersionHash === undefined ? {} : { storageVersionHash: entry.storageVersionHash }),
    isCustom: false,
    get schema() {
      return schemaOf()
    },
    strategy,
    collection: storage.collection(elsewhere?.collection ?? `${group}/${entry.name}`),
    subresources: new Map(),
    columns: builtinColumns(group, kind),
    resetFields: undefined,
    statusResetFields: undefined,
    decode: (value, texts) =>
      decodeBuiltin(value, schemaOf(), strategy, { kind, apiVersion: apiVersionOf({ group, version }) }, texts),
    complete: completion(schemaOf),
    fromStorage: object =>
      elsewhere && strategy.convert ? asWritten(strategy.convert(object, version), schemaOf()) : object,
    toStorage: object => (elsewhere && strategy.convert ? strategy.convert(object, elsewhere.version) : object),
    ...(caution === undefined ? {} : { caution }),
    ...(deprecation === undefined ? {} : { deprecation }),
  }
}

/** Most kinds are never used in the life of a server: what they need is made when they are. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** What an empty object of the kind is written as; only asked for when the kind is first written. */
function completion(schemaOf: () => Schema): (object: KubeObject) => void {
  let empty: [string, Json][] | undefined
  return object => {
    empty ??= Object.entries(decode({}, schemaOf()).value).filter(([name]) => name !== 'metadata')
    for (const [name, value] of empty) if (object[name] === undefined) object[name] = jsonCopy(value)
  }
}

export /** A converted object with what its own type always writes, and without what it leaves out. */
const asWritten = (object: KubeObject, schema: Schema): KubeObject =>
  decode(object as unknown as Json, schema).value as unknown as KubeObject

export function decodeBuiltin(
  value: Json,
  schema: Schema,
  strategy: Strategy,
  { kind, apiVersion }: { kind: string; apiVersion: string },
  numberTexts?: NumberTexts,
): Decoded {
  let decoded: { value: JsonObject; strictErrors: string[] }
  try {
    decoded = decode(value, schema, 'Strict', numberTexts)
  } catch (thrown) {
    if (!(thrown instanceof DecodeFailure)) throw thrown
    throw badRequest(
      `${kind} in version ${JSON.stringify(parseApiVersion(apiVersion).version)} cannot be handled as a ${kind}: ${thrown.what}`,
    )
  }
  const object = decoded.value as unknown as KubeObject
  object.metadata ??= {}
  object.apiVersion = apiVersion
  object.kind = kind
  strategy.setDefaults?.(object)
  return { object, problems: decoded.strictErrors }
}
