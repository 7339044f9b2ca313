import type { Page, Row } from '@tiphys/archive'
import { describe, expect, it, vi } from 'vitest'
import { type Query, RequestFailure } from '../request.ts'
import { ListStore } from './list-store.ts'

interface Item {
  id: number
}

/** A server with rows 0, 1, 2 …, newest first, that leaves out and looks at only so many at once. */
function serverOf(
  count: number,
  { mostSkipped = 1000, mostScanned = 1e9, isMatch = (id: number): boolean => id >= 0 } = {},
) {
  const asked: Query[] = []
  const read = async (query: Query): Promise<Page<Item>> => {
    asked.push(query)
    const {
      after,
      skip = 0,
      limit = 50,
      order,
    } = query as { after?: string; skip?: number; limit?: number; order?: string }
    const all = Array.from({ length: count }, (_, id) => id)
    if (order === 'oldest') all.reverse()
    const from = after === undefined ? 0 : all.indexOf(Number(after)) + 1
    const seen = all.slice(from, from + mostScanned)
    const found = seen.filter(isMatch)
    const total = { count: mostScanned < 1e9 ? 0 : all.filter(isMatch).length, exact: mostScanned >= 1e9 }
    if (skip > mostSkipped) return { items: [], next: String(found[mostSkipped - 1]), skipped: mostSkipped, total }
    const rows = found.slice(skip, skip + limit)
    const isFull = found.length > skip + limit
    const isPartial = !isFull && from + mostScanned < count
    const next = isFull ? rows.at(-1) : isPartial ? seen.at(-1) : undefined
    return {
      items: rows.map((id): Row<Item> => ({ id, cursor: String(id) })),
      total,
      ...(next === undefined ? {} : { next: String(next) }),
      ...(isPartial ? { partial: { scanned: mostScanned, backTo: 0 } } : {}),
    }
  }
  const store = new ListStore<Item>({ path: '/x', query: {}, keyOf: ({ id }) => String(id), timeOf: () => 0, read })
  return { store, asked }
}

const ready = (store: ListStore<Item>) => vi.waitFor(() => expect(store.state).toBe('ready'))

describe('a list', () => {
  it('goes on behind the nearest row that it knows, and in several steps where that is far', async () => {
    const { store, asked } = serverOf(10_000)
    await ready(store)
    store.ensure(200, 210)
    await vi.waitFor(() => expect(store.at(205)?.id).toBe(205))
    expect(asked.at(-1)).toMatchObject({ after: '199', skip: 0 })
    store.ensure(4000, 4010)
    await vi.waitFor(() => expect(store.at(4005)?.id).toBe(4005))
    expect(asked.slice(-4).map(({ after, skip }) => [after, skip])).toEqual([
      ['399', 3600],
      ['1399', 2600],
      ['2399', 1600],
      ['3399', 600],
    ])
    store.ensure(9990, 9999)
    await vi.waitFor(() => expect(store.at(9999)?.id).toBe(9999))
    expect(asked.at(-1)).toMatchObject({ order: 'oldest', skip: 0, limit: 200 })
    store.close()
  })

  it('that was opened while the server was away is read as soon as it is back', async () => {
    vi.useFakeTimers()
    try {
      let isAway = true
      const read = async (): Promise<Page<Item>> => {
        if (isAway) throw new RequestFailure(0, {})
        return { items: [{ id: 1, cursor: '1' }], total: { count: 1, exact: true } }
      }
      const options = { path: '/x', query: {}, keyOf: ({ id }: Item) => String(id), timeOf: () => 0, read }
      const store = new ListStore<Item>(options)
      await vi.advanceTimersByTimeAsync(5000)
      expect(store.state).toBe('failed')
      isAway = false
      await vi.advanceTimersByTimeAsync(1000)
      expect([store.state, store.total]).toEqual(['ready', 1])
      store.close()
    } finally {
      vi.useRealTimers()
    }
  })

  it('says how far a search has come, and goes on when it is told to until it finds something', async () => {
    const { store, asked } = serverOf(1000, { mostScanned: 100, isMatch: id => id === 3 || id >= 780 })
    await ready(store)
    expect([store.total, store.isExact, store.partial?.scanned]).toEqual([1, false, 100])
    await store.lookFurther()
    expect(asked).toHaveLength(8)
    expect([store.total, store.at(1)?.id, store.partial?.scanned]).toEqual([21, 780, 100])
    await store.lookFurther()
    await store.lookFurther()
    expect([store.total, store.isExact, store.partial]).toEqual([221, true, undefined])
    expect(Array.from({ length: 221 }, (_, i) => store.at(i)?.id)).toEqual([
      3,
      ...Array.from({ length: 220 }, (_, i) => 780 + i),
    ])
    expect(store.indexOf('999')).toBe(220)
    store.close()
  })
})
