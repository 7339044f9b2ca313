import { type EventItem, whyNothing } from '@tiphys/archive'
import { systemClock, TerminalFailure } from '@tiphys/env'
import type { Invocation, RunCommand } from '../command.ts'
import { objectName, partName } from '../session/activity.ts'
import { type History, Instance } from '../session/instance.ts'
import { limitOf, moreRows, noRows, queryOf, timeAgo } from '../session/listing.ts'
import { findEventId } from '../session/subject.ts'
import { bold, dim, green, type Output, padTo, red, yellow } from '../terminal.ts'
import { printTable } from '../text-table.ts'

/** As much of an id as a person wants to see. */
const SHORT_ID = 12

/** `tiphys events [QUERY…]`, `tiphys events -f [QUERY…]` and `tiphys events ID`. */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const words = invocation.operands[0] === 'show' ? invocation.operands.slice(1) : invocation.operands
    if (invocation.flags.follow === true) instance.mustRun()
    const history = await instance.history()
    const id = words.length === 1 ? await findEventId(history, words[0] ?? '') : undefined
    if (id !== undefined) return await show(invocation, history, id)
    const query = queryOf({ operands: words, flags: invocation.flags })
    return invocation.flags.follow === true
      ? await follow(invocation, history, query)
      : await list(invocation, history, query)
  })

async function list({ flags, terminal: { out, err } }: Invocation, history: History, query: string): Promise<number> {
  const limit = limitOf(flags, 30)
  const page = await history.events({ query }, { limit })
  const { items } = page
  const more = moreRows(page, limit)
  if (flags.json === true) {
    for (const { cursor: _, ...event } of items) out.print(JSON.stringify(event))
    if (more !== undefined) err.print(`note: ${more}`)
    return 0
  }
  if (items.length === 0) {
    out.print(noRows(query === '' ? 'There are no events yet.' : 'No event is like that.', page))
    return 0
  }
  const now = systemClock.now()
  const rows = items.map(event => [
    timeAgo(event.at, now),
    verdictWord(out, event.verdict),
    partName(event.source),
    event.change ?? event.type,
    event.object ? objectName(event.object) : '',
    // Its beginning says which is meant.
    out.isInteractive ? event.id.slice(0, SHORT_ID) : event.id,
  ])
  printTable(out, ['AGE', 'VERDICT', 'SOURCE', 'TYPE', 'OBJECT', 'ID'], rows, { whole: 'ID' })
  if (more !== undefined) out.print(dim(out, more))
  return 0
}

async function follow(invocation: Invocation, history: History, query: string): Promise<number> {
  const { flags, interrupted } = invocation
  const { out } = invocation.terminal
  const shown = new Map<string, string>()
  for await (const { items } of history.follow([{ topic: 'events', selection: { query } }], undefined, interrupted))
    for (const { type, item } of items) {
      // An event comes again whenever more is known of it; what is shown is its verdict.
      if (type !== 'event' || shown.get(item.id) === item.verdict) continue
      shown.set(item.id, item.verdict)
      out.print(flags.json === true ? JSON.stringify(item) : eventLine(out, item))
    }
  return 0
}

function eventLine(out: Output, event: EventItem): string {
  const time = new Date(event.at).toISOString().slice(11, 19)
  const object = event.object ? ` ${objectName(event.object)}` : ''
  const verdict = verdictWord(out, event.verdict)
  return `${dim(out, time)} ${padTo(verdict, 10)} ${partName(event.source)} ${event.change ?? event.type}${object} ${dim(out, event.id)}`
}

async function show({ flags, terminal: { out } }: Invocation, history: History, id: string): Promise<number> {
  const trace = await history.trace(id)
  const event = await history.event(id, { maxBytes: Number.MAX_SAFE_INTEGER })
  if (!event)
    throw new TerminalFailure('cli-not-found', { what: `there is no event ${id}`, todo: 'tiphys events lists them' })
  if (flags.json === true) {
    out.print(JSON.stringify({ ...event, outcomes: trace?.outcomes ?? [] }))
    return 0
  }
  const fields: [string, string | undefined][] = [
    ['id', event.id],
    ['time', new Date(event.at).toISOString()],
    ['source', `${event.source.namespace}/${partName(event.source)}`],
    ['type', [event.type, event.change].filter(Boolean).join(' ')],
    ['object', event.object && objectName(event.object)],
    ['key', event.key],
    ['repeats', event.replayOf],
    ['verdict', verdictWord(out, event.verdict)],
  ]
  for (const [name, value] of fields) if (value !== undefined) out.print(`${bold(out, name.padEnd(8))}  ${value}`)
  // What its own source has ended was on no bus, and no trigger looked at it.
  const isPublished = event.bus !== undefined
  for (const { trigger, state, message, reason } of trace?.outcomes ?? [])
    out.print(
      `${bold(out, (isPublished ? 'trigger' : 'filter').padEnd(8))}  ${partName(trigger)} ${verdictWord(out, state)} ${message ?? reason ?? ''}`.trimEnd(),
    )
  if (trace && trace.outcomes.length === 0) out.print(`${bold(out, 'why'.padEnd(8))}  ${whyNothing(event)}`)
  out.print('')
  out.print(JSON.stringify(event.body, null, 2) ?? 'The event carries nothing.')
  out.print('')
  const again = isPublished ? `; tiphys replay ${id} sends it again` : ''
  out.print(dim(out, `tiphys trace ${id} shows what it set off${again}`))
  return 0
}

function verdictWord(out: Output, verdict: string): string {
  if (verdict === 'failed' || verdict === 'parked') return red(out, verdict)
  if (verdict === 'ran') return green(out, verdict)
  return verdict === 'running' || verdict === 'waiting' ? yellow(out, verdict) : dim(out, verdict)
}
