import type { TableColumns } from '../../table/table-columns.ts'
import { createdAtColumn, nameColumn, table } from './columns.ts'

const PLAIN: TableColumns = table(nameColumn, createdAtColumn)

const COLUMNS: Record<string, TableColumns> = {}

/** How `kubectl get` shows a built-in kind; the name and the creation for kinds without columns of their own. */
export function builtinColumns(group: string, kind: string): TableColumns {
  return COLUMNS[`${group}/${kind}`] ?? PLAIN
}
