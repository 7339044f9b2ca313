import type { HealthRecord } from '@tiphys/journal/records'
import type { FollowBatch, FollowTopic, Selection } from '../archive.ts'
import type { AuditRow, EventRow, RecordRow, RunRow } from '../database/rows.ts'
import { compile } from '../query/compile.ts'
import { and, type Sql, sql } from '../query/sql.ts'
import { eventItems } from './events.ts'
import { auditItems, ofHealth } from './health.ts'
import { judge } from './judged.ts'
import { runItems } from './runs.ts'
import { type Source, within } from './source.ts'

const MOST_ITEMS = 500
/** Whoever is so far behind reads the list anew. */
const FARTHEST_BEHIND = 20_000

export type Topics = readonly { topic: FollowTopic; selection?: Selection }[]

export async function lastRecord(source: Source): Promise<number> {
  const [row] = await source.database.all<{ last: number | null }>('SELECT max(id) AS last FROM records')
  return row?.last ?? 0
}

/** What was added or changed after a record, up to the newest; the next call goes on at the batch's cursor. */
export async function readChanges(source: Source, topics: Topics, after: number): Promise<FollowBatch> {
  const last = await lastRecord(source)
  const from = Math.max(after, last - FARTHEST_BEHIND)
  let upTo = last
  const found: Changed[] = []
  for (const { topic, selection = {} } of topics) {
    const rows = await READ[topic](source, selection, from)
    // When one topic has more than fits, the batch ends where that one does.
    if (rows.numbers.length >= MOST_ITEMS) upTo = Math.min(upTo, rows.numbers.at(-1) as number)
    found.push(rows)
  }
  const items: FollowBatch['items'][number][] = []
  for (const rows of found) items.push(...(await rows.items(number => number <= upTo)))
  return { items, cursor: String(Math.max(upTo, after)), isCut: from > after }
}

interface Changed {
  numbers: number[]
  items(isWanted: (number: number) => boolean): Promise<FollowBatch['items']>
}

type ReadTopic = (source: Source, selection: Selection, from: number) => Promise<Changed>

const READ: Readonly<Record<FollowTopic, ReadTopic>> = {
  async events(source, selection, from) {
    const { conditions, words, payload } = compile('events', selection, source.context)
    const rows = await rowsOf<EventRow>(source, 'events e', 'e.changed', conditions, from)
    return {
      numbers: rows.map(({ changed }) => changed),
      async items(isWanted) {
        const wanted = await judge(
          source,
          words,
          rows.filter(({ changed }) => isWanted(changed)),
        )
        const payloadOf = payload.length > 0 ? await source.payloads(wanted) : () => undefined
        const shown = wanted.filter(({ id }) => payload.every(filter => filter(payloadOf(id))))
        return (await eventItems(source, shown)).map(item => ({ type: 'event' as const, item }))
      },
    }
  },
  async runs(source, selection, from) {
    const { conditions, words } = compile('runs', selection, source.context)
    const rows = await rowsOf<RunRow>(source, 'runs r', 'r.changed', conditions, from)
    return {
      numbers: rows.map(({ changed }) => changed),
      async items(isWanted) {
        const wanted = await judge(
          source,
          words,
          rows.filter(({ changed }) => isWanted(changed)),
        )
        return (await runItems(source, wanted)).map(item => ({ type: 'run' as const, item }))
      },
    }
  },
  async health(source, selection, from) {
    const conditions = [within('t.scope', selection.scope), ...(await ofHealth(source, selection))]
    const rows = await rowsOf<RecordRow>(source, 'records t', 't.id', conditions, from)
    return {
      numbers: rows.map(({ id }) => id),
      async items(isWanted) {
        const wanted = rows.filter(({ id }) => isWanted(id))
        const records = await source.records<HealthRecord>(wanted)
        return records.map(({ v: _v, kind: _kind, ...item }, i) => ({
          type: 'health' as const,
          item: { ...item, cursor: String(wanted[i]?.id) },
        }))
      },
    }
  },
  async audit(source, selection, from) {
    const { conditions, words } = compile('audit', selection, source.context)
    const rows = await rowsOf<AuditRow>(source, 'audits a', 'a.id', conditions, from)
    return {
      numbers: rows.map(({ id }) => id),
      async items(isWanted) {
        const wanted = await judge(
          source,
          words,
          rows.filter(({ id }) => isWanted(id)),
        )
        return (await auditItems(source, wanted)).map(item => ({ type: 'audit' as const, item }))
      },
    }
  },
}

function rowsOf<R extends object>(
  source: Source,
  from: string,
  number: string,
  conditions: readonly Sql[],
  after: number,
): Promise<R[]> {
  const where = and([sql(`${number} > ?`, after), ...conditions])
  return source.database.all<R>(
    `SELECT * FROM ${from} WHERE ${where.text} ORDER BY ${number} LIMIT ${MOST_ITEMS}`,
    where.values,
  )
}
