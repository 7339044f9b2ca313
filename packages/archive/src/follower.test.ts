import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RetryableFailure, systemEnv, VirtualClock } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { encodeRecord, type TraceRecord } from '@tiphys/journal/records'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Follower } from './follower.ts'
import type { Batch } from './ingest/ingest.ts'
import { openArchive } from './open.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'tiphys-follower-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const source = { namespace: 'default', name: 'web', part: 'hook' }
const event = (trace: string): TraceRecord => ({ v: 1, at: 5, kind: 'event', trace, source, type: 'webhook' })
const journalIn = (name: string) => openFileJournal({ directory: join(folder, name), env: systemEnv })
const open = (journal: Awaited<ReturnType<typeof journalIn>>) =>
  openArchive({ env: systemEnv, database: { file: join(folder, 'archive.db') }, journal })

/** A database that does as it is told. */
class Database {
  readonly stored: Batch[] = []
  isAway = false
  /** What becomes of the next attempt. */
  next: Promise<void> | undefined
  refuses: (batch: Batch) => Error | undefined = () => undefined
  attempts = 0

  async position() {
    const last = this.stored.findLast(({ position }) => position)?.position
    return last ?? { journal: 0, sum: 0 }
  }

  async store(batch: Batch) {
    this.attempts++
    const { next } = this
    this.next = undefined
    await next
    if (batch.after !== undefined && batch.after !== (await this.position()).journal)
      throw new RetryableFailure('archive-away', { what: 'what comes before it is missing' })
    if (this.isAway) throw new RetryableFailure('archive-away', { what: 'the cable is out' })
    const error = this.refuses(batch)
    if (error) throw error
    this.stored.push(batch)
    return { stored: batch.records.length, last: this.stored.length }
  }

  get traces(): string[] {
    return this.stored
      .flatMap(({ records }) => records.map(({ text }) => JSON.parse(Buffer.from(text).toString())))
      .map(({ trace, kind }) => trace || kind)
  }
}

describe('a follower', () => {
  it('waits while the database is away, says so, and loses nothing', async () => {
    const clock = new VirtualClock(0)
    const journal = await journalIn('records')
    const database = new Database()
    database.isAway = true
    const follower = new Follower({
      env: { ...systemEnv, clock },
      journal,
      logs: undefined,
      backend: database,
      onStored: () => {},
    })
    follower.start()
    for (let i = 1; i <= 5; i++) await journal.append({ data: encodeRecord(event(`e${i}`)) })
    while (database.attempts < 4) await clock.advance(100)
    expect(follower.status).toMatchObject({
      state: 'waiting',
      lag: 5,
      problem: expect.stringContaining('the cable is out'),
    })
    expect(follower.status.lagMs).toBeGreaterThan(0)
    database.isAway = false
    const caughtUp = follower.caughtUp()
    await clock.advance(60_000)
    await caughtUp
    expect(database.traces).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    expect(follower.status).toMatchObject({ state: 'following', lag: 0, lagMs: 0, position: 5 })
    await follower.stop()
    await journal.close()
  })

  it('stores what it gave ahead only after the batch before, also when that is not stored at once', async () => {
    const clock = new VirtualClock(0)
    const journal = await journalIn('records')
    const database = new Database()
    let fail: (error: Error) => void = () => {}
    database.next = new Promise((_, reject) => (fail = reject))
    const env = { ...systemEnv, clock }
    const follower = new Follower({ env, journal, logs: undefined, backend: database, onStored: () => {} })
    follower.start()
    await journal.append({ data: encodeRecord(event('e1')) })
    await vi.waitUntil(() => database.attempts === 1)
    await journal.append({ data: encodeRecord(event('e2')) })
    await vi.waitUntil(() => database.attempts === 2)
    const caughtUp = follower.caughtUp()
    fail(new RetryableFailure('archive-away', { what: 'the cable is out' }))
    await vi.waitUntil(() => clock.waiting > 0)
    await clock.advance(1000)
    await caughtUp
    expect(database.traces).toEqual(['e1', 'e2'])
    expect(follower.status).toMatchObject({ state: 'following', lag: 0, position: 2 })
    await follower.stop()
    await journal.close()
  })

  it('takes no more output at once than it can hold, however much of it waits', async () => {
    const journal = await journalIn('records')
    const database = new Database()
    const output = Buffer.alloc(256 * 2 ** 10, 'x')
    const logs = { read: async () => output }
    const run = { namespace: 'default', name: 'r', uid: 'u' }
    const record = { v: 1, at: 5, kind: 'log', trace: 'e', run, step: 's', container: 'main' } as const
    const data = encodeRecord({ ...record, chunk: { store: 'files', key: 'k', bytes: output.length } })
    await journal.append({ data: '{"v":1,"at":5,"kind":"log","trace":"of another version"}' })
    await Promise.all(Array.from({ length: 100 }, () => journal.append({ data })))
    const follower = new Follower({ env: systemEnv, journal, logs, backend: database, onStored: () => {} })
    follower.start()
    await follower.caughtUp()
    const sizes = database.stored.map(({ records }) =>
      records.reduce((sum, { content }) => sum + (content?.length ?? 0), 0),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100 * output.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * 2 ** 20)
    expect(database.traces).toHaveLength(101)
    await follower.stop()
    await journal.close()
  })

  describe('of engines that need all of the thread', () => {
    let clock: VirtualClock
    let journal: Awaited<ReturnType<typeof journalIn>>
    let database: Database
    let isBusy: boolean
    let isWatched: boolean
    let follower: Follower
    const append = (trace: string) => journal.append({ data: encodeRecord(event(trace)) })

    beforeEach(async () => {
      clock = new VirtualClock(0)
      journal = await journalIn('records')
      database = new Database()
      isBusy = true
      isWatched = false
      follower = new Follower({
        env: { ...systemEnv, clock },
        journal,
        logs: undefined,
        backend: database,
        onStored: () => {},
        isBusy: () => isBusy,
        isWatched: () => isWatched,
      })
      follower.start()
      await append('e1')
      await vi.waitUntil(() => clock.waiting > 0)
    })

    afterEach(async () => {
      await follower.stop()
      await journal.close()
    })

    it('gives way until they rest', async () => {
      await clock.advance(3000)
      await append('e2')
      expect(follower.status).toMatchObject({ state: 'behind', lag: 2, lagMs: 3000 })
      isBusy = false
      await clock.advance(100)
      await vi.waitUntil(() => database.traces.length === 2)
    })

    it('gives way for four seconds, and then for what came later', async () => {
      await append('e2')
      await clock.advance(3900)
      expect(database.traces).toEqual([])
      await clock.advance(100)
      await vi.waitUntil(() => database.traces.length === 2)
      const begin = clock.now()
      await append('e3')
      while (database.traces.length < 3) await clock.advance(100)
      expect(clock.now() - begin).toBeGreaterThanOrEqual(4000)
    })

    it('does not let those wait who ask', async () => {
      const caughtUp = follower.caughtUp()
      await clock.advance(100)
      await caughtUp
      isWatched = true
      await append('e2')
      await vi.waitUntil(() => database.traces.length === 2)
    })
  })

  it('tries less and less often', async () => {
    const clock = new VirtualClock(0)
    const journal = await journalIn('records')
    const database = new Database()
    database.isAway = true
    const follower = new Follower({
      env: { ...systemEnv, clock },
      journal,
      logs: undefined,
      backend: database,
      onStored: () => {},
    })
    follower.start()
    await journal.append({ data: encodeRecord(event('e1')) })
    while (database.attempts < 1) await clock.advance(0)
    for (let second = 0; second < 600; second++) await clock.advance(1000)
    expect(database.attempts).toBeGreaterThan(10)
    expect(database.attempts).toBeLessThan(60)
    await follower.stop()
    await journal.close()
  })

  it('does not let one record that cannot be stored hold up the others', async () => {
    const journal = await journalIn('records')
    const database = new Database()
    database.refuses = ({ records }) =>
      records.some(({ text }) => Buffer.from(text).includes('"trace":"poison"')) ? new Error('it is poison') : undefined
    const follower = new Follower({ env: systemEnv, journal, logs: undefined, backend: database, onStored: () => {} })
    await Promise.all(['e1', 'poison', 'e2'].map(trace => journal.append({ data: encodeRecord(event(trace)) })))
    follower.start()
    await follower.caughtUp()
    expect(database.traces).toEqual(['e1', 'gap', 'e2'])
    await follower.stop()
    await journal.close()
  })

  it('shows that the journal dropped records before they were read', async () => {
    const journal = await journalIn('records')
    for (let i = 1; i <= 3; i++) await journal.append({ data: encodeRecord(event(`e${i}`)) })
    const archive = await open(journal)
    await archive.caughtUp()
    await archive.close()
    for (let i = 4; i <= 9; i++) await journal.append({ data: encodeRecord(event(`e${i}`)) })
    await journal.compact({ before: 8 })
    const again = await open(journal)
    await again.caughtUp()
    expect((await again.status()).gaps).toMatchObject([{ dropped: 4, why: expect.stringContaining('dropped') }])
    expect((await again.events({}, { order: 'oldest' })).items.map(({ id }) => id)).toEqual([
      'e1',
      'e2',
      'e3',
      'e8',
      'e9',
    ])
    await again.close()
    await journal.close()
  })

  it('notices that the journal is another one, and takes all of it', async () => {
    const first = await journalIn('first')
    for (let i = 1; i <= 3; i++) await first.append({ data: encodeRecord(event(`a${i}`)) })
    const archive = await open(first)
    await archive.caughtUp()
    await archive.close()
    const second = await journalIn('second')
    await second.append({ data: encodeRecord(event('b1')) })
    const again = await open(second)
    await again.caughtUp()
    expect((await again.events({}, { order: 'oldest' })).items.map(({ id }) => id)).toEqual(['a1', 'a2', 'a3', 'b1'])
    expect((await again.status()).gaps).toMatchObject([{ why: expect.stringContaining('another one') }])
    await again.close()
    await first.close()
    await second.close()
  })
})
