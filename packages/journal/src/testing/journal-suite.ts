import { seededRandom } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry, Journal, JournalRecord } from '../journal.ts'

/** A place where a journal lives, for one test. */
export interface JournalHost {
  /** Opens the journal of this place; not before the one opened last is closed. */
  open(): Promise<Journal>
  dispose(): Promise<void>
}

/** What every journal must do, whatever it is stored on. */
export function journalSuite(name: string, makeHost: () => Promise<JournalHost>): void {
  describe(`a journal on ${name}`, () => {
    let host: JournalHost
    let journal: Journal

    beforeEach(async () => {
      host = await makeHost()
      journal = await host.open()
    })

    afterEach(async () => {
      await journal.close()
      await host.dispose()
    })

    const reopen = async () => {
      await journal.close()
      journal = await host.open()
    }
    const appendAll = (records: JournalRecord[]) => Promise.all(records.map(record => journal.append(record)))
    const texts = async (from = 1) => (await collect(journal.read(from))).map(({ data }) => data.toString())

    it('is empty at first', async () => {
      expect([journal.head, journal.horizon, await texts()]).toEqual([0, 1, []])
    })

    it('numbers records from 1 in the order of the calls', async () => {
      expect(await appendAll([{ data: 'a' }, { data: 'b' }, { data: 'c' }])).toEqual([1, 2, 3])
      expect(await journal.append({ data: 'd' })).toBe(4)
      expect([journal.head, await texts()]).toEqual([4, ['a', 'b', 'c', 'd']])
    })

    it('gives back keys, bytes, text and ends of keys as they were appended', async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
      await appendAll([
        { key: 'näme/✓', data: bytes },
        { data: 'grüße 🌊' },
        { key: '', data: '' },
        { key: 'näme/✓', data: 'last words', deleted: true },
      ])
      expect(await collect(journal.read(1))).toEqual([
        { position: 1, key: 'näme/✓', data: Buffer.from(bytes), deleted: false },
        { position: 2, key: undefined, data: Buffer.from('grüße 🌊'), deleted: false },
        { position: 3, key: '', data: Buffer.alloc(0), deleted: false },
        { position: 4, key: 'näme/✓', data: Buffer.from('last words'), deleted: true },
      ])
    })

    it('keeps everything over a restart and goes on counting', async () => {
      await appendAll([{ data: 'a' }, { data: 'b' }])
      await reopen()
      expect([journal.head, await journal.append({ data: 'c' }), await texts()]).toEqual([2, 3, ['a', 'b', 'c']])
      await reopen()
      expect(await texts()).toEqual(['a', 'b', 'c'])
    })

    it('reads from any position, and nothing past the head', async () => {
      await appendAll(numbered(1, 500))
      expect(await texts(1)).toEqual(numbered(1, 500).map(({ data }) => data))
      expect(await texts(437)).toEqual(numbered(437, 500).map(({ data }) => data))
      expect([await texts(500), await texts(501), await texts(900)]).toEqual([['record 500'], [], []])
    })

    it('does not read what is appended after the reading began', async () => {
      await appendAll(numbered(1, 3))
      const reading = journal.read(1)[Symbol.asyncIterator]()
      const first = await reading.next()
      await appendAll(numbered(4, 6))
      const rest = [await reading.next(), await reading.next(), await reading.next()]
      expect([first, ...rest].map(({ done, value }) => (done ? 'end' : value.position))).toEqual([1, 2, 3, 'end'])
    })

    it('stores a record of several megabytes', async () => {
      const large = Buffer.alloc(5_000_000, 'tiphys')
      await appendAll([{ data: 'before' }, { key: 'large', data: large }, { data: 'after' }])
      await reopen()
      const [before, stored, after] = await collect(journal.read(1))
      expect([before?.data.toString(), stored?.data.equals(large), after?.data.toString()]).toEqual([
        'before',
        true,
        'after',
      ])
    })

    it('stores what was there at the time of the call', async () => {
      const data = Buffer.from('before')
      const appended = journal.append({ data })
      data.write('after!')
      await appended
      await reopen()
      expect(await texts()).toEqual(['before'])
    })

    it('follows what is there and what is yet to come, each record once and in order', async () => {
      await appendAll(numbered(1, 20))
      const stop = new AbortController()
      const seen: number[] = []
      const following = (async () => {
        for await (const { position } of journal.follow(5, stop.signal)) {
          seen.push(position)
          if (position === 120) stop.abort()
        }
      })()
      for (let first = 21; first <= 120; first += 10) await appendAll(numbered(first, first + 9))
      await following
      expect(seen).toEqual(Array.from({ length: 116 }, (_, i) => i + 5))
    })

    it('stops following when told to, also while it waits', async () => {
      const stop = new AbortController()
      const following = collect(journal.follow(1, stop.signal))
      await journal.append({ data: 'a' })
      stop.abort()
      expect((await following).length).toBeLessThanOrEqual(1)
    })

    it('ends the following of a journal that is closed', async () => {
      const following = collect(journal.follow(1, new AbortController().signal))
      await journal.append({ data: 'a' })
      await journal.close()
      expect((await following).map(({ position }) => position)).toEqual([1])
    })

    it('rejects what is appended after closing', async () => {
      await journal.close()
      await expect(journal.append({ data: 'late' })).rejects.toMatchObject({ code: 'journal-closed' })
      await expect(journal.compact({ before: 1 })).rejects.toMatchObject({ code: 'journal-closed' })
    })

    it('stores what was appended just before closing', async () => {
      const last = appendAll(numbered(1, 10))
      await journal.close()
      expect(await last).toHaveLength(10)
      journal = await host.open()
      expect(journal.head).toBe(10)
    })

    describe('compacted', () => {
      const history: JournalRecord[] = [
        { key: 'a', data: 'a1' },
        { data: 'plain 2' },
        { key: 'b', data: 'b3' },
        { key: 'a', data: 'a4' },
        { key: 'c', data: 'c5' },
        { key: 'b', data: 'b6', deleted: true },
        { data: 'plain 7' },
        { key: 'a', data: 'a8' },
        { key: 'c', data: 'c9', deleted: true },
      ]

      it('keeps the last record of every key before the horizon and everything after it', async () => {
        await appendAll(history)
        expect(await journal.compact({ before: 7 })).toEqual({ kept: 2, dropped: 4 })
        const left = ['a4', 'c5', 'plain 7', 'a8', 'c9']
        expect([journal.horizon, journal.head, await texts()]).toEqual([7, 9, left])
        await reopen()
        expect([journal.horizon, journal.head, await texts()]).toEqual([7, 9, left])
      })

      it('keeps the positions of what is left and goes on counting', async () => {
        await appendAll(history)
        await journal.compact({ before: 7 })
        expect(await journal.append({ data: 'next' })).toBe(10)
        expect((await collect(journal.read(1))).map(({ position }) => position)).toEqual([4, 5, 7, 8, 9, 10])
        expect((await collect(journal.read(5))).map(({ position }) => position)).toEqual([5, 7, 8, 9, 10])
      })

      it('can lose all of its records and still knows its head', async () => {
        await appendAll([{ data: 'a' }, { data: 'b' }])
        await journal.compact({ before: 3 })
        await reopen()
        expect([journal.head, journal.horizon, await texts(), await journal.append({ data: 'c' })]).toEqual([
          2,
          3,
          [],
          3,
        ])
      })

      it('moves its horizon forward only', async () => {
        await appendAll(history)
        await journal.compact({ before: 7 })
        expect(await journal.compact({ before: 3 })).toEqual({ kept: 0, dropped: 0 })
        expect(journal.horizon).toBe(7)
        expect(await journal.compact({ before: 100 })).toEqual({ kept: 1, dropped: 4 })
        expect([journal.horizon, await texts()]).toEqual([10, ['a8']])
      })

      it('drops and keeps large records like small ones', async () => {
        const large = Buffer.alloc(2_500_000, 'tiphys')
        await appendAll([
          { key: 'a', data: large },
          { key: 'b', data: large },
          { key: 'a', data: 'a3' },
        ])
        expect(await journal.compact({ before: 4 })).toEqual({ kept: 2, dropped: 1 })
        await reopen()
        const left = await collect(journal.read(1))
        expect(left.map(({ position }) => position)).toEqual([2, 3])
        expect(left[0]?.data.equals(large)).toBe(true)
      })

      it('holds what a simple model holds, after any appends, compactions and restarts', async () => {
        const random = seededRandom(11)
        const below = (limit: number) => Math.floor(random.next() * limit)
        const appended: JournalRecord[] = []
        let horizon = 1
        for (let step = 0; step < 60; step++) {
          const batch = Array.from({ length: below(6) }, (): JournalRecord => {
            const data = `record ${random.next()}`
            return random.next() < 0.2 ? { data } : { key: `key ${below(5)}`, data, deleted: random.next() < 0.2 }
          })
          await appendAll(batch)
          appended.push(...batch)
          if (random.next() < 0.3) {
            const before = below(appended.length + 3)
            horizon = Math.max(horizon, Math.min(before, appended.length + 1))
            await journal.compact({ before })
          }
          if (random.next() < 0.2) await reopen()
          const found = (await collect(journal.read(1))).map(({ position, data }) => [position, data.toString()])
          expect([journal.head, journal.horizon, found]).toEqual([
            appended.length,
            horizon,
            whatIsLeft(appended, horizon),
          ])
        }
      })

      it('again and again while records are appended and read, loses and repeats nothing', async () => {
        const keys = 7
        const stop = new AbortController()
        const seen: number[] = []
        const following = (async () => {
          for await (const { position } of journal.follow(1, stop.signal)) {
            seen.push(position)
            if (position === 600) stop.abort()
          }
        })()
        for (let first = 1; first <= 600; first += 20) {
          const appended = appendAll(
            numbered(first, first + 19).map((record, i) => ({ ...record, key: `key ${(first + i) % keys}` })),
          )
          if (first % 100 === 1) await Promise.all([appended, journal.compact({ before: first - 30 })])
          await appended
        }
        await following
        expect(seen.every((position, i) => i === 0 || position > (seen[i - 1] as number))).toBe(true)
        await journal.compact({ before: 601 })
        expect((await collect(journal.read(1))).map(({ position }) => position)).toEqual(
          Array.from({ length: keys }, (_, i) => 600 - keys + 1 + i),
        )
      })
    })
  })
}

/** The positions and texts of a journal that was compacted up to a horizon. */
function whatIsLeft(appended: JournalRecord[], horizon: number): [number, string][] {
  const lastOfKey = new Map(appended.slice(0, horizon - 1).map(({ key }, i) => [key, i]))
  return appended.flatMap(({ key, data, deleted }, i): [number, string][] => {
    const isGone = i + 1 < horizon && (key === undefined || deleted || lastOfKey.get(key) !== i)
    return isGone ? [] : [[i + 1, String(data)]]
  })
}

function numbered(from: number, to: number): { data: string }[] {
  return Array.from({ length: to - from + 1 }, (_, i) => ({ data: `record ${from + i}` }))
}

async function collect(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}
