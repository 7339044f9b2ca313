import { VirtualClock } from '@tiphys/env'
import type { NewRecord } from '@tiphys/journal/records'
import { expect, it } from 'vitest'
import { createTerminal, type DrawLines, type Terminal } from '../terminal.ts'
import { createStatusLine, formatStatus } from './status-line.ts'
import { createTally } from './tally.ts'

const common = { at: 0, trace: 't' }
const trigger = { namespace: 'shop', name: 'orders', part: 'pay' }
const event: NewRecord = { ...common, kind: 'event', source: trigger, type: 'webhook' }
const run = (uid: string, phase: string): NewRecord => ({
  ...common,
  kind: 'run',
  run: { namespace: 'shop', name: uid, uid },
  phase,
})
const delivery = (outcome: 'parked' | 'succeeded' | 'discarded'): NewRecord => ({
  ...common,
  kind: 'delivery',
  trigger,
  action: 'a',
  events: ['t'],
  outcome,
  attempt: 1,
})
const plain = createTerminal({ stdout: { write: () => {} }, stderr: { write: () => {} } }, {})

it('counts a run once, whatever becomes of it, and no longer as failed when a retry mends it', () => {
  const tally = createTally()
  const counted = (...records: NewRecord[]) => {
    const changes = records.map(record => tally.count(record))
    return { changes, events: tally.events, runs: tally.runs, running: tally.running, failed: tally.failed }
  }
  expect(counted(event, run('a', 'Pending'), run('a', 'Running'))).toEqual({
    changes: [true, true, false],
    events: 1,
    runs: 1,
    running: 1,
    failed: 0,
  })
  expect(counted(run('a', 'Failed'), run('a', 'Failed'), run('b', 'Error'))).toEqual({
    changes: [true, false, true],
    events: 1,
    runs: 2,
    running: 0,
    failed: 2,
  })
  expect(counted(run('a', 'Running'))).toMatchObject({ runs: 2, running: 1, failed: 1 })
  expect(counted(run('a', 'Succeeded'))).toMatchObject({ runs: 2, running: 0, failed: 1 })
})

it('shows as much of the address as there is room for', () => {
  const status = {
    tally: { events: 1200, runs: 1, running: 1, failed: 0 },
    parked: 2,
    console: 'http://127.0.0.1:2746/#token=abcdefgh',
  }
  const counts = '1,200 events · 1 run (1 running) · 0 failed · 2 parked'
  expect(formatStatus(plain.out, status, 120)).toBe(`${counts}  │  http://127.0.0.1:2746/#token=abcdefgh`)
  expect(formatStatus(plain.out, status, 85)).toBe(`${counts}  │  http://127.0.0.1:2746`)
  expect(formatStatus(plain.out, status, 60)).toBe(counts)
  expect(formatStatus(plain.out, { ...status, console: undefined }, 120)).toBe(counts)
})

it('asks the history what waits for a person: at the start, and when that changes', async () => {
  const clock = new VirtualClock()
  let draw: DrawLines = () => []
  const terminal: Terminal = {
    ...plain,
    pin(given) {
      draw = given
      return { renew() {}, remove() {} }
    },
  }
  let parked = 3
  let asked = 0
  const status = createStatusLine(terminal, clock)
  status.begin({
    parked: async () => {
      asked++
      return parked
    },
  })
  await clock.advance(1000)
  expect(draw(100, 1)[0]).toContain('3 parked')
  parked = 4
  for (const _ of [1, 2, 3]) status.count(delivery('parked'))
  await clock.advance(1000)
  expect(draw(100, 1)[0]).toContain('4 parked')
  parked = 0
  status.count(delivery('discarded'))
  await clock.advance(1000)
  expect(draw(100, 1)[0]).toContain('0 parked')
  // Nothing waits: what succeeds does not change that.
  status.count(delivery('succeeded'))
  await clock.advance(1000)
  expect(asked).toBe(3)
  status.end()
})
