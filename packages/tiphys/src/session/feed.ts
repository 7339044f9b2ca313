import type { Clock } from '@tiphys/env'
import type { NewRecord } from '@tiphys/journal/records'
import { bold, cyan, dim, green, type Output, red, type Terminal } from '../terminal.ts'
import { type ActivityLine, describeRecord } from './activity.ts'
import { createStatusLine, type StatusOptions } from './status-line.ts'

/** Tells whoever looks on what happens, one line each. On a terminal everything, elsewhere only what went wrong and is well again. */
export interface Feed {
  show(record: NewRecord): void
  /** A line about the instance itself. */
  say(line: ActivityLine): void
  /** What went well on a terminal is told from now on, and so is what has happened before; below it stands how much that
   *  is in all. */
  begin(status: StatusOptions): void
  end(): void
}

/** So many runs are remembered, so as not to be told of twice. */
const MOST_RUNS = 10_000

export function createFeed(terminal: Terminal, clock: Clock): Feed {
  const { out, err } = terminal
  const now = () => clock.now()
  const status = createStatusLine(terminal, clock)
  /** What waits for the screen to be begun; undefined since then. */
  let early: string[] | undefined = []
  const say = (line: ActivityLine) => {
    if (!out.isInteractive) {
      if (line.tone === 'bad' || line.endsTrouble) err.print(formatLine(err, line, now()))
    } else if (early && line.tone !== 'bad') early.push(formatLine(out, line, now()))
    else out.print(formatLine(out, line, now()))
  }
  /** Sensors that are told before their sources. */
  const sourceless = new Set<string>()
  /** A run is told of again and again as it goes on. */
  const phases = new Map<string, string>()
  const tell = (record: NewRecord) => {
    if (record.kind === 'health' && isEarly(record, sourceless)) return
    if (record.kind === 'run') {
      if (phases.get(record.run.uid) === record.phase) return
      phases.set(record.run.uid, record.phase)
      if (phases.size > MOST_RUNS) phases.delete([...phases.keys()][0] ?? '')
    }
    if (!out.isInteractive && isOrdinary(record)) return
    const line = describeRecord(record)
    if (line) say(line)
  }
  return {
    say,
    begin(options) {
      for (const line of early ?? []) out.print(line)
      early = undefined
      status.begin(options)
    },
    end: () => status.end(),
    show(record) {
      const isCounted = status.count(record)
      tell(record)
      if (isCounted) status.renew()
    },
  }
}

/** What nothing is ever said of where only trouble is told: most of what happens, by the thousand. */
function isOrdinary(record: NewRecord): boolean {
  if (record.kind === 'delivery') return record.outcome === 'started' || record.outcome === 'succeeded'
  return (
    record.kind === 'event' || record.kind === 'write' || (record.kind === 'decision' && record.verdict !== 'failed')
  )
}

/** A Sensor without a source is told of by lint and its condition; here it would be so of every new one for a moment. */
function isEarly(
  { object, condition, reason, status }: Extract<NewRecord, { kind: 'health' }>,
  sourceless: Set<string>,
) {
  const key = JSON.stringify([object.namespace, object.name, condition])
  if (reason === 'SourceMissing') return sourceless.add(key) !== undefined
  return status === 'True' && sourceless.delete(key)
}

export function formatLine(output: Output, { tone, label, text }: ActivityLine, now: number): string {
  const time = dim(output, new Date(now).toISOString().slice(11, 19))
  const word = label.padEnd(8)
  if (tone === 'bad') return `${time} ${red(output, `✖ ${word}`)} ${text}`
  if (tone === 'good') return `${time} ${green(output, '✔')} ${word} ${text}`
  if (tone === 'dim') return dim(output, `${new Date(now).toISOString().slice(11, 19)}   ${word} ${text}`)
  return `${time} ${cyan(output, '•')} ${word} ${text}`
}

/** Where everything is, that it can be used, and for whoever looks what to type next. */
export function printPlaces(
  out: Output,
  places: Readonly<Record<string, string>>,
  next: readonly (readonly [string, string])[],
): void {
  const width = Math.max(...Object.keys(places).map(name => name.length), 10)
  for (const [name, value] of Object.entries(places)) out.print(`${bold(out, name.padEnd(width))}  ${value}`)
  out.print('tiphys is ready')
  if (!out.isInteractive) return
  const widest = Math.max(...next.map(([command]) => command.length))
  out.print('')
  for (const [command, does] of next) out.print(`  ${command.padEnd(widest)}  ${dim(out, does)}`)
  out.print('')
}
