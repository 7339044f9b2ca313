import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BusFull } from '../bus/bus-failures.ts'
import { type CalendarSpec, calendarSource } from './calendar-source.ts'
import { SourceStage } from './source-stage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let stage: SourceStage
beforeEach(() => {
  stage = new SourceStage()
})
afterEach(() => stage.close())

const times = () => stage.data.map(data => (data as { eventTime: string }).eventTime)

async function runFor(ms: number, spec: CalendarSpec): Promise<void> {
  stage.start(calendarSource, spec)
  await stage.clock.advance(ms)
  await stage.stop()
}

describe('times', () => {
  it('of a cron schedule', async () => {
    await runFor(35 * MINUTE, { schedule: '*/10 * * * *', metadata: { team: 'a' } })
    expect(stage.data).toEqual([
      { eventTime: '2024-01-01 00:10:00 +0000 UTC', metadata: { team: 'a' } },
      { eventTime: '2024-01-01 00:20:00 +0000 UTC', metadata: { team: 'a' } },
      { eventTime: '2024-01-01 00:30:00 +0000 UTC', metadata: { team: 'a' } },
    ])
  })

  it('of an interval', async () => {
    await runFor(5 * MINUTE, { interval: '2m' })
    expect(times()).toEqual(['2024-01-01 00:02:00 +0000 UTC', '2024-01-01 00:04:00 +0000 UTC'])
  })

  it('of another zone', async () => {
    await runFor(24 * HOUR, { schedule: '0 9 * * *', timezone: 'America/New_York' })
    expect(times()).toEqual(['2024-01-01 14:00:00 +0000 UTC'])
  })

  it('without the days that are excluded', async () => {
    await runFor(72 * HOUR, { schedule: '0 9 * * *', exclusionDates: ['EXDATE:20240102T000000Z,20240105T000000Z'] })
    expect(times()).toEqual(['2024-01-01 09:00:00 +0000 UTC', '2024-01-03 09:00:00 +0000 UTC'])
  })

  it('are never early', async () => {
    stage.start(calendarSource, { schedule: '0 * * * *' })
    await stage.clock.advance(HOUR - 1)
    expect(times()).toEqual([])
    await stage.clock.advance(1)
    expect(times()).toHaveLength(1)
  })
})

describe('after downtime', () => {
  const catchup = (maxDuration = '') => ({ persistence: { catchup: { enabled: true, maxDuration } } })

  it('publishes everything that was missed, with catch-up', async () => {
    await runFor(HOUR + 1, { schedule: '0 * * * *', ...catchup() })
    await stage.clock.advance(3 * HOUR)
    await runFor(1, { schedule: '0 * * * *', ...catchup() })
    expect(times()).toEqual([1, 2, 3, 4].map(hour => `2024-01-01 0${hour}:00:00 +0000 UTC`))
  })

  it('goes back no further than it may', async () => {
    await runFor(HOUR + 1, { schedule: '0 * * * *', ...catchup('90m') })
    await stage.clock.advance(5 * HOUR)
    await runFor(1, { schedule: '0 * * * *', ...catchup('90m') })
    expect(times()).toEqual([1, 5, 6].map(hour => `2024-01-01 0${hour}:00:00 +0000 UTC`))
  })

  it('publishes nothing old without catch-up, but what a restart took the time of', async () => {
    await runFor(HOUR - 1000, { schedule: '0 * * * *' })
    await stage.clock.advance(3000)
    await runFor(1, { schedule: '0 * * * *' })
    expect(times()).toEqual(['2024-01-01 01:00:00 +0000 UTC'])
    await stage.clock.advance(5 * HOUR + 10 * MINUTE)
    await runFor(1, { schedule: '0 * * * *' })
    expect(times()).toHaveLength(1)
  })

  it('publishes nothing twice, also when it died before it could note it', async () => {
    stage.start(calendarSource, { schedule: '0 * * * *', ...catchup() })
    await stage.clock.advance(10)
    const before = new Map(stage.values)
    await stage.clock.advance(HOUR)
    await stage.stop()
    expect(times()).toHaveLength(1)
    for (const [key, value] of before) stage.values.set(key, value)
    await runFor(1, { schedule: '0 * * * *', ...catchup() })
    expect(times()).toHaveLength(1)
  })

  it('takes nothing of a new schedule for missed', async () => {
    await runFor(HOUR + 1, { schedule: '0 * * * *', ...catchup() })
    await stage.clock.advance(3 * HOUR)
    await runFor(1, { schedule: '*/5 * * * *', ...catchup() })
    expect(times()).toHaveLength(1)
  })
})

it('holds an event until the bus takes it', async () => {
  stage.refusal = new BusFull('slow', 1, 'it holds 1 event')
  stage.start(calendarSource, { schedule: '0 * * * *' })
  await stage.clock.advance(HOUR + MINUTE)
  expect(stage.reports.at(-1)).toMatchObject({ state: 'waiting', reason: 'BusRefuses' })
  stage.refusal = undefined
  await stage.clock.advance(MINUTE)
  expect(times()).toEqual(['2024-01-01 01:00:00 +0000 UTC'])
  expect(stage.reports.at(-1)).toEqual({ state: 'active' })
})

it('checks an entry', () => {
  const check = (spec: object) => calendarSource.check(spec).map(({ path, message }) => `${path}: ${message}`)
  expect(check({ schedule: '0 0 * * *', timezone: 'Europe/Berlin' })).toEqual([])
  expect(check({})).toEqual(['interval: must have either schedule or interval'])
  expect(check({ schedule: '@daily' })[0]).toContain('parser does not accept descriptors')
  expect(check({ schedule: 'x' })[0]).toMatch(/^schedule: failed to parse schedule x/)
  expect(check({ interval: '10' })[0]).toContain('missing unit')
  expect(check({ interval: '10ms' })[0]).toContain('too short')
  expect(check({ interval: '1m', timezone: 'Mars/Base' })[0]).toContain('unknown time zone')
  expect(check({ interval: '1m', exclusionDates: ['EXDATE:tomorrow'] })[0]).toContain('tomorrow')
  expect(check({ interval: '1m', persistence: { catchup: { enabled: true, maxDuration: 'x' } } })).toHaveLength(1)
})
