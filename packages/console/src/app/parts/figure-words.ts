import type { ArchiveStatus, Retention } from '@tiphys/archive'
import type { Figures } from '../../api/workshop.ts'
import { counted } from '../count.ts'
import { formatDuration } from '../time.ts'

type Fact = readonly [term: string, value: string]

/** What was counted of a source, a sensor or a bus, each with its name. */
export function figureFacts(figures: Figures): readonly Fact[] {
  const { kind, running, sent, done, failed, filtered, repeated, slowestMs, backlog, parked, events, bytes } = figures
  const number = (term: string, value: number | undefined): readonly Fact[] =>
    value === undefined ? [] : [[term, value.toLocaleString('en')]]
  const slowest: readonly Fact[] =
    slowestMs === undefined
      ? []
      : [
          [
            kind === 'EventSource' ? 'Seen → stored, 99 %' : 'One attempt, 99 %',
            slowestMs < 1 ? formatDuration(slowestMs) : `≤ ${formatDuration(slowestMs)}`,
          ],
        ]
  return [
    ...number('Entries that run', running),
    ...number('Events sent', sent),
    ...number('Waiting', backlog),
    ...number('Parked', parked),
    ...number('Actions done', done),
    ...number('Filtered', filtered),
    ...number('Repeats dropped', repeated),
    ...number(kind === 'EventSource' ? 'Events that failed' : 'Attempts that failed', failed),
    ...slowest,
    ...number('Kept events', events),
    ...(bytes === undefined ? [] : ([['Size', formatBytes(bytes)]] as const)),
  ]
}

/** The same in one line, for a table. */
export function figureWords(figures: Figures): string {
  const { kind, running, sent = 0, done = 0, failed = 0, filtered = 0, repeated = 0 } = figures
  const { slowestMs, events = 0, bytes = 0 } = figures
  const held = filtered > 0 ? `${filtered.toLocaleString('en')} filtered` : ''
  const words =
    kind === 'EventSource'
      ? [
          running === undefined ? '' : `${counted(running, 'entry', 'entries')} running`,
          `${sent.toLocaleString('en')} sent`,
          held,
          repeated > 0 ? `${counted(repeated, 'repeat')} dropped` : '',
          slowestMs === undefined ? '' : `stored within ${formatDuration(slowestMs)}`,
        ]
      : kind === 'Sensor'
        ? [
            `${done.toLocaleString('en')} done`,
            held,
            slowestMs === undefined ? '' : `within ${formatDuration(slowestMs)}`,
          ]
        : [`${counted(events, 'event')} kept`, formatBytes(bytes)]
  if (failed > 0) words.push(`${failed.toLocaleString('en')} failed`)
  return words.filter(word => word !== '').join(' · ')
}

/** How far it is, for a table: what a source has heard and remembers, what a sensor has handled, where a bus ends. */
export function positionWords({ kind, head, parts = [] }: Figures): string {
  if (kind === 'EventBus') return head === undefined ? '' : `last event at ${count(head)}`
  if (kind === 'Sensor') {
    const positions = parts.flatMap(({ position }) => position ?? [])
    return positions.length === 0 ? '' : `handled up to ${count(Math.min(...positions))}`
  }
  const watching = parts.filter(({ silenceMs }) => silenceMs !== undefined)
  if (watching.length === 0) return ''
  const silenceMs = Math.max(...watching.map(part => part.silenceMs ?? 0))
  const versions = watching.flatMap(({ version }) => version ?? [])
  const sum = (field: 'remembered' | 'waiting') => watching.reduce((all, part) => all + (part[field] ?? 0), 0)
  const waiting = sum('waiting')
  return [
    silenceWords(silenceMs),
    ...(versions.length === 0 ? [] : [`read up to version ${Math.min(...versions)}`]),
    `remembers ${counted(sum('remembered'), 'object')}`,
    ...(waiting > 0 ? [`${counted(waiting, 'change')} not stored yet`] : []),
  ].join(' · ')
}

/** A server that is well says something at least once a minute. */
export const silenceWords = (ms: number): string =>
  ms < 1000 ? 'heard just now' : `heard ${formatDuration(ms, 1)} ago`

/** Why the archive does not tell what happens now. */
export function archiveWords({
  state,
  lag,
  lagMs,
  problem,
}: Pick<ArchiveStatus, 'state' | 'lag' | 'lagMs' | 'problem'>): string {
  const waiting = lag === 0 ? '' : `, ${counted(lag, 'record')} (${formatDuration(lagMs)}) behind`
  if (state === 'waiting')
    return `The archive’s database does not answer${waiting}. Nothing is lost: records are kept until it does${problem ? `. ${problem}` : '.'}`
  if (state === 'stopped') return 'The archive is only read here: what happens now is not in it.'
  return waiting === '' ? 'The archive is catching up.' : `The archive is catching up${waiting}.`
}

/** What of the history is kept. */
export function retentionWords(retention: Retention | undefined): string {
  const { maxAgeMs, maxEvents, maxBytes } = retention ?? {}
  const limits = [
    ...(maxAgeMs === undefined ? [] : [formatDuration(maxAgeMs)]),
    ...(maxEvents === undefined ? [] : [`at most ${counted(maxEvents, 'event')}`]),
    ...(maxBytes === undefined ? [] : [`at most ${formatBytes(maxBytes)}`]),
  ]
  return limits.length === 0 ? 'everything, no limit is set' : limits.join(', ')
}

const count = (value: number) => value.toLocaleString('en')

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const

/** `512 bytes`, `1.2 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte')
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power - 1]}`
}
