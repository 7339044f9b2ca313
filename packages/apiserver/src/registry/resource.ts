import type { KubeObject, NumberTexts } from '@tiphys/kube'
import type { FieldSet } from '../apply/field-set.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Json, Schema } from '../schema/schema.ts'
import type { Collection } from '../storage/collection.ts'
import type { Strategy } from '../strategy.ts'
import type { TableColumns } from '../table/table-columns.ts'

export interface Decoded {
  object: KubeObject
  /** What strict decoding refuses: `unknown field "spec.foo"`. */
  problems: string[]
}

/** One resource of one group and version, as it is served. Several versions of a kind share one collection. */
export interface Resource {
  group: string
  version: string
  /** The plural: `deployments`. */
  name: string
  singular: string
  kind: string
  listKind: string
  namespaced: boolean
  verbs: readonly string[]
  shortNames: readonly string[]
  categories: readonly string[]
  storageVersionHash?: string
  isCustom: boolean
  schema: Schema
  strategy: Strategy
  collection: Collection
  subresources: ReadonlyMap<string, Subresource>
  columns: TableColumns
  /** What a write to the object itself never owns (status, where it is a subresource), and a write to status. */
  resetFields: FieldSet | undefined
  statusResetFields: FieldSet | undefined
  /** Reads a JSON value as this version of the kind. Throws a StatusError for what cannot be the kind: `numberTexts`, where
   *  the text is known, says which whole numbers are not written as such. */
  decode(value: Json, numberTexts?: NumberTexts): Decoded
  /** Puts in what the kind always writes, after preparation took it out: an empty status. */
  complete(object: KubeObject): void
  /** Gives the object what must be unique in the cluster (addresses, ports), once it is known to be valid. */
  allocate?: (object: KubeObject, old: KubeObject | undefined) => void
  /** The stored form in this version: the very same object where nothing differs, so that written JSON can be shared. The
   *  answer is shared: nobody changes it. */
  fromStorage(object: KubeObject): KubeObject
  /** This version's form as it is stored. */
  toStorage(object: KubeObject): KubeObject
  /** Loads what writing this resource needs, before the first write; undefined when nothing is left to load. */
  load?: (() => Promise<void>) | undefined
  /** A kind that is answered, not stored (reviews): replaces create. */
  review?: (context: RequestContext, object: KubeObject) => Promise<KubeObject>
  /** Why nothing can be created now: the definition is on its way out. */
  createRefusal?: string
  /** Says why creating this deserves a Warning header, e.g. because it is stored and not enforced. */
  caution?: string
  /** Warned about on every request to this version. */
  deprecation?: string
}

export interface Subresource {
  name: string
  kind: { group: string; version: string; kind: string }
  verbs: readonly string[]
  serve: (context: RequestContext) => Promise<ApiResponse>
}

export const groupResource = (resource: Resource): { group: string; resource: string } => ({
  group: resource.group,
  resource: resource.name,
})

export const apiVersionOf = ({ group, version }: { group: string; version: string }): string =>
  group === '' ? version : `${group}/${version}`

export const keyOf = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === '' ? name : `${namespace}/${name}`

/** Whether an updated object may hold fields of the stored one itself: nothing that prepares or completes it changes them in
 *  place. */
export const sharesFields = ({ isCustom, strategy }: Resource): boolean =>
  isCustom || strategy.hasIndependentFields === true
