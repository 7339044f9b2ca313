import { RetryableFailure, seededRandom, systemEnv, TerminalFailure, VirtualClock } from '@tiphys/env'
import { beforeEach, describe, expect, it } from 'vitest'
import { openFileJournal } from '../file/file-journal.ts'
import type { JournalRecord } from '../journal.ts'
import { SimulatedDisk } from '../testing/simulated-disk.ts'
import { createRecorder, type RecorderOptions, readRecords } from './recorder.ts'
import { decodeRecord, type NewRecord, type TraceRecord, type UnknownRecord } from './trace-record.ts'

const run = (phase: string): NewRecord => ({
  kind: 'run',
  trace: 'e1',
  run: { namespace: 'default', name: 'run', uid: 'u' },
  phase,
})

/** A journal that stores when it is told to. */
class HeldJournal {
  readonly stored: (TraceRecord | UnknownRecord)[] = []
  calls = 0
  failure: Error | undefined
  isHeld = false
  #held: (() => void)[] = []

  append({ data }: JournalRecord): Promise<number> {
    this.calls++
    if (this.failure) return Promise.reject(this.failure)
    return new Promise(resolve => {
      const store = () => resolve(this.stored.push(decodeRecord(data)))
      if (this.isHeld) this.#held.push(store)
      else store()
    })
  }

  release(): void {
    this.isHeld = false
    for (const store of this.#held.splice(0)) store()
  }
}

describe('a recorder', () => {
  let clock: VirtualClock
  let journal: HeldJournal

  beforeEach(() => {
    clock = new VirtualClock()
    journal = new HeldJournal()
  })

  const make = (options: Partial<RecorderOptions> = {}) =>
    createRecorder(journal, { env: { ...systemEnv, clock }, ...options })
  const phases = () => journal.stored.map(record => (record.kind === 'run' ? record.phase : record.kind))

  it('gathers records before it stores them, unless somebody waits for them', async () => {
    const recorder = make({ gatherMs: 40 })
    recorder.record(run('first'))
    await clock.advance(39)
    recorder.record(run('second'))
    expect(phases()).toEqual([])
    await clock.advance(1)
    await expect.poll(phases).toEqual(['first', 'second'])
    await clock.advance(40)
    recorder.record(run('third'))
    await recorder.settled()
    expect(phases()).toEqual(['first', 'second', 'third'])
  })

  it('lets records gather for those who are patient, and tells them when theirs are stored', async () => {
    const recorder = make({ gatherMs: 40 })
    recorder.record(run('first'))
    let isSettled = false
    const patient = recorder.settled({ isPatient: true }).then(() => {
      isSettled = true
    })
    await clock.advance(39)
    expect([isSettled, phases()]).toEqual([false, []])
    await clock.advance(1)
    await patient
    expect(phases()).toEqual(['first'])
  })

  it('keeps the last record of a key that has not ended, however old', async () => {
    const env = { ...systemEnv, clock }
    const files = await openFileJournal({ directory: '/records', env, fileSystem: new SimulatedDisk() })
    const recorder = createRecorder(files, { env })
    recorder.record(run('Pending'), { key: 'a' })
    recorder.record(run('Running'), { key: 'a' })
    recorder.record(run('unkeyed'))
    recorder.record(run('Running'), { key: 'b' })
    recorder.record(run('Failed'), { key: 'b', deleted: true })
    await recorder.settled()
    await files.compact({ before: files.head + 1 })
    const found: unknown[] = []
    for await (const { key, data } of files.read(1)) found.push([key, decodeRecord(data)])
    expect(found).toMatchObject([['a', { phase: 'Running' }]])
    await recorder.close()
    await files.close()
  })

  it('does not let more gather than is stored at once', async () => {
    const recorder = make({ gatherMs: 40, maxBatch: 3 })
    for (const phase of ['1', '2', '3', '4']) recorder.record(run(phase))
    await expect.poll(phases).toEqual(['1', '2', '3'])
    await clock.advance(40)
    await expect.poll(phases).toEqual(['1', '2', '3', '4'])
  })

  it('stores records in order, with version and time, and reads them back', async () => {
    const env = { ...systemEnv, clock }
    const files = await openFileJournal({ directory: '/records', env, fileSystem: new SimulatedDisk() })
    const recorder = createRecorder(files, { env })
    recorder.record(run('Pending'))
    await clock.advance(5)
    recorder.record({ ...run('Running'), at: 17 })
    await recorder.close()
    const found: unknown[] = []
    for await (const { position, record } of readRecords(files, 1)) found.push([position, record])
    const stored = { v: 1, kind: 'run', trace: 'e1', run: { namespace: 'default', name: 'run', uid: 'u' } }
    expect(found).toEqual([
      [1, { ...stored, phase: 'Pending', at: clock.now() - 5 }],
      [2, { ...stored, phase: 'Running', at: 17 }],
    ])
    await files.close()
  })

  it('does nothing in the turn of the caller', async () => {
    const recorder = make()
    for (let i = 0; i < 1000; i++) recorder.record(run('Running'))
    expect([journal.calls, recorder.waitingBytes]).toEqual([0, 0])
    await recorder.settled()
    expect(journal.stored).toHaveLength(1000)
  })

  it('does not slow its caller when the journal is slow, nor grow beyond its bound', async () => {
    journal.isHeld = true
    const recorder = make({ maxBatch: 10, maxBytes: 20_000 })
    for (let i = 0; i < 20_000; i++) recorder.record(run(`phase ${i}`))
    await new Promise(resolve => setImmediate(resolve))
    expect(journal.calls).toBe(10)
    expect(recorder.waitingBytes).toBeLessThanOrEqual(20_000)
    journal.release()
    await recorder.settled()
    expect(phases().slice(-2)).toEqual(['phase 19998', 'phase 19999'])
    expect(journal.stored.filter(({ kind }) => kind === 'run')).toHaveLength(20_000 - recorder.dropped)
  })

  it('drops the oldest, and says in their place how many and when', async () => {
    journal.isHeld = true
    const recorder = make({ maxBatch: 1, maxBytes: 600 })
    const start = clock.now()
    recorder.record(run('first'))
    await new Promise(resolve => setImmediate(resolve))
    for (let i = 0; i < 10; i++) {
      await clock.advance(1)
      recorder.record(run(`${i}`))
    }
    await new Promise(resolve => setImmediate(resolve))
    journal.release()
    await recorder.settled()
    const kept = phases().slice(2)
    expect(phases()).toEqual([
      'first',
      'gap',
      ...Array.from({ length: kept.length }, (_, i) => `${10 - kept.length + i}`),
    ])
    expect(journal.stored[1]).toEqual({
      v: 1,
      kind: 'gap',
      trace: '',
      at: start + 10,
      dropped: 10 - kept.length,
      from: start + 1,
      to: start + 10 - kept.length,
      why: 'the journal was too slow',
    })
    expect(recorder.dropped).toBe(10 - kept.length)
  })

  it('accounts for every record, whatever the journal does', async () => {
    const random = seededRandom(9)
    const recorder = make({ maxBatch: 7, maxBytes: 2000 })
    for (let i = 0; i < 500; i++) {
      if (random.next() < 0.1) journal.isHeld = true
      if (random.next() < 0.1) journal.release()
      recorder.record(run(`${i}`))
      if (random.next() < 0.3) await new Promise(resolve => setImmediate(resolve))
    }
    journal.release()
    await recorder.settled()
    const numbers = phases()
      .filter(phase => phase !== 'gap')
      .map(Number)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    const gaps = journal.stored.reduce((sum, record) => sum + (record.kind === 'gap' ? record.dropped : 0), 0)
    expect(numbers.length + gaps).toBe(500)
    expect(gaps).toBe(recorder.dropped)
  })

  it('never throws: what cannot be stored becomes a gap that says why', async () => {
    const recorder = make({ maxRecordBytes: 1000 })
    const event = (body: unknown) =>
      ({ kind: 'event', trace: 'e', source: { namespace: 'n', name: 's', part: 'p' }, type: 'ADD', body }) as NewRecord
    recorder.record(event(10n))
    await recorder.settled()
    recorder.record(event('x'.repeat(2000)))
    recorder.record(run('after'))
    await recorder.settled()
    expect(phases()).toEqual(['gap', 'gap', 'after'])
    expect(journal.stored.map(record => record.kind === 'gap' && record.why)).toEqual([
      expect.stringMatching(/record of kind event cannot be stored/),
      expect.stringMatching(/record of kind event has \d+ bytes, which is too much/),
      false,
    ])
  })

  it('stores nothing unmasked, also when the mask fails', async () => {
    const recorder = make({
      mask: () => {
        throw new Error('broken')
      },
    })
    recorder.record(run('secret'))
    await recorder.settled()
    expect(phases()).toEqual(['gap'])
    const masked = make()
    masked.record({
      kind: 'event',
      trace: 'e',
      source: { namespace: 'n', name: 's', part: 'p' },
      type: 'ADD',
      body: { kind: 'Secret', data: { key: 'dmFsdWU=' } },
    })
    await masked.settled()
    expect(JSON.stringify(journal.stored)).not.toContain('dmFsdWU=')
  })

  it('tries again when the journal is busy, and keeps the order', async () => {
    journal.failure = new RetryableFailure('journal-busy', { what: 'busy' })
    const recorder = make()
    recorder.record(run('1'))
    recorder.record(run('2'))
    const settled = recorder.settled()
    while (journal.calls < 6) {
      await clock.advance(10_000)
      await new Promise(resolve => setImmediate(resolve))
    }
    journal.failure = undefined
    await clock.advance(10_000)
    await settled
    expect(phases()).toEqual(['1', '2'])
  })

  it('gives up when the journal takes nothing any more, and its callers go on', async () => {
    journal.failure = new TerminalFailure('journal-write-failed', { what: 'failed' })
    const recorder = make()
    recorder.record(run('1'))
    await recorder.settled()
    recorder.record(run('2'))
    await recorder.settled()
    await recorder.close()
    expect([recorder.dropped, journal.calls]).toEqual([2, 1])
  })

  it('does not wait for ever for a journal that does not answer when it is closed', async () => {
    journal.isHeld = true
    const recorder = make({ maxBatch: 1, patienceMs: 5000 })
    recorder.record(run('under way'))
    recorder.record(run('waiting'))
    const closed = recorder.close()
    await clock.advance(5000)
    await closed
    expect(recorder.dropped).toBe(2)
    journal.release()
    await recorder.settled()
    expect(phases()).toEqual(['under way'])
  })

  it('settles a gap once it is stored', async () => {
    journal.isHeld = true
    const recorder = make({ maxRecordBytes: 10 })
    recorder.record(run('too large'))
    let isSettled = false
    const settled = recorder.settled().then(() => (isSettled = true))
    await new Promise(resolve => setImmediate(resolve))
    expect(isSettled).toBe(false)
    journal.release()
    await settled
    expect(phases()).toEqual(['gap'])
  })

  it('settles what was recorded before, not what is recorded after', async () => {
    journal.isHeld = true
    const recorder = make({ maxBatch: 1 })
    recorder.record(run('1'))
    const settled = recorder.settled()
    recorder.record(run('2'))
    await expect.poll(() => journal.calls).toBe(1)
    journal.release()
    journal.isHeld = true
    await settled
    expect(phases()).toEqual(['1'])
    journal.release()
    await recorder.close()
    recorder.record(run('late'))
    await recorder.settled()
    expect([phases(), recorder.dropped]).toEqual([['1', '2'], 1])
  })
})
