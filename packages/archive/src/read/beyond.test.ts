import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventRow } from '../database/rows.ts'
import { openSqlite } from '../database/sqlite.ts'
import { compile } from '../query/compile.ts'
import { sql } from '../query/sql.ts'
import { recordStream } from '../testing/record-stream.ts'
import { type ArchiveScene, openScene } from '../testing/scene.ts'
import { readBeyond } from './beyond.ts'
import { type ListPlan, readRows } from './list.ts'
import { Source } from './source.ts'

let scene: ArchiveScene
let source: Source
beforeAll(async () => {
  scene = await openScene()
  await scene.add(recordStream({ seed: 21, events: 400 }))
  const database = openSqlite({ file: join(scene.folder, 'archive.db'), isReadOnly: true })
  source = new Source(database, () => 0)
})
afterAll(async () => {
  await source.database.close()
  await scene.close()
})

const numberOf = (row: EventRow) => row.id

/** All that a filter finds when it looks at a few rows at a time, and how often it stopped before it had found enough. */
async function walk(query: string, isDescending: boolean): Promise<{ ids: number[]; stops: number }> {
  const { conditions } = compile('events', { query }, source.context)
  const plan = { from: 'events e', number: 'e.id', conditions, isFiltered: true, mostScanned: 30 }
  const ids: number[] = []
  let stops = 0
  let last: number | undefined
  for (;;) {
    const bounds = last === undefined ? [] : [sql(`e.id ${isDescending ? '<' : '>'} ?`, last)]
    const { rows, end } = await readBeyond<EventRow>(source, plan, bounds, isDescending, 5, numberOf)
    ids.push(...rows.map(numberOf))
    if (end) {
      stops++
      expect(end).toMatchObject({ scanned: 30, backTo: expect.any(Number) })
    }
    last = end?.number ?? (rows.length === 5 ? ids.at(-1) : undefined)
    if (last === undefined) return { ids, stops }
  }
}

async function all(query: string): Promise<number[]> {
  const { conditions } = compile('events', { query }, source.context)
  const rows = await source.database.all<EventRow>(
    `SELECT e.* FROM events e WHERE ${conditions.map(({ text }) => `(${text})`).join(' AND ')} ORDER BY e.id DESC`,
    conditions.flatMap(({ values }) => [...values]),
  )
  return rows.map(numberOf)
}

it.each([['runs:>0 type:UPDATE'], ['kind:Deployment -status:ran'], ['key:Memcached/shop/cache-3']])(
  'finds all of %s a few rows at a time, in both directions, and says where it stopped',
  async query => {
    const expected = await all(query)
    expect(expected.length).toBeGreaterThan(0)
    const [down, up] = [await walk(query, true), await walk(query, false)]
    expect(down.ids).toEqual(expected)
    expect(up.ids).toEqual(expected.toReversed())
    expect(down.stops).toBeGreaterThan(0)
  },
)

it.each([
  ['status:failed,parked'],
  ['source:memcached'],
  ['object:Memcached/shop/cache-3'],
  ['ns:shop status:filtered'],
  ['object:Memcached/shop/cache-3 type:UPDATE'],
])('follows an index for %s, however few rows may be scanned', async query => {
  const expected = await all(query)
  expect(expected.length).toBeGreaterThan(0)
  expect(await walk(query, true)).toEqual({ ids: expected, stops: 0 })
})

it('reads the rows of many values together, when they are few', async () => {
  const rows = await source.database.all<{ trace: string }>(
    'SELECT t.trace FROM events e JOIN traces t ON t.id = e.trace ORDER BY e.id',
  )
  const ids = rows.map(({ trace }) => trace).filter((_, i) => i % 4 === 0)
  expect(ids).toHaveLength(100)
  for (const query of [`id:${ids.join(',')}`, `id:${ids.join(',')} type:UPDATE`, `id:${ids.join(',')},nobody*`]) {
    const expected = await all(query)
    expect(expected.length).toBeGreaterThan(10)
    expect(await walk(query, true)).toEqual({ ids: expected, stops: 0 })
    expect(await walk(query, false)).toEqual({ ids: expected.toReversed(), stops: 0 })
  }
})

it('knows at once that there is nothing of a name that never was', async () => {
  expect(await walk('source:nowhere type:UPDATE', true)).toEqual({ ids: [], stops: 0 })
  expect(await walk('run:nowhere', true)).toEqual({ ids: [], stops: 0 })
})

describe('one page after the other', () => {
  const plan = (query: string, more: Partial<ListPlan> = {}): ListPlan => {
    const { conditions } = compile('events', { query }, source.context)
    return { from: 'events e', number: 'e.id', conditions, isFiltered: conditions.length > 0, ...more }
  }

  /** All pages, as they are asked for one after the other. */
  async function pages(of: () => ListPlan, order: 'newest' | 'oldest', limit = 7): Promise<number[]> {
    const found: number[] = []
    for (let after: string | undefined; ; ) {
      const page = { order, limit, ...(after === undefined ? {} : { after }) }
      const { rows, next, partial } = await readRows<EventRow>(source, of(), page, numberOf)
      expect(partial).toBeUndefined()
      found.push(...rows.map(numberOf))
      if (next === undefined) return found
      after = next
    }
  }

  it.each([
    ['since and until', (at: (share: number) => string) => `since:${at(0.4)} until:${at(0.6)}`],
    ['until alone', (at: (share: number) => string) => `until:${at(0.3)}`],
    ['until and another', (at: (share: number) => string) => `until:${at(0.6)} type:UPDATE`],
    ['since and another', (at: (share: number) => string) => `since:${at(0.8)} type:UPDATE`],
  ])('finds what is of a time where it is (%s), without looking at what is newer', async (_, queryOf) => {
    const ends = await source.one<{ first: number; last: number }>(
      'SELECT min(at) AS first, max(at) AS last FROM events',
      [],
    )
    const { first = 0, last = 0 } = ends ?? {}
    const query = queryOf(share => new Date(first + (last - first) * share).toISOString())
    const [ids, expected] = [await all('runs:>=0'), await all(query)]
    expect([expected.length > 10, expected.length < ids.length]).toEqual([true, true])
    const whole = () => plan(query, { window: 20, mostScanned: ids.length, isTimeIndexed: true })
    expect(await pages(whole, 'newest')).toEqual(expected)
    expect(await pages(whole, 'oldest')).toEqual(expected.toReversed())
    // From the newest row on, so few rows would not reach it.
    const short = plan(query, { window: 20, mostScanned: 60, isTimeIndexed: true })
    const { rows } = await readRows<EventRow>(source, short, { limit: 5 }, numberOf)
    expect(rows.map(numberOf)).toEqual(expected.slice(0, 5))
  })

  it('finds what is new also when something old was brought from elsewhere after it', async () => {
    const old = await openScene()
    const event = (trace: string, at: number) =>
      ({
        kind: 'event',
        trace,
        at,
        source: { namespace: 'a', name: 'b', part: 'c' },
        type: 'webhook',
        body: {},
      }) as const
    const now = Date.UTC(2026, 5, 1)
    const days = (count: number) => now - count * 86_400_000
    await old.record(...Array.from({ length: 40 }, (_, i) => event(`new-${i}`, days(1) + i * 1000)))
    await old.record(...Array.from({ length: 40 }, (_, i) => event(`old-${i}`, days(90) + i * 1000)))
    const database = openSqlite({ file: join(old.folder, 'archive.db'), isReadOnly: true })
    const other = new Source(database, () => now)
    const found = async (query: string) => {
      const { conditions } = compile('events', { query }, other.context)
      const wanted: ListPlan = {
        from: 'events e',
        number: 'e.id',
        conditions,
        isFiltered: true,
        isTimeIndexed: true,
        // What was brought is looked for among the newest.
        window: 60,
      }
      const { rows } = await readRows<EventRow>(other, wanted, { limit: 100 }, numberOf)
      return rows.map(row => (row.at < days(30) ? 'old' : 'new'))
    }
    expect(await found('age:<2d type:webhook')).toEqual(Array(40).fill('new'))
    expect(await found('age:<2d')).toEqual(Array(40).fill('new'))
    expect(await found('age:>30d type:webhook')).toEqual(Array(40).fill('old'))
    await database.close()
    await old.close()
  })

  it.each(['', 'status:ran', 'runs:>0 type:UPDATE', 'kind:Deployment,Memcached', 'until:2100-01-01'])(
    'leaves out no more rows than it may in one call (%s), and says how many are left',
    async query => {
      const expected = await all(query === '' ? 'runs:>=0' : query)
      const short = plan(query, { window: 20, mostScanned: 30, mostSkipped: 9 })
      let [after, skip, calls] = [undefined as string | undefined, 25, 0]
      for (;;) {
        const page = { limit: 4, skip, ...(after === undefined ? {} : { after }) }
        const { rows, next, skipped } = await readRows<EventRow>(source, short, page, numberOf)
        calls++
        if (rows.length > 0) {
          const from = expected.indexOf(numberOf(rows[0] as EventRow))
          expect([from, rows.map(numberOf)]).toEqual([25, expected.slice(25, 25 + rows.length)])
          break
        }
        expect([skipped === undefined ? skip : 0, (skipped ?? 0) <= 9, next]).toEqual([0, true, expect.any(String)])
        after = next
        skip -= skipped ?? 0
      }
      expect(calls).toBeGreaterThan(2)
    },
  )
})
