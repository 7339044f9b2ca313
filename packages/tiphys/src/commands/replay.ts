import { TerminalFailure } from '@tiphys/env'
import { UsageFailure } from '../arguments.ts'
import { type RunCommand, textOf } from '../command.ts'
import { performAction } from '../session/action.ts'
import { type History, Instance } from '../session/instance.ts'
import { isEventId } from '../session/subject.ts'

/** As many as one object may name. */
const MOST_EVENTS = 10_000
const PAGE = 1000

/** `tiphys replay EVENT…|QUERY…` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const rate = rateOf(textOf(flags, 'rate'))
    const history = await instance.history()
    const buses = operands.every(isEventId) ? await named(history, operands) : await found(history, operands.join(' '))
    const count = [...buses.values()].reduce((sum, { events }) => sum + events.length, 0)
    if (count === 0) {
      terminal.out.print('No event is like that: nothing to send again.')
      return 0
    }
    if (flags.count === true) {
      terminal.out.print(
        flags.json === true ? JSON.stringify({ count }) : `${count} ${count === 1 ? 'event' : 'events'}`,
      )
      return 0
    }
    const { client } = await instance.cluster()
    const [sensor, trigger] = [textOf(flags, 'sensor'), textOf(flags, 'trigger')]
    let code = 0
    for (const { namespace, bus, events } of buses.values()) {
      const spec = {
        eventBusName: bus,
        events,
        ...(rate !== undefined && { rate }),
        ...(sensor !== undefined && { sensor }),
        ...(trigger !== undefined && { trigger }),
      }
      code = Math.max(code, await performAction(invocation, client, { kind: 'Replay', namespace, spec }))
    }
    return code
  })

interface BusEvents {
  namespace: string
  bus: string
  events: string[]
}

/** Of each bus, oldest first: in the order in which they happened. */
type Buses = Map<string, BusEvents>

function add(buses: Buses, event: { id: string; bus?: string; source: { namespace: string } }): void {
  const { namespace } = event.source
  const bus = event.bus?.split('/').at(-1) ?? 'default'
  const key = `${namespace}/${bus}`
  const known = buses.get(key) ?? { namespace, bus, events: [] }
  known.events.push(event.id)
  buses.set(key, known)
}

async function named(history: History, ids: readonly string[]): Promise<Buses> {
  const buses: Buses = new Map()
  for (const id of ids) {
    const event = await history.event(id, { maxBytes: 0 })
    if (!event)
      throw new TerminalFailure('cli-not-found', { what: `there is no event ${id}`, todo: 'tiphys events lists them' })
    add(buses, event)
  }
  return buses
}

async function found(history: History, query: string): Promise<Buses> {
  const buses: Buses = new Map()
  let count = 0
  for (let after: string | undefined; ; ) {
    const page = await history.events(
      { query },
      { limit: PAGE, order: 'oldest', ...(after !== undefined && { after }) },
    )
    for (const event of page.items) add(buses, event)
    count += page.items.length
    if (count > MOST_EVENTS)
      throw new TerminalFailure('cli-too-many-events', {
        what: `more than ${MOST_EVENTS} events are like that`,
        todo: 'Say more closely which are meant, for example with age:<1h',
      })
    if (page.next === undefined) return buses
    after = page.next
  }
}

function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const rate = Number(text)
  if (!Number.isInteger(rate) || rate < 1 || rate > 10_000)
    throw new UsageFailure(`--rate cannot be ${JSON.stringify(text)}`, 'It is a number from 1 to 10000')
  return rate
}
