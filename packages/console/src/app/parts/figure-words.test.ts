import { expect, it } from 'vitest'
import { archiveWords, figureFacts, figureWords, formatBytes, positionWords, retentionWords } from './figure-words.ts'

it('says in a line what was counted', () => {
  const source = {
    kind: 'EventSource',
    namespace: 'shop',
    name: 'orders',
    running: 1,
    sent: 1200,
    slowestMs: 4,
  } as const
  expect(figureWords(source)).toBe('1 entry running · 1,200 sent · stored within 4 ms')
  expect(figureWords({ ...source, filtered: 7, repeated: 1 })).toBe(
    '1 entry running · 1,200 sent · 7 filtered · 1 repeat dropped · stored within 4 ms',
  )
  expect(figureFacts({ ...source, filtered: 7, repeated: 1 })).toContainEqual(['Repeats dropped', '1'])
  const sensor = { kind: 'Sensor', namespace: 'shop', name: 'orders', done: 3, failed: 2, backlog: 1 } as const
  expect(figureWords(sensor)).toBe('3 done · 2 failed')
  expect(figureFacts(sensor)).toEqual([
    ['Waiting', '1'],
    ['Actions done', '3'],
    ['Attempts that failed', '2'],
  ])
  expect(figureWords({ kind: 'EventBus', namespace: 'shop', name: 'default', events: 1, bytes: 2048 })).toBe(
    '1 event kept · 2.0 KiB',
  )
})

it('says how far a source, a sensor and a bus are', () => {
  const entry = { name: 'a', silenceMs: 3400, version: 4711, remembered: 12, waiting: 0 }
  const source = { kind: 'EventSource', namespace: 'shop', name: 'orders' } as const
  expect(positionWords({ ...source, parts: [entry] })).toBe(
    'heard 3 s ago · read up to version 4711 · remembers 12 objects',
  )
  const other = { name: 'b', silenceMs: 200, version: 99, remembered: 1, waiting: 2 }
  expect(positionWords({ ...source, parts: [entry, other] })).toBe(
    'heard 3 s ago · read up to version 99 · remembers 13 objects · 2 changes not stored yet',
  )
  // One that listens has nothing to catch up with.
  expect(positionWords({ ...source, running: 1 })).toBe('')
  const parts = [
    { name: 'x', position: 1180 },
    { name: 'y', position: 1200 },
  ]
  expect(positionWords({ kind: 'Sensor', namespace: 'shop', name: 'orders', parts })).toBe('handled up to 1,180')
  expect(positionWords({ kind: 'EventBus', namespace: 'shop', name: 'default', head: 1200 })).toBe(
    'last event at 1,200',
  )
})

it('says why what happens now is not shown', () => {
  const at = (state: 'behind' | 'waiting' | 'stopped', lag: number, problem?: string) =>
    archiveWords({ state, lag, lagMs: 2000, ...(problem === undefined ? {} : { problem }) })
  expect(at('behind', 1)).toBe('The archive is catching up, 1 record (2.0 s) behind.')
  expect(at('waiting', 0, 'refused')).toBe(
    'The archive’s database does not answer. Nothing is lost: records are kept until it does. refused',
  )
  expect(at('stopped', 0)).toContain('only read here')
})

it('says what of the history is kept', () => {
  expect(retentionWords(undefined)).toBe('everything, no limit is set')
  expect(retentionWords({ maxAgeMs: 30 * 86_400_000, maxEvents: 1_000_000, maxBytes: 2 ** 31 })).toBe(
    '30 d, at most 1,000,000 events, at most 2.0 GiB',
  )
})

it('gives sizes in the unit that people read', () =>
  expect([0, 1, 1023, 1024, 123_456, 5 * 2 ** 30].map(formatBytes)).toEqual([
    '0 bytes',
    '1 byte',
    '1,023 bytes',
    '1.0 KiB',
    '121 KiB',
    '5.0 GiB',
  ]))
