import type { WriteRecord } from '@tiphys/journal/records'
import type { Page, PageRequest, Provenance, Row, Scope, Selection, WriteItem } from '../archive.ts'
import type { RecordRow, RunRow, StepRow, WriteRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { compile } from '../query/compile.ts'
import { eventsByTrace, visible } from './events.ts'
import { countRows, pageOf, readRows } from './list.ts'
import { runItems } from './runs.ts'
import { maybe, type Source, within } from './source.ts'

const MOST_DIFF_BYTES = 64 * 1024

export async function listWrites(
  source: Source,
  selection: Selection = {},
  page: PageRequest = {},
): Promise<Page<Provenance>> {
  const { conditions, words } = compile('writes', selection, source.context)
  const plan = {
    from: 'writes w',
    number: 'w.id',
    conditions,
    words,
    isNumberedByFirst: true,
    isFiltered: conditions.length > 0,
    mostScanned: 8000,
  }
  const shown = await readRows<WriteRow>(source, plan, page, row => row.id)
  const items = await provenanceOf(source, shown.rows, selection.scope)
  return pageOf(shown, items, () => countRows(source, plan, shown))
}

/** Writes with what led to them, as far as the scope covers that. */
export async function provenanceOf(
  source: Source,
  rows: readonly WriteRow[],
  scope: Scope | undefined,
): Promise<Row<Provenance>[]> {
  const recordRows = await source.byId<RecordRow>(
    tables.RECORDS,
    rows.map(({ id }) => id),
  )
  const writes = new Map((await writeItems(source, recordRows)).map(item => [item.id, item]))
  const events = await eventsByTrace(
    source,
    rows.map(({ trace }) => trace),
    scope,
  )
  const runRows = await visible(
    source,
    await source.byId<RunRow>(
      tables.RUNS,
      rows.map(({ run }) => run),
    ),
    scope,
  )
  const runs = new Map((await runItems(source, runRows)).map((item, i) => [runRows[i]?.id ?? 0, item]))
  const steps = await stepNames(source, rows, writes)
  return rows.flatMap(row => {
    const write = writes.get(row.id)
    if (!write) return []
    const run = row.run === null ? undefined : runs.get(row.run)
    const event = row.trace === null ? undefined : events.get(row.trace)
    const step =
      run && write.step !== undefined
        ? { id: write.step, name: steps.get(`${row.run}\n${write.step}`) ?? write.step }
        : undefined
    return [{ cursor: String(row.id), write, ...maybe('event', event), ...maybe('run', run), ...maybe('step', step) }]
  })
}

async function stepNames(
  source: Source,
  rows: readonly WriteRow[],
  writes: ReadonlyMap<number, WriteItem>,
): Promise<Map<string, string>> {
  const keys = rows.flatMap(({ id, run }) => {
    const step = writes.get(id)?.step
    return run === null || step === undefined ? [] : [[run, step] as const]
  })
  const steps = await source.database.lookup<StepRow>(tables.STEPS, ['run', 'step'], keys)
  const recordRows = await source.byId<RecordRow>(
    tables.RECORDS,
    steps.map(({ first }) => first),
  )
  const texts = await source.records<{ name: string; displayName?: string }>(recordRows)
  const names = new Map(recordRows.map(({ id }, i) => [id, texts[i]?.displayName ?? texts[i]?.name ?? '']))
  return new Map(steps.map(({ run, step, first }) => [`${run}\n${step}`, names.get(first) ?? step]))
}

export async function writeItems(source: Source, rows: readonly RecordRow[], isWhole = false): Promise<WriteItem[]> {
  const records = await source.records<WriteRecord>(rows)
  return records.map((record, i) => {
    const { v: _v, kind: _kind, diff, ...write } = record
    const { id, size } = rows[i] as RecordRow
    return { ...write, ...(isWhole || size <= MOST_DIFF_BYTES ? maybe('diff', diff) : {}), id }
  })
}

export async function readWrite(
  source: Source,
  id: number,
  { scope }: { scope?: Scope } = {},
): Promise<WriteItem | undefined> {
  const allowed = within('scope', scope)
  const row = await source.one<RecordRow>(`SELECT * FROM records WHERE id = ? AND kind = ? AND ${allowed.text}`, [
    Math.floor(id),
    KIND_NUMBERS.write,
    ...allowed.values,
  ])
  return row && (await writeItems(source, [row], true))[0]
}
