import type { Attention, Counters, Flow, FlowEdge, FlowNode, GapItem, Scope } from '../archive.ts'
import type { ConditionRow, CountRow, ObjectRow, PartRow, RecordRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { MINUTE_MS } from '../ingest/tally.ts'
import { isOfRareKind, VERDICT_NUMBERS, verdictOf } from '../ingest/vocabulary.ts'
import { conditionOf } from './objects.ts'
import { countAllParked, listParked } from './parked.ts'
import { groupRuns } from './runs.ts'
import { maybe, referenceOf, type Source, within } from './source.ts'

const HOUR_MS = 60 * MINUTE_MS
const MOST_EDGES = 5000

/** The kinds of objects behind the columns; their conditions are the nodes' health. */
const KINDS: Readonly<Record<string, string>> = {
  source: 'EventSource.argoproj.io',
  bus: 'EventBus.argoproj.io',
  sensor: 'Sensor.argoproj.io',
}

export async function readFlow(
  source: Source,
  { scope, windowMs = HOUR_MS }: { scope?: Scope; windowMs?: number } = {},
): Promise<Flow> {
  const to = source.now
  const from = to - Math.max(MINUTE_MS, windowMs)
  const allowed = within('scope', scope)
  const sums = await source.database.all<{
    from_part: number
    to_part: number
    count: number
    errors: number
    last: number
  }>(
    `SELECT from_part, to_part, sum(count) AS count, sum(errors) AS errors, max(last_at) AS last FROM flows
      WHERE minute >= ? AND ${allowed.text} GROUP BY from_part, to_part LIMIT ${MOST_EDGES}`,
    [Math.floor(from / MINUTE_MS), ...allowed.values],
  )
  const rows = await source.byId<PartRow>(
    tables.PARTS,
    sums.flatMap(row => [row.from_part, row.to_part]),
  )
  const parts = new Map(rows.map(row => [row.id, row]))
  const open = await openByTrigger(source, scope)
  const conditions = await badConditions(source, scope)
  const lastAt = new Map<number, number>()
  for (const { from_part, to_part, last } of sums)
    for (const id of [from_part, to_part]) lastAt.set(id, Math.max(lastAt.get(id) ?? 0, last))
  const nodes = [...parts.values()].map((part): FlowNode => {
    const counts = part.type === 'sensor' ? sumOf(rows, open, part) : open.get(part.id)
    return {
      id: nodeId(part),
      column: part.type as FlowNode['column'],
      namespace: part.namespace,
      name: part.part === '' ? part.name : `${part.name}/${part.part}`,
      ...maybe('condition', conditions.get(`${KINDS[part.type]}\n${part.namespace}\n${part.name}`)),
      backlog: counts?.backlog ?? 0,
      parked: counts?.parked ?? 0,
      lastAt: lastAt.get(part.id) ?? 0,
    }
  })
  const seconds = (to - from) / 1000
  const edges = sums.flatMap((row): FlowEdge[] => {
    const [start, end] = [parts.get(row.from_part), parts.get(row.to_part)]
    if (!start || !end) return []
    const [count, errors] = [Number(row.count), Number(row.errors)]
    return [
      {
        from: nodeId(start),
        to: nodeId(end),
        count,
        errors,
        rate: count / seconds,
        errorShare: count === 0 ? 0 : errors / count,
        lastAt: row.last,
        query: edgeQuery(start, end),
      },
    ]
  })
  return { from, to, nodes, edges }
}

const nodeId = ({ type, namespace, name, part }: PartRow): string =>
  [type, namespace, name, part].filter((text, i) => i < 3 || text !== '').join(':')

/** The events behind an edge. */
function edgeQuery(from: PartRow, to: PartRow): string {
  const term = ({ type, namespace, name, part }: PartRow): string[] => {
    if (type === 'kind') return []
    if (type === 'template') return [`template:${name}`]
    return [`${type}:${[namespace, name, ...(part === '' ? [] : [part])].join('/')}`]
  }
  return [...new Set([...term(from), ...term(to)])].join(' ')
}

interface Open {
  backlog: number
  parked: number
}

async function openByTrigger(source: Source, scope: Scope | undefined): Promise<Map<number, Open>> {
  const allowed = within('scope', scope)
  const rows = await source.database.all<{ name: string; count: number }>(
    `SELECT name, sum(count) AS count FROM counts WHERE minute = 0 AND name LIKE 'open:%' AND ${allowed.text} GROUP BY name`,
    allowed.values,
  )
  const open = new Map<number, Open>()
  for (const { name, count } of rows) {
    const [, state, trigger] = name.split(':').map(Number) as [number, number, number]
    const known = open.get(trigger) ?? { backlog: 0, parked: 0 }
    if (state === VERDICT_NUMBERS.parked) known.parked += Number(count)
    else known.backlog += Number(count)
    open.set(trigger, known)
  }
  return open
}

function sumOf(rows: readonly PartRow[], open: ReadonlyMap<number, Open>, sensor: PartRow): Open {
  const triggers = rows.filter(
    ({ type, namespace, name }) => type === 'trigger' && namespace === sensor.namespace && name === sensor.name,
  )
  return triggers.reduce(
    (sum, { id }) => ({
      backlog: sum.backlog + (open.get(id)?.backlog ?? 0),
      parked: sum.parked + (open.get(id)?.parked ?? 0),
    }),
    { backlog: 0, parked: 0 },
  )
}

async function badConditions(source: Source, scope: Scope | undefined) {
  const allowed = within('c.scope', scope)
  const rows = await source.database.all<ConditionRow & { kind: string; namespace: string; name: string }>(
    `SELECT c.*, b.kind AS kind, b.namespace AS namespace, b.name AS name FROM conditions c JOIN objects b ON b.id = c.object
      WHERE c.status <> 'True' AND b.is_deleted = 0 AND ${allowed.text} ORDER BY c.record LIMIT 5000`,
    allowed.values,
  )
  return new Map(rows.map(row => [`${row.kind}\n${row.namespace}\n${row.name}`, conditionOf(row)]))
}

export async function readCounters(
  source: Source,
  { scope, minutes = 60 }: { scope?: Scope; minutes?: number } = {},
): Promise<Counters> {
  const allowed = within('scope', scope)
  // What belongs to nothing in particular is counted under 0, which no scope covers.
  const since = Math.floor(source.now / MINUTE_MS) - Math.max(1, Math.min(1440, Math.floor(minutes))) + 1
  const rows = await source.database.all<CountRow>(
    // Two statements in one: for `OR` SQLite reads every minute there ever was.
    ['minute = 0', 'minute >= ?']
      .map(
        minutes =>
          `SELECT minute, name, 0 AS scope, sum(count) AS count FROM counts WHERE ${minutes} AND ${allowed.text} GROUP BY minute, name`,
      )
      .join(' UNION ALL '),
    [...allowed.values, since, ...allowed.values],
  )
  const total = new Map<string, number>()
  const perMinute = new Map<number, Map<string, number>>()
  for (const { minute, name, count } of rows) {
    if (minute === 0) total.set(name, Number(count))
    else perMinute.set(minute, (perMinute.get(minute) ?? new Map<string, number>()).set(name, Number(count)))
  }
  const named = (prefix: string, nameOf: (rest: string) => string) =>
    Object.fromEntries(
      [...total]
        .filter(([name, count]) => name.startsWith(prefix) && count > 0)
        .map(([name, count]) => [nameOf(name.slice(prefix.length)), count]),
    )
  return {
    events: total.get('events') ?? 0,
    runs: total.get('runs') ?? 0,
    parked: (await countAllParked(source, scope)).count,
    runsByPhase: named('phase:', phase => phase),
    eventsByVerdict: named('verdict:', number => verdictOf(Number(number))),
    minutes: Array.from({ length: Math.floor(source.now / MINUTE_MS) - since + 1 }, (_, i) => {
      const counts = perMinute.get(since + i)
      return {
        at: (since + i) * MINUTE_MS,
        events: counts?.get('events') ?? 0,
        errors: (counts?.get('errors') ?? 0) + (counts?.get('run-errors') ?? 0),
        runs: counts?.get('runs') ?? 0,
        failedRuns: counts?.get('run-errors') ?? 0,
      }
    }),
  }
}

/** Conditions that are true when something is wrong. */
const ALARMS = /^(?:Degraded|Stalled|.*Failed|.*Failure|.*Pressure)$/
const RECENT_MS = 24 * HOUR_MS

export async function readAttention(source: Source, { scope }: { scope?: Scope } = {}): Promise<Attention[]> {
  const parked = (await listParked(source, maybe('scope', scope))).map(
    (group): Attention => ({
      type: 'parked',
      title: `${group.isAtLeast ? 'at least ' : ''}${group.count} ${group.count === 1 ? 'delivery' : 'deliveries'} of ${group.trigger.name}/${group.trigger.part} ${group.count === 1 ? 'waits' : 'wait'} for a person`,
      detail: group.message ?? group.reason ?? '',
      count: group.count,
      at: group.lastAt,
      fingerprint: group.fingerprint,
      query: `fingerprint:${group.fingerprint}`,
    }),
  )
  const failing = (
    await groupRuns(source, 'fingerprint', { query: 'status:failed,error age:<1d', ...maybe('scope', scope) })
  )
    .filter(({ count }) => count > 1)
    .slice(0, 10)
    .map(
      (group): Attention => ({
        type: 'failing',
        title: `${group.isAtLeast ? 'at least ' : ''}${group.count} runs failed in the same way`,
        detail: group.message ?? '',
        count: group.count,
        at: group.lastAt,
        fingerprint: group.key,
        query: `fingerprint:${group.key}`,
      }),
    )
  const gaps = scope ? [] : (await readGaps(source, 10)).filter(({ at }) => at > source.now - RECENT_MS)
  return [
    ...parked,
    ...(await conditionsToAttend(source, scope)),
    ...failing,
    ...gaps.map(
      (gap): Attention => ({
        type: 'gap',
        title: `${gap.dropped} records are missing`,
        detail: gap.why,
        count: gap.dropped,
        at: gap.at,
      }),
    ),
  ]
}

async function conditionsToAttend(source: Source, scope: Scope | undefined): Promise<Attention[]> {
  const allowed = within('c.scope', scope)
  const rows = await source.database.all<ConditionRow>(
    `SELECT c.* FROM conditions c JOIN objects b ON b.id = c.object
      WHERE b.is_deleted = 0 AND ${allowed.text} ORDER BY c.record DESC LIMIT 1000`,
    allowed.values,
  )
  const bad = rows.filter(({ condition, status }) => (ALARMS.test(condition) ? status === 'True' : status !== 'True'))
  const objects = new Map(
    (
      await source.byId<ObjectRow>(
        tables.OBJECTS,
        bad.map(({ object }) => object),
      )
    ).map(row => [row.id, row]),
  )
  return bad.flatMap(row => {
    const object = objects.get(row.object)
    if (!object) return []
    const reference = referenceOf(object)
    const title = `${reference.kind} ${reference.namespace === undefined ? '' : `${reference.namespace}/`}${reference.name}: ${row.reason}`
    return [
      {
        type: 'condition' as const,
        title,
        detail: row.message ?? `${row.condition} is ${row.status}`,
        count: 1,
        at: row.at,
        object: reference,
      },
    ]
  })
}

/** The newest places where records are missing. */
export async function readGaps(source: Source, limit: number): Promise<GapItem[]> {
  const rows = await source.database.all<RecordRow>(
    `SELECT * FROM records WHERE ${isOfRareKind('kind', 'gap')} ORDER BY id DESC LIMIT ${limit}`,
  )
  return (await source.records<GapItem & { v: 1; kind: 'gap' }>(rows)).map(({ v: _v, kind: _kind, ...gap }) => gap)
}
