import { parseCron } from '@tiphys/expressions/cron'
import type { CronJob } from '@tiphys/kube/kinds'
import { expect, test } from 'vitest'
import { EmptyScheduleError, missedTimes, untilNext } from './missed-times.ts'

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`)
const cronJob = (spec: Partial<CronJob['spec']> = {}) =>
  ({ metadata: { creationTimestamp: '2026-01-01T10:00:30Z' }, spec }) as CronJob
const hourly = parseCron('0 * * * *')

test('nothing is missed before the first time', () => {
  expect(missedTimes(cronJob(), hourly, at('10:59:59'), true)).toEqual({ since: at('10:00:30'), count: 'none' })
  expect(untilNext(cronJob(), hourly, at('10:59:59'))).toBe(1100)
})

test('the latest of several missed times counts', () => {
  expect(missedTimes(cronJob(), hourly, at('13:30:00'), true)).toMatchObject({ latest: at('13:00:00'), count: 'few' })
  expect(missedTimes(cronJob(), hourly, at('13:30:00') + 5 * 86_400_000, true).count).toBe('many')
})

test('times beyond the starting deadline do not count', () => {
  const strict = cronJob({ startingDeadlineSeconds: 600 })
  expect(missedTimes(strict, hourly, at('13:30:00'), true)).toEqual({ since: at('13:20:00'), count: 'none' })
  expect(missedTimes(strict, hourly, at('13:30:00'), false).latest).toBe(at('13:00:00'))
})

test('a schedule without times is an error', () => {
  expect(() => missedTimes(cronJob(), parseCron('0 0 31 2 *'), at('11:00:00'), true)).toThrow(EmptyScheduleError)
})
