import type { NewRecord } from '@tiphys/journal/records'
import type { Output } from '../terminal.ts'
import { describeRecord } from './activity.ts'
import { formatLine } from './feed.ts'

/** What followed from each event, from records that are at hand: a heading, then one line each. */
export function chainsOf(records: readonly NewRecord[], out: Output): string[] {
  const traces = new Map<string, NewRecord[]>()
  for (const record of records) {
    const known = traces.get(record.trace)
    if (known) known.push(record)
    else traces.set(record.trace, [record])
  }
  return [...traces].flatMap(([trace, own]) => {
    const lines = own.flatMap(record => {
      const line = describeRecord(record)
      return line ? [`  ${formatLine(out, line, record.at ?? 0)}`] : []
    })
    return lines.length === 0 ? [] : [trace === '' ? 'without an event' : `event ${trace}`, ...lines]
  })
}

/** Whether something went wrong, so that somebody should look. */
export function isFailure(record: NewRecord): boolean {
  return describeRecord(record)?.tone === 'bad'
}
