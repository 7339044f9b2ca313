import type { KubeObject } from '@tiphys/kube'
import type { ColumnDefinition, TableColumns } from '../../table/table-columns.ts'
import { formatAge } from './age.ts'

export interface ColumnOptions {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  format?: string
  /** Shown only by `-o wide`. */
  wide?: boolean
}

export interface Column {
  definition: ColumnDefinition
  cell(object: KubeObject, now: number): unknown
}

export function column(
  name: string,
  cell: (object: KubeObject, now: number) => unknown,
  { type = 'string', format = '', wide = false }: ColumnOptions = {},
): Column {
  return { definition: { name, type, format, description: '', priority: wide ? 1 : 0 }, cell }
}

export const nameColumn = column('Name', object => object.metadata.name ?? '', { format: 'name' })
export const ageColumn = column('Age', (object, now) => formatAge(object.metadata.creationTimestamp, now))
export const createdAtColumn = column('Created At', object => object.metadata.creationTimestamp ?? null, {
  type: 'date',
})

export function table(...columns: Column[]): TableColumns {
  return {
    definitions: columns.map(({ definition }) => definition),
    cells: (object, now) => columns.map(({ cell }) => cell(object, now)),
  }
}
