import type { DecisionRecord, DeliveryRecord, WriteRecord } from '@tiphys/journal/records'
import type { EventItem, Provenance, Scope, Trace } from '../archive.ts'
import type { EventRow, RecordRow, RunRow, WriteRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { isOneOf } from '../query/sql.ts'
import { detailOf, eventItems, eventRow, eventsByTrace, outcomesOf, visible } from './events.ts'
import { runDetail } from './runs.ts'
import { maybe, type Source, within } from './source.ts'
import { runsOf, togetherWith } from './together.ts'
import { provenanceOf, writeItems } from './writes.ts'

const [MOST_RECORDS, MOST_RUNS, MOST_EFFECTS, DEEPEST] = [2000, 50, 200, 10]

/** The whole chain of one event, from its records: nothing is told that was not recorded. */
export async function readTrace(
  source: Source,
  id: string,
  { scope, depth = 0 }: { scope?: Scope; depth?: number } = {},
): Promise<Trace | undefined> {
  const trace = await source.traceId(id)
  if (trace === undefined) return undefined
  const row = await eventRow(source, id, scope)
  // An event that may not be seen has no chain either; one that is not there may have.
  if (!row && (await source.one<EventRow>('SELECT id FROM events WHERE trace = ?', [trace]))) return undefined
  const allowed = within('scope', scope)
  const together = await togetherWith(source, trace)
  const found = isOneOf('trace', [trace, ...together.traces])
  const records = await source.database.all<RecordRow>(
    `SELECT * FROM records WHERE ${found.text} AND run IS NULL AND kind IN (${KIND_NUMBERS.decision}, ${KIND_NUMBERS.delivery})
      AND ${allowed.text} ORDER BY id LIMIT ${MOST_RECORDS + 1}`,
    [...found.values, ...allowed.values],
  )
  const hops = await own<DecisionRecord | DeliveryRecord>(source, records.slice(0, MOST_RECORDS), trace, record =>
    record.events.includes(id),
  )
  const mine = runsOf(trace, together)
  const runs = await source.database.all<RunRow>(
    `SELECT * FROM runs WHERE ${mine.text} AND ${allowed.text} ORDER BY id LIMIT ${MOST_RUNS + 1}`,
    [...mine.values, ...allowed.values],
  )
  const written = await source.database.all<RecordRow>(
    `SELECT * FROM records WHERE id IN (SELECT id FROM writes WHERE ${found.text}) AND ${allowed.text} ORDER BY id LIMIT ${MOST_RECORDS}`,
    [...found.values, ...allowed.values],
  )
  const uids = new Set(runs.map(({ uid }) => uid))
  const isShared = ({ action, run }: WriteRecord) => (run ? uids.has(run.uid) : together.actions.has(action ?? ''))
  const writes = (await own<WriteRecord>(source, written, trace, isShared)).map(([write]) => write)
  if (!row && hops.length === 0 && runs.length === 0 && writes.length === 0) return undefined
  const effects = await effectsOf(
    source,
    writes.map(write => write.id),
    scope,
  )
  const replays = await source.database.all<EventRow>(
    `SELECT * FROM events WHERE replay_of = ? AND ${allowed.text} ORDER BY id LIMIT 100`,
    [trace, ...allowed.values],
  )
  const cause = row && (await causeOf(source, row, scope))
  return {
    id,
    ...maybe('event', row && (await detailOf(source, row))),
    outcomes: await outcomesOf(source, trace, scope),
    decisions: hops.flatMap(([, hop]) => (hop.kind === 'decision' ? [withoutKind(hop)] : [])),
    deliveries: hops.flatMap(([, hop]) => (hop.kind === 'delivery' ? [withoutKind(hop)] : [])),
    runs: await Promise.all(runs.slice(0, MOST_RUNS).map(run => runDetail(source, run, scope))),
    writes: await writeItems(source, writes),
    ...maybe('cause', cause),
    effects: await deepen(source, effects.slice(0, MOST_EFFECTS), scope, Math.min(depth, DEEPEST)),
    replays: (await eventItems(source, replays)).map(withoutCursor),
    together: [...(await eventsByTrace(source, together.traces, scope)).values()].map(withoutCursor),
    isCut: records.length > MOST_RECORDS || runs.length > MOST_RUNS || effects.length > MOST_EFFECTS,
  }
}

/** Records with their texts: all that are traced by an event, and of the others those that are about it, too. */
async function own<R>(
  source: Source,
  rows: readonly RecordRow[],
  trace: number,
  isShared: (record: R) => boolean,
): Promise<[row: RecordRow, record: R][]> {
  const records = await source.records<R>(rows)
  return rows.flatMap((row, i): [RecordRow, R][] => {
    const record = records[i] as R
    return row.trace === trace || isShared(record) ? [[row, record]] : []
  })
}

interface Effect {
  write: number
  event: EventItem
}

async function deepen(
  source: Source,
  effects: readonly Effect[],
  scope: Scope | undefined,
  depth: number,
): Promise<Trace['effects']> {
  if (depth <= 0) return effects
  const deeper: Trace['effects'][number][] = []
  for (const effect of effects) {
    const trace = await readTrace(source, effect.event.id, { ...maybe('scope', scope), depth: depth - 1 })
    deeper.push({ ...effect, ...maybe('trace', trace) })
  }
  return deeper
}

/** The events that tell of these writes: of the same object, at the version that the write gave it. */
export async function effectsOf(
  source: Source,
  writeIds: readonly number[],
  scope: Scope | undefined,
): Promise<Effect[]> {
  const rows = await effectRows(source, writeIds, scope)
  const items = await eventItems(
    source,
    rows.map(({ row }) => row),
  )
  return rows.map(({ write }, i) => ({ write, event: withoutCursor(items[i] as EventItem & { cursor: string }) }))
}

export async function effectRows(
  source: Source,
  writeIds: readonly number[],
  scope: Scope | undefined,
): Promise<{ write: number; row: EventRow }[]> {
  const writes = (await source.byId<WriteRow>(tables.WRITES, writeIds)).filter(({ outcome }) => outcome !== 'unchanged')
  // What is deleted ends as such, whatever the version of its last state is.
  const [ends, changes] = [writes.filter(isDeletion), writes.filter(write => !isDeletion(write))]
  const { database } = source
  const rows = [
    ...(await database.lookup<EventRow>(
      tables.EVENTS,
      ['object', 'version'],
      changes.map(({ object, version }) => [object, version]),
    )),
    ...(await database.lookup<EventRow>(
      tables.EVENTS,
      ['object', 'change'],
      ends.map(({ object }) => [object, 'DELETE']),
    )),
  ]
  const byEffect = new Map<string, EventRow[]>()
  for (const row of await visible(source, rows, scope)) {
    for (const what of new Set([row.version, row.change === 'DELETE' ? '' : row.version])) {
      const key = `${row.object}\n${what}`
      byEffect.set(key, [...(byEffect.get(key) ?? []), row])
    }
  }
  const found = writes.flatMap(write => {
    const events = byEffect.get(`${write.object}\n${isDeletion(write) ? '' : write.version}`) ?? []
    return [...new Set(events)].map(row => ({ write: write.id, row }))
  })
  return found.sort((a, b) => a.row.id - b.row.id)
}

const isDeletion = ({ outcome }: WriteRow): boolean => outcome === 'deleted'

/** The write that an event tells of, when it was one of ours. */
export async function causeOf(
  source: Source,
  row: EventRow,
  scope: Scope | undefined,
): Promise<Provenance | undefined> {
  const write = await causingWrite(source, row, scope)
  if (!write) return undefined
  const [provenance] = await provenanceOf(source, [write], scope)
  return provenance && withoutCursor(provenance)
}

export async function causingWrite(
  source: Source,
  row: EventRow,
  scope: Scope | undefined,
): Promise<WriteRow | undefined> {
  if (row.object === null) return undefined
  const allowed = within('scope', scope)
  const isEnd = row.change === 'DELETE'
  if (row.version === null && !isEnd) return undefined
  return source.one<WriteRow>(
    `SELECT * FROM writes WHERE object = ? AND ${isEnd ? "outcome = 'deleted'" : "version = ? AND outcome <> 'unchanged'"} AND ${allowed.text}
      ORDER BY id DESC LIMIT 1`,
    [row.object, ...(isEnd ? [] : [row.version]), ...allowed.values],
  )
}

export function withoutCursor<T extends { cursor: string }>(row: T): Omit<T, 'cursor'> {
  const { cursor: _cursor, ...rest } = row
  return rest
}

function withoutKind<T extends { v: unknown; kind: unknown }>({
  v: _v,
  kind: _kind,
  ...rest
}: T): Omit<T, 'v' | 'kind'> {
  return rest
}
