import { expect, it } from 'vitest'
import { figureFacts, figureWords, formatBytes } from './figure-words.ts'

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

it('gives sizes in the unit that people read', () =>
  expect([0, 1, 1023, 1024, 123_456, 5 * 2 ** 30].map(formatBytes)).toEqual([
    '0 bytes',
    '1 byte',
    '1,023 bytes',
    '1.0 KiB',
    '121 KiB',
    '5.0 GiB',
  ]))
