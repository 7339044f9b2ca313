import type { EventItem, Node, Relatives, RunItem, Scope, Subject, WriteItem } from '../archive.ts'
import type { EventRow, ObjectRow, RecordRow, RunRow, WriteRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { and, sql } from '../query/sql.ts'
import { eventItems, visible } from './events.ts'
import { newestOf, objectRows } from './objects.ts'
import { runItems, runRow } from './runs.ts'
import { referenceOf, type Source, within } from './source.ts'
import { eventRowsOf, runsOf, togetherWith } from './together.ts'
import { causingWrite, effectRows } from './trace.ts'
import { writeItems } from './writes.ts'

const [USUAL_NODES, MOST_NODES] = [200, 2000]

type Found =
  | { type: 'event'; row: EventRow }
  | { type: 'run'; row: RunRow }
  | { type: 'write'; row: WriteRow }
  | { type: 'object'; row: ObjectRow }

const keyOf = ({ type, row }: Found): string => `${type}:${row.id}`

/** What led to it: an object's writes, a write's run and event, an event's write. */
export function ancestors(
  source: Source,
  of: Subject,
  options: { scope?: Scope; limit?: number } = {},
): Promise<Relatives> {
  return walk(
    source,
    of,
    options,
    async (found, scope) => {
      switch (found.type) {
        case 'object':
          return writesOf(source, found.row, scope)
        case 'write': {
          const runs = await visible(source, await source.byId<RunRow>(tables.RUNS, [found.row.run]), scope)
          return runs.length > 0 ? runs.map(row => ({ type: 'run', row })) : eventsOf(source, found.row.trace, scope)
        }
        case 'run': {
          const rows = await visible(source, await eventRowsOf(source, found.row), scope)
          return rows.map(row => ({ type: 'event', row }))
        }
        case 'event': {
          const write = await causingWrite(source, found.row, scope)
          return write ? [{ type: 'write', row: write }] : []
        }
      }
    },
    'up',
  )
}

/** What came of it: an event's runs and writes, a run's writes, a write's events, an object's events. */
export function descendants(
  source: Source,
  of: Subject,
  options: { scope?: Scope; limit?: number } = {},
): Promise<Relatives> {
  return walk(
    source,
    of,
    options,
    async (found, scope) => {
      switch (found.type) {
        case 'event': {
          const allowed = within('scope', scope)
          const mine = runsOf(found.row.trace, await togetherWith(source, found.row.trace))
          const runs = await source.database.all<RunRow>(
            `SELECT * FROM runs WHERE ${mine.text} AND ${allowed.text} ORDER BY id LIMIT 100`,
            [...mine.values, ...allowed.values],
          )
          const writes = await source.database.all<WriteRow>(
            `SELECT * FROM writes WHERE trace = ? AND run IS NULL AND ${allowed.text} ORDER BY id LIMIT 200`,
            [found.row.trace, ...allowed.values],
          )
          return [
            ...runs.map(row => ({ type: 'run' as const, row })),
            ...writes.map(row => ({ type: 'write' as const, row })),
          ]
        }
        case 'run': {
          const where = and([sql('run = ?', found.row.id), within('scope', scope)])
          const rows = await source.database.all<RecordRow>(
            `SELECT id FROM records WHERE ${where.text} AND kind = 7 ORDER BY id LIMIT 200`,
            where.values,
          )
          const writes = await source.byId<WriteRow>(
            tables.WRITES,
            rows.map(({ id }) => id),
          )
          return writes.map(row => ({ type: 'write', row }))
        }
        case 'write': {
          const objects = await visible(source, await source.byId<ObjectRow>(tables.OBJECTS, [found.row.object]), scope)
          const events = await effectRows(source, [found.row.id], scope)
          return [
            ...objects.map(row => ({ type: 'object' as const, row })),
            ...events.map(({ row }) => ({ type: 'event' as const, row })),
          ]
        }
        case 'object':
          return []
      }
    },
    'down',
  )
}

type Step = (found: Found, scope: Scope | undefined) => Promise<readonly Found[]>

/** Breadth first, so that what is near is not left out because something far has many relatives. */
async function walk(
  source: Source,
  of: Subject,
  { scope, limit = USUAL_NODES }: { scope?: Scope; limit?: number },
  step: Step,
  direction: 'up' | 'down',
): Promise<Relatives> {
  const most = Math.min(MOST_NODES, Math.max(1, limit))
  const start = await find(source, of, scope, direction)
  const known = new Map(start.map(found => [keyOf(found), found]))
  const links = new Map<string, { from: string; to: string }>()
  const queue = [...start]
  let isCut = false
  for (let found = queue.shift(); found; found = queue.shift()) {
    for (const next of await step(found, scope)) {
      const key = keyOf(next)
      if (!known.has(key)) {
        if (known.size >= most) {
          isCut = true
          continue
        }
        known.set(key, next)
        queue.push(next)
      }
      const [from, to] = direction === 'up' ? [key, keyOf(found)] : [keyOf(found), key]
      links.set(`${from} ${to}`, { from, to })
    }
  }
  return { nodes: await nodesOf(source, [...known.values()]), links: [...links.values()], isCut }
}

async function find(source: Source, of: Subject, scope: Scope | undefined, direction: 'up' | 'down'): Promise<Found[]> {
  if ('event' in of) return eventsOf(source, (await source.traceId(of.event)) ?? null, scope)
  if ('run' in of) {
    const row = await runRow(source, { uid: of.run }, scope)
    return row ? [{ type: 'run', row }] : []
  }
  const rows = await objectRows(source, of.object, scope)
  if (direction === 'up') return rows.map(row => ({ type: 'object', row }))
  // What came of an object are the newest events about it.
  const events = await newestOf<EventRow>(source, 'events', rows, 20)
  return events.map(row => ({ type: 'event', row }))
}

async function eventsOf(source: Source, trace: number | null, scope: Scope | undefined): Promise<Found[]> {
  const rows = await visible(source, await source.byId<EventRow>(tables.EVENTS, [trace], 'trace'), scope)
  return rows.map(row => ({ type: 'event', row }))
}

async function writesOf(source: Source, object: ObjectRow, scope: Scope | undefined): Promise<Found[]> {
  const condition = and([sql("outcome <> 'unchanged'"), within('scope', scope)])
  const rows = await newestOf<WriteRow>(source, 'writes', [object], 20, condition)
  return rows.map(row => ({ type: 'write', row }))
}

async function nodesOf(source: Source, found: readonly Found[]): Promise<Node[]> {
  const rowsOf = <T extends Found['type']>(type: T) =>
    found
      .filter((one): one is Extract<Found, { type: T }> => one.type === type)
      .map(one => one.row as Extract<Found, { type: T }>['row'])
  const events = new Map<number, EventItem>()
  const eventRows = rowsOf('event')
  for (const [i, item] of (await eventItems(source, eventRows)).entries()) events.set(eventRows[i]?.id ?? 0, item)
  const runs = new Map<number, RunItem>()
  const runRows = rowsOf('run')
  for (const [i, item] of (await runItems(source, runRows)).entries()) runs.set(runRows[i]?.id ?? 0, item)
  const recordRows = await source.byId<RecordRow>(
    tables.RECORDS,
    rowsOf('write').map(({ id }) => id),
  )
  const writes = new Map<number, WriteItem>((await writeItems(source, recordRows)).map(item => [item.id, item]))
  return found.flatMap((one): Node[] => {
    const id = keyOf(one)
    if (one.type === 'object') return [{ type: 'object', id, at: one.row.last_at, object: referenceOf(one.row) }]
    const [event, run, write] = [events.get(one.row.id), runs.get(one.row.id), writes.get(one.row.id)]
    if (one.type === 'event' && event) return [{ type: 'event', id, at: one.row.at, event }]
    if (one.type === 'run' && run) return [{ type: 'run', id, at: one.row.at, run }]
    return one.type === 'write' && write ? [{ type: 'write', id, at: one.row.at, write }] : []
  })
}
