import { random } from './random.mjs'

const at = text => Date.parse(text)

const malformed = [
  '',
  ' ',
  '*',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 0 *',
  '* * * 13 *',
  '* * * * 7',
  '-1 * * * *',
  '1- * * * *',
  '1-2-3 * * * *',
  '1-x-3 * * * *',
  'x-2-3 * * * *',
  '1/2/3 * * * *',
  '*/0 * * * *',
  '*/-1 * * * *',
  '*/x * * * *',
  '*/ * * * *',
  '5-3 * * * *',
  '5-99 * * * *',
  '61/2 * * * *',
  'abc * * * *',
  '* * * foo *',
  '* * * * foo',
  '* jan * * *',
  '99999999999999999999 * * * *',
  '9223372036854775807 * * * *',
  '9223372036854775808 * * * *',
  '1-9007199254740993 * * * *',
  '+5 * * * *',
  '1.5 * * * *',
  '0x10 * * * *',
  '１ * * * *',
  '"5" * * * *',
  'a\\b * * * *',
  'é\u0001 * * * *',
  'L * * * *',
  '* * L * *',
  '* * 15W * *',
  '* * * * 5#3',
  '@',
  '@Daily',
  '@daily ',
  '@reboot',
  '@every',
  '@every ',
  '@every x',
  '@every 5',
  '@every 5x',
  '@every 1h 30m',
  '@every -',
  '@every .s',
  '@every 1µ',
  '@every 99999999999999999999s',
  'TZ=0',
  'TZ=',
  'CRON_TZ=UTC',
  'TZ=UTC ',
  'TZ=Nowhere/Land * * * * *',
  'TZ=europe/berlin * * * * *',
  'TZ=Europe/berlin * * * * *',
  'TZ=../etc * * * * *',
  'TZ=/UTC * * * * *',
  'TZ=\\UTC * * * * *',
  'TZ=PST * * * * *',
  'TZ=IST * * * * *',
  'TZ=SystemV/PST8 * * * * *',
  'TZ=US/Pacific-New * * * * *',
  'TZ=+01:00 * * * * *',
  'TZ=UTC+1 * * * * *',
  'TZ=Etc/GMT+25 * * * * *',
  'TZ=utc * * * * *',
  'tz=UTC * * * * *',
  'TZ=UTC\t* * * * *',
  'TZ=UTC TZ=UTC * * * * *',
  'TZ=UTC @nope',
  'TZ=UTC * * * *',
]

const odd = [
  ', * * * *',
  '* , * * *',
  '* * , * *',
  '* * , * ,',
  '* * , * 1',
  '* * * , *',
  '* * * * ,',
  ',5, * * * *',
  '?  ? ? ? ?',
  '\t*/15 *\n* * *',
  '\u00a05\u30006 * * *',
  '*-5 3 * * *',
  '*-x-y/20 * * * *',
  '7/15 * * * *',
  '3-20/7 * * * *',
  '5/100 * * * *',
  '*/1 0 */1 * 1',
  '0 0 */2 * 1',
  '0 0 1 * 1',
  '0 0 ? * 1',
  '0 0 13 * FRI',
  '0 0 13 * ?',
  '0 0 29 2 *',
  '59 23 31 2 *',
  '0 0 31 4,6 *',
  '0 12 31 * *',
  '0 0 30 FEB-mar *',
  '0 9 * JAN-Dec/3 mon-FRI',
  '0 0 * * SUN,6',
  '0 0 * * sun-sat/2',
  '00 007 01 012 *',
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
  '@every 1s',
  '@every 1ms',
  '@every 0',
  '@every -5m',
  '@every 1.5s',
  '@every 90m',
  '@every 1h30m10s',
  '@every 1h0.5m',
  '@every 2540400h',
  'TZ=UTC @every 1m',
  'TZ= 30 4 * * *',
  'TZ=Local 30 4 * * *',
  'TZ=UTC 30 4 * * *',
  'CRON_TZ=Asia/Tokyo 30 4 * * *',
  'CRON_TZ=America/Los_Angeles   @daily',
  'TZ=Europe/Berlin 30 2 * * *',
  'TZ=GB 30 1 * * *',
  'TZ=EST 0 0 * * *',
  'TZ=Etc/GMT+5 0 0 * * *',
]

const zones = {
  '': ['2026-03-08T00:00:00Z', '2027-12-31T23:59:59Z', '2023-06-15T12:34:56Z'],
  'Europe/Berlin': ['2026-03-29T00:30:00Z', '2026-10-24T23:30:00Z', '2025-10-26T00:59:59Z'],
  'Europe/London': ['2026-03-29T00:10:00Z', '2026-10-25T00:10:00Z'],
  'Europe/Dublin': ['2026-03-28T22:00:00Z', '2026-10-25T00:30:00Z'],
  'America/New_York': ['2026-03-08T05:00:00Z', '2026-11-01T04:30:00Z', '2024-11-03T05:59:59Z'],
  'America/Sao_Paulo': ['2018-11-03T12:00:00Z', '2018-02-17T20:00:00Z', '2017-10-14T23:00:00Z'],
  'America/Havana': ['2026-03-08T03:00:00Z', '2026-11-01T03:30:00Z'],
  'America/St_Johns': ['2026-03-08T03:00:00Z', '2026-11-01T02:00:00Z'],
  'America/Santiago': ['2026-09-05T12:00:00Z', '2026-04-04T22:00:00Z'],
  'America/Caracas': ['2016-04-30T12:00:00Z', '2007-12-08T20:00:00Z'],
  'Asia/Kolkata': ['2026-03-29T00:30:00Z', '2024-02-28T18:29:59Z'],
  'Asia/Kathmandu': ['2026-01-01T00:00:00Z'],
  'Asia/Pyongyang': ['2015-08-14T10:00:00Z', '2018-05-04T10:00:00Z'],
  'Asia/Beirut': ['2024-03-30T20:00:00Z', '2024-10-26T19:00:00Z'],
  'Asia/Gaza': ['2022-03-26T20:00:00Z', '2022-10-28T20:00:00Z'],
  'Africa/Casablanca': ['2019-05-04T20:00:00Z', '2019-06-08T20:00:00Z'],
  'Africa/Cairo': ['2024-04-25T18:00:00Z', '2024-10-31T18:00:00Z'],
  'Australia/Lord_Howe': ['2026-04-04T12:00:00Z', '2026-10-03T12:00:00Z', '2026-10-03T15:29:59Z'],
  'Australia/Sydney': ['2026-04-04T14:00:00Z', '2026-10-03T14:00:00Z'],
  'Pacific/Apia': ['2012-03-31T12:00:00Z', '2011-09-24T10:00:00Z'],
  'Pacific/Chatham': ['2026-04-04T12:00:00Z', '2026-09-26T12:00:00Z'],
  'Antarctica/Troll': ['2026-03-29T00:00:00Z', '2026-10-25T00:00:00Z'],
}

const onChanges = [
  '0 0 * * *',
  '30 0 * * *',
  '0 1 * * *',
  '30 1 * * *',
  '59 1 * * *',
  '0 2 * * *',
  '15 2 * * *',
  '30 2 * * *',
  '0 3 * * *',
  '*/20 * * * *',
  '0 */2 * * *',
  '0 1-3 * * *',
  '45 23 * * *',
  '0 0 * * 0',
  '0 0 1 * *',
  '30 2 1 * *',
  '0 0 31 12 *',
  '@daily',
  '@hourly',
  '@monthly',
  '@every 45m',
]

// Samoa had no 30 December 2011. The library never returns when it looks for a day across it, so only times of day are asked.
const withoutOneDay = ['0 0 * * *', '30 1 * * *', '0 3 * * *', '*/20 * * * *', '0 */2 * * *', '45 23 * * *', '@hourly']

const { below, pick, chance } = random(23)

function anyField(low, high, names = []) {
  const value = () => (names.length > 0 && chance(0.3) ? pick(names) : low + below(high - low + 1))
  const range = () => {
    const first = low + below(high - low + 1)
    return `${first}-${first + below(high - first + 1)}`
  }
  const part = () => pick([() => '*', () => `${value()}`, () => `${value()}`, range, () => `*/${1 + below(high)}`])()
  const stepped = () => (chance(0.15) ? `${range()}/${1 + below(6)}` : part())
  return Array.from({ length: chance(0.2) ? 1 + below(3) : 1 }, stepped).join(',')
}

const months = ['jan', 'FEB', 'Mar', 'apr', 'MAY', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'Mon', 'TUE', 'wed', 'thu', 'fri', 'sat']
const often = (field, usual) => (chance(0.5) ? usual : field)

const anySpec = () =>
  [
    anyField(0, 59),
    anyField(0, 23),
    often(anyField(1, 31), '*'),
    often(anyField(1, 12, months), '*'),
    often(anyField(0, 6, days), pick(['*', '?'])),
  ].join(' ')

const zoneNames = Object.keys(zones)
const anyTime = zone =>
  chance(0.6)
    ? at(pick(zones[zone])) + (below(60) - 30) * 600_000 + below(60_000)
    : at('2012-01-01T00:00:00Z') + below(18 * 365 * 86_400) * 1000 + below(1000)

const parsers = [
  ['optionalSecond', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'descriptors'],
  ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'],
  ['minute', 'hour', 'dayOfMonth', 'month', 'optionalDayOfWeek'],
  ['dayOfMonth', 'month', 'dayOfWeek'],
  ['hour', 'optionalDayOfWeek', 'descriptors'],
  ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'],
]
const parsed = [
  '*',
  '1',
  '1 2',
  '1 2 3',
  '1 2 3 4',
  '1 2 3 4 5',
  '5 1 2 3 4 5',
  '1 2 3 4 5 6 7',
  '*/7 * * * * *',
  '@daily',
]

export const cases = [
  ...malformed.map(spec => ({ spec })),
  ...odd.map(spec => ({ spec, after: [at('2026-02-27T10:20:30.456Z'), at('2099-12-31T23:59:59Z')], times: 4 })),
  ...parsers.flatMap(parse =>
    parsed.map(spec => ({ spec, parse, zone: 'Europe/Berlin', after: [at('2026-03-28T10:00:00.001Z')], times: 4 })),
  ),
  ...Object.entries(zones).flatMap(([zone, times]) =>
    onChanges.map(spec => ({ spec, zone, after: times.map(at), times: 6 })),
  ),
  ...withoutOneDay.map(spec => ({
    spec,
    zone: 'Pacific/Apia',
    after: ['2011-12-29T09:00:00Z', '2011-12-30T09:59:59Z'].map(at),
    times: 6,
  })),
  ...Array.from({ length: 550 }, () => {
    const zone = pick(zoneNames)
    return { spec: anySpec(), zone, after: [anyTime(zone), anyTime(zone)], times: 4 }
  }),
  ...Array.from({ length: 300 }, () => {
    const zone = pick(zoneNames)
    const prefix = `${pick(['', 'CRON_'])}TZ=${zone} `
    return { spec: prefix + anySpec(), zone: pick(['', 'Asia/Tokyo']), after: [anyTime(zone), anyTime(zone)], times: 3 }
  }),
  ...Array.from({ length: 800 }, () => {
    const zone = pick(zoneNames)
    const spec = `${anyField(0, 59)} ${pick(['0', '1', '2', '3', '23', '0-3', '*', '*/2'])} ${pick(['* *', '*/2 *'])} *`
    return { spec, zone, after: [anyTime(zone), anyTime(zone)], times: 3 }
  }),
]
