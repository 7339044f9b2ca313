import { describe, expect, it } from 'vitest'
import { formatDuration, formatSpan, formatTime } from './time.ts'

describe('times in words', () => {
  it('say how long something took, and never that it took no time', () => {
    expect([0, 0.4, 1, 340, 999.6, 4200, 200_000, 90_061_000].map(ms => formatDuration(ms))).toEqual([
      '< 1 ms',
      '< 1 ms',
      '1 ms',
      '340 ms',
      '1.0 s',
      '4.2 s',
      '3 m 20 s',
      '1 d 1 h',
    ])
    expect(formatDuration(999.6, 1)).toBe('1 s')
    expect(formatSpan(5000, 5000)).toBe('< 1 s')
    expect(formatSpan(5001, 5001)).toBe('< 1 ms')
  })

  it('say how long ago it was', () => {
    expect(formatTime(10_000, 'relative', 10_300)).toBe('just now')
    expect(formatTime(10_500, 'relative', 10_000)).toBe('just now')
    expect(formatTime(10_000, 'relative', 75_000)).toBe('1 m ago')
    expect(formatTime(75_000, 'relative', 10_000)).toBe('in 1 m')
  })

  it('say the zone, and the day of that zone, where it is not the reader’s own', () => {
    const at = Date.UTC(2026, 0, 5, 23, 30, 1, 7)
    expect(formatTime(at, 'utc', at + 60_000)).toBe('23:30:01.007Z')
    expect(formatTime(at, 'utc', at + 3_600_000)).toBe('01-05 23:30:01.007Z')
  })
})
