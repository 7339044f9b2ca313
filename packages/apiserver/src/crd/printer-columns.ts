import {
  compileJsonPath,
  type JsonPath,
  JsonPathError,
  JsonPathSyntaxError,
  printJsonPathResult,
} from '@tiphys/expressions'
import { formatAge } from '../builtin/columns/age.ts'
import { nameColumn } from '../builtin/columns/columns.ts'
import { normalizeTime, TimeSyntaxError } from '../schema/go-time.ts'
import type { ColumnDefinition, TableColumns } from '../table/table-columns.ts'
import type { CrdPrinterColumn, CrdVersion } from './crd.ts'

const AGE: CrdPrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

interface PrinterColumn {
  definition: ColumnDefinition
  path: JsonPath
}

/** How `kubectl get` shows a custom resource: its name and the columns of the CRD, or its age when there are none. */
export function printerColumns({
  additionalPrinterColumns = [],
}: Pick<CrdVersion, 'additionalPrinterColumns'>): TableColumns {
  const columns = compileColumns(additionalPrinterColumns)
  return {
    definitions: [nameColumn.definition, ...columns.map(({ definition }) => definition)],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...columns.map(({ definition, path }) => cell(definition.type, path, object, now)),
    ],
  }
}

/** Columns after one whose path is no JSONPath are not shown. */
function compileColumns(columns: readonly CrdPrinterColumn[]): PrinterColumn[] {
  const compiled: PrinterColumn[] = []
  for (const column of columns.length > 0 ? columns : [AGE]) {
    try {
      compiled.push({ definition: definitionOf(column, column === AGE), path: compileJsonPath(`{${column.jsonPath}}`) })
    } catch (thrown) {
      if (thrown instanceof JsonPathSyntaxError) return compiled
      throw thrown
    }
  }
  return compiled
}

function definitionOf(column: CrdPrinterColumn, isDefault: boolean): ColumnDefinition {
  const description = isDefault ? '' : `Custom resource definition column (in JSONPath format): ${column.jsonPath}`
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ? column.description : description,
    priority: column.priority ?? 0,
  }
}

function cell(type: string, path: JsonPath, object: unknown, now: number): unknown {
  const value = firstValue(path, object)
  if (value === undefined) return null
  switch (type) {
    case 'string':
      return value === null ? '<no value>' : printJsonPathResult(value)
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    default:
      return typeof value === 'string' ? age(value, now) : null
  }
}

function firstValue(path: JsonPath, object: unknown): unknown {
  try {
    return path.first(object)
  } catch (thrown) {
    // A path that does not fit the object leaves its cell empty, as on the real server.
    if (thrown instanceof JsonPathError) return undefined
    throw thrown
  }
}

function age(text: string, now: number): string {
  try {
    return text === '' ? '<unknown>' : formatAge(normalizeTime(text) ?? '', now)
  } catch (thrown) {
    if (thrown instanceof TimeSyntaxError) return '<invalid>'
    throw thrown
  }
}
