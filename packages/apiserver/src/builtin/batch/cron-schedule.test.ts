import { describe, expect, it } from 'vitest'
import { cronScheduleProblem } from './cron-schedule.ts'

describe('cron schedules', () => {
  it.each(['* * * * *', '*/5 0-3,7 1 jan-MAR mon', '? * * * 0', '@hourly', '@every 1h30m', '0 0 1 1 *'])(
    'accepts %s',
    schedule => {
      expect(cronScheduleProblem(schedule)).toBeUndefined()
    },
  )

  it.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['@never', 'unrecognized descriptor: @never'],
  ])('refuses %s', (schedule, problem) => {
    expect(cronScheduleProblem(schedule)).toBe(problem)
  })
})
