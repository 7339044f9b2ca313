import { expect, it } from 'vitest'
import { formatSeconds, nextBackoff, restartAt } from './crash-backoff.ts'

it('doubles from ten seconds to five minutes', () => {
  let backoff = nextBackoff(undefined, 0, 0)
  const delays = [backoff.delayMs]
  for (let crash = 0; crash < 6; crash++) {
    backoff = nextBackoff(backoff, 1000, 1000)
    delays.push(backoff.delayMs)
  }
  expect(delays).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000])
})

it('restarts at once the first time, and after ten good minutes', () => {
  expect(restartAt(undefined, 5000)).toBe(5000)
  expect(restartAt({ delayMs: 40_000, since: 0 }, 5000)).toBe(45_000)
  expect(restartAt({ delayMs: 40_000, since: 0 }, 600_001)).toBe(600_001)
  expect(nextBackoff({ delayMs: 40_000, since: 0 }, 600_001, 600_001).delayMs).toBe(10_000)
})

it('prints durations as Go does', () => {
  expect([10_000, 80_000, 300_000, 3_600_000].map(formatSeconds)).toEqual(['10s', '1m20s', '5m0s', '1h0m0s'])
})
