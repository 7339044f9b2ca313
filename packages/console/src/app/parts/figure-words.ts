import type { Figures } from '../../api/workshop.ts'
import { counted } from '../count.ts'
import { formatDuration } from '../time.ts'

type Fact = readonly [term: string, value: string]

/** What was counted of a source, a sensor or a bus, each with its name. */
export function figureFacts(figures: Figures): readonly Fact[] {
  const { kind, running, sent, done, failed, filtered, slowestMs, backlog, parked, events, bytes } = figures
  const number = (term: string, value: number | undefined): readonly Fact[] =>
    value === undefined ? [] : [[term, value.toLocaleString('en')]]
  const slowest: readonly Fact[] =
    slowestMs === undefined
      ? []
      : [[kind === 'EventSource' ? 'Seen → stored, 99 %' : 'One attempt, 99 %', `≤ ${formatDuration(slowestMs)}`]]
  return [
    ...number('Entries that run', running),
    ...number('Events sent', sent),
    ...number('Waiting', backlog),
    ...number('Parked', parked),
    ...number('Actions done', done),
    ...number('Filtered', filtered),
    ...number(kind === 'EventSource' ? 'Events that failed' : 'Attempts that failed', failed),
    ...slowest,
    ...number('Kept events', events),
    ...(bytes === undefined ? [] : ([['Size', formatBytes(bytes)]] as const)),
  ]
}

/** The same in one line, for a table. */
export function figureWords(figures: Figures): string {
  const { kind, running, sent = 0, done = 0, failed = 0, filtered = 0, slowestMs, events = 0, bytes = 0 } = figures
  const words =
    kind === 'EventSource'
      ? [
          running === undefined ? '' : `${counted(running, 'entry', 'entries')} running`,
          `${sent.toLocaleString('en')} sent`,
          slowestMs === undefined ? '' : `stored within ${formatDuration(slowestMs)}`,
        ]
      : kind === 'Sensor'
        ? [
            `${done.toLocaleString('en')} done`,
            filtered > 0 ? `${filtered.toLocaleString('en')} filtered` : '',
            slowestMs === undefined ? '' : `within ${formatDuration(slowestMs)}`,
          ]
        : [`${counted(events, 'event')} kept`, formatBytes(bytes)]
  if (failed > 0) words.push(`${failed.toLocaleString('en')} failed`)
  return words.filter(word => word !== '').join(' · ')
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const

/** `512 bytes`, `1.2 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte')
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power - 1]}`
}
