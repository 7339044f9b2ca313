import type {
  EventDetail,
  EventItem,
  Outcome,
  Page,
  PageRequest,
  Row,
  Scope,
  Selection,
  Total,
  Verdict,
} from '../archive.ts'
import type { EventRow, OutcomeRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { VERDICT_NUMBERS, verdictOf } from '../ingest/vocabulary.ts'
import { type Compiled, compile } from '../query/compile.ts'
import { quote } from '../query/parse.ts'
import type { PayloadFilter } from '../query/payload-filter.ts'
import { and } from '../query/sql.ts'
import { countRows, keptCount, type ListPlan, pageOf, type Rows, readRows } from './list.ts'
import { maybe, type Source, within } from './source.ts'

const USUAL_BODY_BYTES = 256 * 1024
/** How far one call looks for payloads before it says so. */
const [MOST_SCANNED, LONGEST_SCAN_MS] = [20_000, 1500]
const SCAN_ROWS = 500

export async function listEvents(
  source: Source,
  selection: Selection = {},
  page: PageRequest = {},
): Promise<Page<EventItem>> {
  const compiled = compile('events', selection, source.context)
  const plan = planOf(compiled)
  if (compiled.payload.length > 0) return scanEvents(source, plan, compiled.payload, page)
  const shown = await readRows<EventRow>(source, plan, page, row => row.id)
  return pageOf(shown, await eventItems(source, shown.rows), () =>
    totalOf(source, compiled, plan, selection.scope, shown),
  )
}

/** Events that a sensor has looked at, with what came of each there. */
export async function listSensorEvents(
  source: Source,
  sensor: { namespace: string; name: string },
  selection: Pick<Selection, 'scope'> = {},
  page: PageRequest = {},
): Promise<Page<EventItem>> {
  const query = `sensor:${quote(`${sensor.namespace}/${sensor.name}`)}`
  const found = await listEvents(source, { ...selection, query }, page)
  const outcomes = await source.database.all<Pick<OutcomeRow, 'state'> & { event: number }>(
    `SELECT e.id AS event, o.state AS state FROM events e JOIN outcomes o ON o.trace = e.trace
      JOIN parts p ON p.id = o.trigger_part AND p.type = 'trigger' AND p.namespace = ? AND p.name = ?
      WHERE e.id IN (${found.items.map(({ cursor }) => Number(cursor)).join(', ') || 'NULL'})`,
    [sensor.namespace, sensor.name],
  )
  // As badly off as the worst of its triggers.
  const worst = new Map<string, number>()
  for (const { event, state } of outcomes)
    worst.set(String(event), Math.max(worst.get(String(event)) ?? VERDICT_NUMBERS.pending, state))
  const items = found.items.map(item => {
    const state = worst.get(item.cursor)
    return state === undefined ? item : { ...item, verdict: verdictOf(state) }
  })
  return { ...found, items }
}

const planOf = ({ conditions, words }: Compiled): ListPlan => ({
  from: 'events e',
  number: 'e.id',
  conditions,
  words,
  isNumberedByFirst: true,
  isFiltered: conditions.length > 0,
  isTimeIndexed: true,
  mostScanned: 15_000,
})

async function totalOf(
  source: Source,
  { simple, isFiltered }: Compiled,
  plan: ListPlan,
  scope: Scope | undefined,
  shown: Rows<EventRow>,
): Promise<Total> {
  const scoped = within('scope', scope)
  if (!isFiltered) return { count: await keptCount(source, ['events'], scoped), exact: true }
  if (simple?.field === 'status' || simple?.field === 'verdict') {
    const names = simple.values.map(value => `verdict:${VERDICT_NUMBERS[value.toLowerCase() as Verdict]}`)
    return { count: await keptCount(source, [...new Set(names)], scoped), exact: true }
  }
  return countRows(source, plan, shown)
}

/** Where only the payload decides, rows are read until the page is full or enough was looked at. */
async function scanEvents(
  source: Source,
  plan: ListPlan,
  filters: readonly PayloadFilter[],
  page: PageRequest,
): Promise<Page<EventItem>> {
  const limit = Math.min(1000, page.limit ?? 50)
  const until = performance.now() + LONGEST_SCAN_MS
  const found: EventRow[] = []
  let request: PageRequest = { ...page, limit: SCAN_ROWS }
  let left = page.skip ?? 0
  let scanned = 0
  let isEnd = false
  let reached: { next: string | undefined; backTo: number | undefined } | undefined
  delete request.skip
  while (found.length <= limit && !isEnd && scanned < MOST_SCANNED && performance.now() < until) {
    const batch: Rows<EventRow> = await readRows<EventRow>(source, plan, request, row => row.id)
    const payloadOf = await source.payloads(batch.rows)
    for (const row of batch.rows) {
      if (found.length > limit) break
      scanned++
      if (filters.every(filter => filter(payloadOf(row.id))) && left-- <= 0) found.push(row)
    }
    isEnd = batch.next === undefined
    reached = { next: batch.next, backTo: batch.partial?.backTo ?? batch.rows.at(-1)?.at ?? reached?.backTo }
    const { before: _, ...rest } = request
    request = { ...rest, ...maybe('after', batch.next) }
  }
  const shown = found.slice(0, limit)
  const skipped = (page.skip ?? 0) - Math.max(0, left)
  const isFull = found.length > limit
  const isPartial = !isFull && !isEnd
  // Rows may be far behind the last one that was found.
  const next = isFull ? String(shown.at(-1)?.id) : isPartial ? reached?.next : undefined
  return {
    items: await eventItems(source, shown),
    ...maybe('next', next),
    ...maybe('previous', shown[0] && String(shown[0].id)),
    total: { count: shown.length, exact: !isFull && !isPartial && page.after === undefined },
    ...(isPartial && reached ? { partial: { scanned, backTo: reached.backTo ?? 0 } } : {}),
    ...(isPartial && left > 0 ? { skipped } : {}),
  }
}

export async function eventItems(source: Source, rows: readonly EventRow[]): Promise<Row<EventItem>[]> {
  const parts = await source.parts(rows.flatMap(({ source: from, bus }) => [from, bus]))
  const traces = await source.traces(rows.flatMap(({ trace, replay_of }) => [trace, replay_of]))
  const objects = await source.objects(rows.map(({ object }) => object))
  return rows.map(row => {
    const bus = parts(row.bus)
    return {
      cursor: String(row.id),
      id: traces(row.trace),
      at: row.at,
      source: parts(row.source) ?? { namespace: '', name: '', part: '' },
      ...maybe('bus', bus && `${bus.namespace}/${bus.name}`),
      type: row.type,
      ...maybe('change', row.change),
      ...maybe('object', objects(row.object)),
      ...maybe('key', row.key),
      ...(row.replay_of === null ? {} : { replayOf: traces(row.replay_of) }),
      verdict: verdictOf(row.verdict),
      runs: row.runs,
      bytes: row.bytes,
    }
  })
}

export async function eventRow(source: Source, trace: string, scope: Scope | undefined): Promise<EventRow | undefined> {
  const allowed = within('e.scope', scope)
  return source.one<EventRow>(
    `SELECT e.* FROM events e JOIN traces t ON t.id = e.trace WHERE t.trace = ? AND ${allowed.text}`,
    [trace, ...allowed.values],
  )
}

export async function readEvent(
  source: Source,
  id: string,
  { scope, maxBytes = USUAL_BODY_BYTES }: { scope?: Scope; maxBytes?: number } = {},
): Promise<EventDetail | undefined> {
  const row = await eventRow(source, id, scope)
  return row && detailOf(source, row, maxBytes)
}

export async function detailOf(source: Source, row: EventRow, maxBytes = USUAL_BODY_BYTES): Promise<EventDetail> {
  const [item] = await eventItems(source, [row])
  const isBodyCut = row.bytes > maxBytes
  const body = isBodyCut ? undefined : (await source.payloads([row]))(row.id)
  const { cursor: _, ...event } = item as Row<EventItem>
  return { ...event, ...maybe('resourceVersion', row.version), ...(body === undefined ? {} : { body }), isBodyCut }
}

export async function readPayload(
  source: Source,
  id: string,
  { scope }: { scope?: Scope } = {},
): Promise<Buffer | undefined> {
  const row = await eventRow(source, id, scope)
  const payload = row && (await source.payloadTexts([row]))(row.id)
  return payload === undefined ? undefined : Buffer.from(payload)
}

export async function outcomesOf(source: Source, trace: number, scope?: Scope): Promise<Outcome[]> {
  const allowed = within('scope', scope)
  const rows = await source.database.all<OutcomeRow>(
    `SELECT * FROM outcomes WHERE trace = ? AND ${allowed.text} ORDER BY changed, trigger_part`,
    [trace, ...allowed.values],
  )
  return outcomeItems(source, rows)
}

export async function outcomeItems(source: Source, rows: readonly OutcomeRow[]): Promise<Outcome[]> {
  const parts = await source.parts(rows.map(row => row.trigger_part))
  return rows.map(row => ({
    trigger: parts(row.trigger_part) ?? { namespace: '', name: '', part: '' },
    state: verdictOf(row.state),
    ...maybe('action', row.action),
    ...maybe('attempt', row.attempt),
    at: row.at,
    ...maybe('reason', row.reason),
    ...maybe('message', row.message),
  }))
}

/** Events by the number of their trace, as a list shows them. */
export async function eventsByTrace(
  source: Source,
  traces: Iterable<number | null>,
  scope?: Scope,
): Promise<Map<number, Row<EventItem>>> {
  const rows = await source.byId<EventRow>(tables.EVENTS, traces, 'trace')
  const allowed = await visible(source, rows, scope)
  const items = await eventItems(source, allowed)
  return new Map(allowed.map((row, i) => [row.trace, items[i] as Row<EventItem>]))
}

/** Of a few rows that were found by their numbers, those that the scope covers. */
export async function visible<R extends { scope: number | null }>(
  source: Source,
  rows: readonly R[],
  scope: Scope | undefined,
): Promise<R[]> {
  if (!scope || rows.length === 0) return [...rows]
  const condition = and([within('id', scope)])
  const scopes = await source.database.all<{ id: number }>(
    `SELECT id FROM scopes WHERE ${condition.text}`,
    condition.values,
  )
  const known = new Set(scopes.map(({ id }) => id))
  return rows.filter(row => row.scope !== null && known.has(row.scope))
}
