import type { KubeObject, ListMeta } from '@tiphys/kube'
import { withType } from '../handlers/answer.ts'
import type { Resource } from '../registry/resource.ts'
import { badRequest } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'
import { partialMetadata } from './partial-metadata.ts'

export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface Table {
  kind: 'Table'
  apiVersion: string
  metadata: ListMeta
  /** Null in later events of a watch. */
  columnDefinitions: unknown[] | null
  rows: { cells: unknown[]; object: unknown }[]
}

export function includeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? ''
  if (value === '') return 'Metadata'
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

export interface TableOptions {
  version: string
  include: IncludeObject
  now: number
  metadata: ListMeta
  /** Later events of a watch leave the columns out. */
  withColumns?: boolean
}

export function tableOf(resource: Resource, items: readonly Stored[], options: TableOptions): Table {
  const { version, include, now, metadata, withColumns = true } = options
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: withColumns ? [...resource.columns.definitions] : null,
    rows: items.map(stored => {
      const object = withType(resource, resource.fromStorage(stored.object))
      return { cells: resource.columns.cells(object, now), object: rowObject(object, include) }
    }),
  }
}

function rowObject(object: KubeObject, include: IncludeObject): unknown {
  if (include === 'None') return null
  return include === 'Object' ? object : partialMetadata(object)
}
