import { civilTime, dayNames, epochSeconds, monthNames } from '../jq/civil.ts'
import type { Library } from './arguments.ts'
import { LuaTable, type LuaValue, parseNumber, truncate } from './value.ts'

/** What `%c` and the like stand for in gopher-lua: mostly not what they stand for in C. */
function format(pattern: string, seconds: number): string {
  const time = civilTime(seconds, 0)
  const two = (value: number) => String(value).padStart(2, '0')
  const month = monthNames[time.month - 1] as string
  const day = dayNames[time.weekday] as string
  const hour12 = two(time.hour % 12 || 12)
  const clock = `${two(time.hour)}:${two(time.minute)}:${two(time.second)}`
  const year = String(time.year).padStart(4, '0')
  const half = time.hour < 12 ? 'AM' : 'PM'
  const parts: ReadonlyMap<string, string> = new Map([
    ['a', 'mon'],
    ['A', day],
    ['b', month.slice(0, 3)],
    ['B', month],
    ['c', `${two(time.day)} ${month.slice(0, 3)} ${year.slice(-2)} ${two(time.hour)}:${two(time.minute)} UTC`],
    ['d', two(time.day)],
    ['F', `${year}-${two(time.month)}-${two(time.day)}`],
    ['H', two(time.hour)],
    ['I', hour12],
    ['m', two(time.month)],
    ['M', two(time.minute)],
    ['p', half],
    ['P', half.toLowerCase()],
    ['S', two(time.second)],
    ['x', `${two(time.hour)}/${two(time.minute)}/${two(time.second)}`],
    ['X', clock],
    ['y', year.slice(-2)],
    ['Y', year],
    ['z', '+0000'],
    ['Z', 'UTC'],
    ['w', String(time.weekday)],
    ['%', '%'],
  ])
  return pattern.replace(/%([^])/g, (all, letter: string) => parts.get(letter) ?? all)
}

function calendar(seconds: number): LuaTable {
  const time = civilTime(seconds, 0)
  const table = new LuaTable()
  const fields: { [name: string]: LuaValue } = {
    year: time.year,
    month: time.month,
    day: time.day,
    hour: time.hour,
    min: time.minute,
    sec: time.second,
    wday: time.weekday + 1,
    yday: 0,
    isdst: false,
  }
  for (const [name, value] of Object.entries(fields)) table.set(name, value)
  return table
}

function integerField(table: LuaTable, name: string, fallback: number): number {
  const value = table.get(name)
  if (typeof value === 'number') return truncate(value)
  if (typeof value !== 'string') return fallback
  const digits = value.replace(/^ +/, '').replace(/^0+(?=\d)/, '')
  const number = parseNumber(digits)
  return number === undefined ? fallback : truncate(number)
}

/** Time alone, in UTC; the rest of `os` reaches the machine and is not there. */
export const osLibrary: Library = [
  ['clock', (_args, { surroundings, startedAt }) => [(surroundings.now() - startedAt) / 1000]],
  ['difftime', args => [args.integer(1) - args.integer(2)]],
  [
    'date',
    (args, { surroundings }) => {
      const pattern = args.values.length >= 1 ? args.string(1).replace(/^!+/, '') : '%c'
      const at = args.values.length >= 2 ? args.integer(2) : Math.floor(surroundings.now() / 1000)
      return [pattern.startsWith('*t') ? calendar(at) : format(pattern, at)]
    },
  ],
  [
    'time',
    (args, { surroundings }) => {
      if (args.get(1) === undefined) return [Math.floor(surroundings.now() / 1000)]
      const table = args.table(1)
      const field = (name: string, fallback: number) => integerField(table, name, fallback)
      return [
        epochSeconds(
          field('year', -1),
          field('month', -1),
          field('day', -1),
          field('hour', 12),
          field('min', 0),
          field('sec', 0),
        ),
      ]
    },
  ],
]
