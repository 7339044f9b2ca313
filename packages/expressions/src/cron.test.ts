import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CronError, type CronField, type CronOptions, parseCron } from './cron.ts'
import { loadTimeZone } from './time-zone.ts'

interface Case {
  spec: string
  parse?: string[]
  zone?: string
  after?: number[]
  times?: number
}

interface Answer {
  error?: string
  next?: number[][]
}

const recorded = readFileSync(new URL('../testdata/cron.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })

const fieldNames: readonly string[] = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek']

function optionsOf({ parse, zone = '' }: Case): CronOptions {
  const timeZone = loadTimeZone(zone)
  if (parse === undefined) return { timeZone }
  const optional = { optionalSecond: 'second', optionalDayOfWeek: 'dayOfWeek' } as const
  const left = Object.entries(optional).find(([name]) => parse.includes(name))
  return {
    timeZone,
    fields: parse.filter((name): name is CronField => fieldNames.includes(name)),
    descriptors: parse.includes('descriptors'),
    ...(left === undefined ? {} : { optional: left[1] }),
  }
}

function answer(given: Case): Answer {
  try {
    const schedule = parseCron(given.spec, optionsOf(given))
    const following = (after: number) => {
      const times: number[] = []
      let time: number | undefined = after
      while (times.length < (given.times ?? 0)) {
        time = schedule.next(time)
        if (time === undefined) break
        times.push(time / 1000)
      }
      return times
    }
    return given.after === undefined ? {} : { next: given.after.map(following) }
  } catch (error) {
    if (error instanceof CronError) return { error: error.message }
    throw error
  }
}

describe('cron schedules', () => {
  test('are read, refused and followed across clock changes as the library of Kubernetes does', () => {
    const differences = recorded.flatMap(({ case: given, answer: expected }) => {
      const actual = answer(given)
      return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ given, expected, actual }]
    })
    expect(recorded.length).toBeGreaterThan(2000)
    expect(differences).toEqual([])
  })

  test('find a day across one that the zone left out', () => {
    const sundays = parseCron('TZ=Pacific/Apia 0 0 * * 0')
    const first = sundays.next(Date.parse('2011-12-29T09:00:00Z')) as number
    expect(new Date(first).toISOString()).toBe('2011-12-31T10:00:00.000Z')
  })

  test('end the search for a field that allows nothing', () => {
    expect(parseCron(', * * * *', { fields: ['second', 'minute', 'hour', 'month', 'dayOfWeek'] }).next(0)).toBe(
      undefined,
    )
  })
})
