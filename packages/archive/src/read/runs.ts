import { failedStep, type Parameter, type RunRecord, type StepRecord } from '@tiphys/journal/records'
import type {
  LogSummary,
  Page,
  PageRequest,
  Row,
  RunDetail,
  RunGroup,
  RunItem,
  Scope,
  Selection,
  StepDetail,
} from '../archive.ts'
import type { LogRow, RecordRow, RunRow, StepRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { compile } from '../query/compile.ts'
import { and, areOnly, type Sql, sql } from '../query/sql.ts'
import { chosenByWords } from './judged.ts'
import { countRows, keptCount, pageOf, readRows } from './list.ts'
import { readLog } from './logs.ts'
import { maybe, type Source, within } from './source.ts'
import { writeItems } from './writes.ts'

const LAST_LINES = 20
const MOST_GROUPS = 200
/** So many of the newest runs are put into groups; of failures, which have an index that says enough, so many of these. */
const [MOST_GROUPED, MOST_FAILURES] = [2000, 300]
/** With words, for which the records of each are looked at, no more than these. */
const MOST_GROUPED_BY_WORDS = 1000
/** So many runs are looked at when no index helps. */
const MOST_SCANNED = 3500

export async function listRuns(
  source: Source,
  selection: Selection = {},
  page: PageRequest = {},
): Promise<Page<RunItem>> {
  const { conditions, words, isFiltered, simple } = compile('runs', selection, source.context)
  const plan = {
    from: 'runs r',
    number: 'r.id',
    conditions,
    words,
    isNumberedByFirst: true,
    isFiltered: conditions.length > 0,
    isTimeIndexed: true,
    mostScanned: MOST_SCANNED,
  }
  const shown = await readRows<RunRow>(source, plan, page, row => row.id)
  return pageOf(shown, await runItems(source, shown.rows), async () => {
    const isPhase = simple?.field === 'status' || simple?.field === 'phase'
    if (isFiltered && !isPhase) return countRows(source, plan, shown)
    const phases = simple?.values.map(value => `phase:${value[0]?.toUpperCase()}${value.slice(1).toLowerCase()}`) ?? []
    const kept = await keptCount(source, isPhase ? phases : ['runs'], within('scope', selection.scope))
    return { count: kept, exact: true }
  })
}

export async function runItems(source: Source, rows: readonly RunRow[]): Promise<Row<RunItem>[]> {
  const parts = await source.parts(rows.flatMap(row => [row.trigger_part, row.template]))
  const traces = await source.traces(rows.map(row => row.trace))
  const objects = await source.objects(rows.map(row => row.object))
  return rows.map(row => {
    const byPhase = JSON.parse(row.steps) as Record<string, number>
    return {
      cursor: String(row.id),
      run: { namespace: row.namespace, name: row.name, uid: row.uid },
      trace: traces(row.trace),
      phase: row.phase,
      ...maybe('message', row.message),
      ...maybe('action', row.action),
      ...maybe('trigger', parts(row.trigger_part)),
      ...maybe('template', parts(row.template)?.name),
      ...maybe('object', objects(row.object)),
      ...maybe('progress', row.progress),
      attempt: row.attempt,
      ...maybe('repeats', row.repeats === null ? undefined : (JSON.parse(row.repeats) as RunItem['repeats'])),
      at: row.at,
      ...maybe('scheduledAt', row.scheduled_at),
      ...maybe('startedAt', row.started_at),
      ...maybe('finishedAt', row.finished_at),
      steps: { total: Object.values(byPhase).reduce((sum, count) => sum + count, 0), byPhase },
      ...maybe('fingerprint', row.fingerprint),
    }
  })
}

export async function runRow(
  source: Source,
  run: { uid: string } | { namespace: string; name: string },
  scope: Scope | undefined,
): Promise<RunRow | undefined> {
  const allowed = within('scope', scope)
  const [where, values] =
    'uid' in run ? ['uid = ?', [run.uid]] : ['namespace = ? AND name = ?', [run.namespace, run.name]]
  return source.one<RunRow>(`SELECT * FROM runs WHERE ${where} AND ${allowed.text} ORDER BY id DESC LIMIT 1`, [
    ...values,
    ...allowed.values,
  ])
}

export async function readRun(
  source: Source,
  run: { uid: string } | { namespace: string; name: string },
  { scope }: { scope?: Scope } = {},
): Promise<RunDetail | undefined> {
  const row = await runRow(source, run, scope)
  return row && runDetail(source, row, scope)
}

/** More steps than this are not read at once. */
const MOST_STEPS = 20_000

export async function runDetail(source: Source, row: RunRow, scope: Scope | undefined): Promise<RunDetail> {
  const [item] = await runItems(source, [row])
  const { cursor: _, ...run } = item as Row<RunItem>
  const changes = await source.database.all<RecordRow>(
    'SELECT * FROM records WHERE run = ? AND kind = ? ORDER BY id LIMIT 1000',
    [row.id, KIND_NUMBERS.run],
  )
  const records = await source.records<RunRecord>(changes)
  const newest = <K extends 'parameters' | 'outputs'>(name: K): readonly Parameter[] =>
    records.findLast(record => record[name] !== undefined)?.[name] ?? []
  const items = await stepDetails(source, row.id)
  const writeRows = await source.database.all<RecordRow>(
    `SELECT * FROM records WHERE run = ? AND kind = ? AND ${within('scope', scope).text} ORDER BY id LIMIT 1000`,
    [row.id, KIND_NUMBERS.write, ...within('scope', scope).values],
  )
  const culprit = failedStep(items, ({ step, at, changedAt, startedAt = at, finishedAt = changedAt, ...rest }) => ({
    ...rest,
    id: step,
    begun: startedAt,
    ended: finishedAt,
  }))
  return {
    ...run,
    parameters: newest('parameters'),
    outputs: newest('outputs'),
    steps: { ...run.steps, items },
    history: records.map(({ at, phase, message }) => ({ at, phase, ...maybe('message', message) })),
    writes: await writeItems(source, writeRows),
    ...(culprit ? { culprit: { step: culprit.step, lastLines: await lastLines(source, row, culprit) } } : {}),
  }
}

async function stepDetails(source: Source, run: number): Promise<StepDetail[]> {
  const steps = await source.database.all<StepRow>(
    `SELECT * FROM steps WHERE run = ? ORDER BY first LIMIT ${MOST_STEPS}`,
    [run],
  )
  const recordRows = await source.byId<RecordRow>(
    tables.RECORDS,
    steps.flatMap(({ first, last }) => [first, last]),
  )
  const texts = await source.records<StepRecord>(recordRows)
  const records = new Map(recordRows.map(({ id }, i) => [id, texts[i] as StepRecord]))
  const logs = new Map<string, LogSummary[]>()
  for (const { step, container, bytes, ends } of await source.database.all<LogRow & { bytes: number; ends: number }>(
    'SELECT step, container, sum(bytes) AS bytes, sum(ends) AS ends FROM logs WHERE run = ? GROUP BY step, container ORDER BY container',
    [run],
  ))
    logs.set(step, [...(logs.get(step) ?? []), { container, bytes: Number(bytes), lines: Number(ends) }])
  return steps.flatMap(({ step, first, last }) => {
    const now = records.get(last)
    // Its first record may have been dropped for its age.
    const begun = records.get(first) ?? now
    if (!now || !begun) return []
    const { v: _v, kind: _kind, trace: _trace, run: _run, at: changedAt, ...rest } = now
    // What a step was given is told when it starts, not again when it ends.
    const { inputs, startedAt, pod, children } = begun
    return [
      {
        ...maybe('inputs', inputs),
        ...maybe('startedAt', startedAt),
        ...maybe('pod', pod),
        ...maybe('children', children),
        ...rest,
        at: begun.at,
        changedAt,
        logs: logs.get(step) ?? [],
      },
    ]
  })
}

async function lastLines(source: Source, run: RunRow, { step, logs }: StepDetail): Promise<readonly string[]> {
  const main = logs.find(({ container }) => container === 'main') ?? logs[0]
  if (!main) return []
  const part = await readLog(
    source,
    { run: run.uid, step, container: main.container },
    { tail: true, lines: LAST_LINES },
  )
  return part?.lines ?? []
}

/** The newest runs, or those that have failed, from an index when nothing else is asked of them; and how many. */
function newestRuns(source: Source, isOfFailures: boolean, conditions: readonly Sql[]): [text: string, most: number] {
  if (!isOfFailures) return ['SELECT r.* FROM runs r', MOST_GROUPED]
  const isEnough = areOnly(conditions, 'r', ['id', 'fingerprint', 'phase', 'at', 'scope'])
  // Of a few rows SQLite rather reads the table itself.
  const by = source.database.dialect === 'sqlite' ? ' INDEXED BY runs_failed' : ''
  return [
    `SELECT ${isEnough ? 'r.id, r.fingerprint, r.phase, r.at, r.scope' : 'r.*'} FROM runs r${by} WHERE r.fingerprint IS NOT NULL`,
    MOST_FAILURES,
  ]
}

export async function groupRuns(
  source: Source,
  by: 'template' | 'object' | 'fingerprint' | 'phase',
  selection: Selection = {},
): Promise<RunGroup[]> {
  const { conditions, words } = compile('runs', selection, source.context)
  const isGrouped = by === 'phase' ? [] : [sql(`r.${by} IS NOT NULL`)]
  const [newestOnes, usual] = newestRuns(source, by === 'fingerprint', conditions)
  const most = words ? Math.min(usual, MOST_GROUPED_BY_WORDS) : usual
  const all = and([...isGrouped, ...conditions])
  const candidates = () =>
    source.database.all<Pick<RunRow, 'id'>>(
      `SELECT r.id FROM (${newestOnes} ORDER BY r.id DESC LIMIT ${most}) r WHERE ${all.text}`,
      all.values,
    )
  const chosen = await chosenByWords(source, words, candidates, ({ id }) => id)
  const where = and([...isGrouped, ...conditions, ...chosen])
  const rows = await source.database.all<{
    key: number | string
    phase: string
    count: number
    last: number
    newest: number
  }>(
    `SELECT r.${by} AS key, r.phase AS phase, count(*) AS count, max(r.at) AS last, max(r.id) AS newest
      FROM (${newestOnes} ORDER BY r.id DESC LIMIT ${most}) r WHERE ${where.text} GROUP BY r.${by}, r.phase`,
    where.values,
  )
  const groups = new Map<
    number | string,
    { count: number; byPhase: Record<string, number>; lastAt: number; newest: number }
  >()
  for (const { key, phase, count, last, newest } of rows) {
    const group = groups.get(key) ?? { count: 0, byPhase: {}, lastAt: 0, newest: 0 }
    group.count += count
    group.byPhase[phase] = count
    group.lastAt = Math.max(group.lastAt, last)
    group.newest = Math.max(group.newest, newest)
    groups.set(key, group)
  }
  const isCut = (await source.one(`${newestOnes} ORDER BY r.id DESC LIMIT 1 OFFSET ${most}`, [])) !== undefined
  const shown = [...groups].sort(([, a], [, b]) => b.lastAt - a.lastAt).slice(0, MOST_GROUPS)
  const ids = shown.map(([key]) => key).filter(key => typeof key === 'number')
  const parts = by === 'template' ? await source.parts(ids) : undefined
  const objects = by === 'object' ? await source.objects(ids) : undefined
  const newest = await source.byId<RunRow>(
    tables.RUNS,
    shown.map(([, group]) => group.newest),
  )
  const messages = new Map(newest.map(({ id, message }) => [id, message]))
  const named = (key: number | string): Pick<RunGroup, 'key' | 'namespace'> => {
    const found = typeof key === 'string' ? undefined : (objects?.(key) ?? parts?.(key))
    if (!found) return { key: typeof key === 'string' ? key : '' }
    const path = 'kind' in found ? [found.kind, found.namespace, found.name] : [found.name]
    return { key: path.filter(part => part !== undefined).join('/'), ...maybe('namespace', found.namespace) }
  }
  return shown.map(([key, { newest: id, ...group }]) => ({
    ...named(key),
    ...group,
    ...(isCut ? { isAtLeast: true } : {}),
    ...maybe('message', messages.get(id)),
  }))
}
