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

it('knows at once that there is nothing of a name that never was', async () => {
  expect(await walk('source:nowhere type:UPDATE', true)).toEqual({ ids: [], stops: 0 })
  expect(await walk('run:nowhere', true)).toEqual({ ids: [], stops: 0 })
})

describe('one page after the other', () => {
  const plan = (query: string, more: Partial<ListPlan> = {}): ListPlan => {
    const { conditions } = compile('events', { query }, source.context)
    return { from: 'events e', number: 'e.id', conditions, isFiltered: conditions.length > 0, ...more }
  }

  it('finds what is of a time where it is, without looking at what is newer or older', async () => {
    const ids = await all('runs:>=0')
    const [least] = await source.database.all<{ at: number }>('SELECT min(at) AS at FROM events')
    const time = (share: number) => new Date((least?.at ?? 0) + share).toISOString()
    const [newest] = await source.database.all<{ at: number }>('SELECT max(at) AS at FROM events')
    const length = (newest?.at ?? 0) - (least?.at ?? 0)
    const query = `since:${time(length * 0.4)} until:${time(length * 0.6)}`
    const expected = await all(query)
    expect([expected.length > 40, expected[0] !== ids[0], expected.at(-1) !== ids.at(-1)]).toEqual([true, true, true])
    for (const order of ['newest', 'oldest'] as const) {
      const found: number[] = []
      for (let after: string | undefined; ; ) {
        const tried = plan(query, { window: 20, mostScanned: ids.length })
        const page = { order, limit: 7, ...(after === undefined ? {} : { after }) }
        const { rows, next, partial } = await readRows<EventRow>(source, tried, page, numberOf)
        expect(partial).toBeUndefined()
        found.push(...rows.map(numberOf))
        after = next
        if (after === undefined) break
      }
      expect(found).toEqual(order === 'newest' ? expected : expected.toReversed())
    }
    // Looked at from the newest row on, so few rows would not reach it.
    const first = await readRows<EventRow>(source, plan(query, { window: 20, mostScanned: 60 }), { limit: 5 }, numberOf)
    expect(first.rows.map(numberOf)).toEqual(expected.slice(0, 5))
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
