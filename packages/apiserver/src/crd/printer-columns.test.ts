import { readFileSync } from 'node:fs'
import type { KubeObject } from '@tiphys/kube'
import { expect, it } from 'vitest'
import type { ColumnDefinition } from '../table/table-columns.ts'
import type { CrdPrinterColumn } from './crd.ts'
import { printerColumns } from './printer-columns.ts'

/** What kube-apiserver 1.36.3 answered; the descriptions of its own columns are left out. */
interface Table {
  columns: CrdPrinterColumn[]
  object: Record<string, unknown>
  definitions: ColumnDefinition[]
  cells: unknown[]
}

const file = new URL('./testdata/table-answers.json', import.meta.url)
const { tables } = JSON.parse(readFileSync(file, 'utf8')) as { tables: Table[] }
const recordedAt = Date.parse('2026-11-16T02:31:00Z')

it.each(tables)('shows the columns of the CRD as the real server does ($columns.length of them)', table => {
  const columns = printerColumns({ additionalPrinterColumns: table.columns })
  const metadata = { name: 'one', creationTimestamp: '2026-11-16T02:31:00Z' }
  const object: KubeObject = { apiVersion: 'crdhelp.example.com/v1', kind: 'Col', metadata, ...table.object }
  expect(columns.definitions).toEqual(table.definitions)
  expect(columns.cells(object, recordedAt)).toEqual(table.cells)
})
