import type { NewRecord } from '@tiphys/journal/records'
import { bold, cyan, dim, green, type Output, red, type Terminal } from '../terminal.ts'
import { type ActivityLine, describeRecord } from './activity.ts'

/** Tells whoever looks on what happens, one line each. On a terminal everything, elsewhere only what went wrong. */
export interface Feed {
  show(record: NewRecord): void
  /** A line about the instance itself. */
  say(line: ActivityLine): void
}

/** So many runs are remembered, so as not to be told of twice. */
const MOST_RUNS = 10_000

export function createFeed({ out, err }: Terminal, now: () => number): Feed {
  const say = (line: ActivityLine) => {
    if (out.isInteractive) return out.print(formatLine(out, line, now()))
    if (line.tone === 'bad') err.print(formatLine(err, line, now()))
  }
  /** Sensors that are told before their sources. */
  const early = new Set<string>()
  /** A run is told of again and again as it goes on. */
  const phases = new Map<string, string>()
  return {
    say,
    show(record) {
      if (record.kind === 'health' && isEarly(record, early)) return
      if (record.kind === 'run') {
        if (phases.get(record.run.uid) === record.phase) return
        phases.set(record.run.uid, record.phase)
        if (phases.size > MOST_RUNS) phases.delete([...phases.keys()][0] ?? '')
      }
      const line = describeRecord(record)
      if (line) say(line)
    },
  }
}

/** A Sensor without a source is told of by lint and its condition; here it would be so of every new one for a moment. */
function isEarly({ object, condition, reason, status }: Extract<NewRecord, { kind: 'health' }>, early: Set<string>) {
  const key = JSON.stringify([object.namespace, object.name, condition])
  if (reason === 'SourceMissing') return early.add(key) !== undefined
  return status === 'True' && early.delete(key)
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
