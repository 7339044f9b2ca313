import { type ReplayMode, replaySelection } from '@tiphys/archive'
import { TerminalFailure } from '@tiphys/env'
import { type Client, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import { type Invocation, type RunCommand, textOf } from '../command.ts'
import { countReplay, performAction } from '../session/action.ts'
import { formatDuration } from '../session/activity.ts'
import { type History, Instance } from '../session/instance.ts'
import { queryOf } from '../session/listing.ts'
import { findEventId, mayBeEventId } from '../session/subject.ts'

/** As many as one object may name. */
const MOST_EVENTS = 10_000
const PAGE = 1000
/** Of a Replay that says nothing of it. */
const USUAL_RATE = 10
/** Whoever waits so long wants to know why. */
const LONG_SECONDS = 20
const SENSOR = kindRef('argoproj.io/v1alpha1', 'Sensor')

/** `tiphys replay EVENT…|QUERY…` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const rate = rateOf(textOf(flags, 'rate'))
    const [sensor, trigger] = [textOf(flags, 'sensor'), textOf(flags, 'trigger')]
    if (trigger !== undefined && sensor === undefined)
      throw new UsageFailure('--trigger needs --sensor NAME', 'It is a trigger of that sensor')
    // What a shell makes of a variable that is not set.
    if (operands.join('').trim() === '')
      throw new UsageFailure('replay is told neither events nor a query', 'All there are would be age:>=0s')
    const history = await instance.history()
    const ids = await eventIds(history, operands)
    const mode = textOf(flags, 'mode') as ReplayMode | undefined
    if (ids && mode !== undefined)
      throw new UsageFailure('--mode chooses among the events of a QUERY', 'Leave it out where events are named')
    const buses = ids ? await named(history, ids) : await found(history, queryOf(invocation), mode)
    const count = [...buses.values()].reduce((sum, { events }) => sum + events.length, 0)
    if (count === 0 && flags.json !== true) {
      terminal.out.print('No event is like that: nothing to send again.')
      return 0
    }
    if (count === 0 || flags.count === true) {
      const counted = count === 0 ? { count } : { count, ...(await refusals(invocation, instance, buses)) }
      terminal.out.print(flags.json === true ? JSON.stringify(counted) : inWords(counted))
      return 0
    }
    const { client } = await instance.cluster()
    for (const { namespace } of buses.values()) await mustReact(client, namespace, sensor, trigger)
    const seconds = count / (rate ?? USUAL_RATE)
    if (seconds >= LONG_SECONDS)
      terminal.err.print(
        `note: ${count} events, ${rate ?? USUAL_RATE} in a second, take ${formatDuration(seconds * 1000)}; --rate changes that`,
      )
    let code = 0
    for (const { namespace, bus, events } of buses.values()) {
      if (invocation.interrupted.aborted) return code
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

interface Counted {
  count: number
  /** Those that cannot be sent, and why. */
  refused?: number
  why?: string
}

/** Asks the engine, where one runs: what the bus has no more may be in the history in part only. */
async function refusals(invocation: Invocation, instance: Instance, buses: Buses): Promise<Omit<Counted, 'count'>> {
  if (!instance.isOwnCluster) return {}
  const { client } = await instance.cluster()
  let refused = 0
  const why: string[] = []
  for (const { namespace, bus, events } of buses.values()) {
    const found = await countReplay(invocation, client, { namespace, spec: { eventBusName: bus, events } })
    refused += found.refused
    if (found.refused > 0) why.push(found.message)
  }
  return refused === 0 ? {} : { refused, why: why.join('; ') }
}

function inWords({ count, why }: Counted): string {
  return `${count} ${count === 1 ? 'event' : 'events'}${why === undefined ? '' : `: ${why}`}`
}

/** What is sent to somebody who is not there is sent to nobody. */
async function mustReact(client: Client, namespace: string, sensor: string | undefined, trigger: string | undefined) {
  if (sensor === undefined) return
  const found = await client.get<KubeObject>({ ...SENSOR, namespace, name: sensor }).catch(thrown => {
    if (!isNotFound(thrown)) throw thrown
    throw new TerminalFailure('cli-not-found', {
      what: `there is no Sensor ${namespace}/${sensor}`,
      todo: 'Look for its name in the manifests, or leave --sensor out: all that take the event react',
      cause: thrown,
    })
  })
  const { triggers = [] } = (found.spec ?? {}) as { triggers?: readonly { template?: { name?: string } }[] }
  const names = triggers.map(({ template }) => template?.name ?? '')
  if (trigger === undefined || names.includes(trigger)) return
  throw new TerminalFailure('cli-not-found', {
    what: `the Sensor ${namespace}/${sensor} has no trigger ${trigger}`,
    todo: `It has ${names.join(', ')}`,
  })
}

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

/** What the operands name, when they all are ids or beginnings of ids. */
async function eventIds(history: History, operands: readonly string[]): Promise<string[] | undefined> {
  if (!operands.every(mayBeEventId)) return undefined
  const ids = await Promise.all(operands.map(operand => findEventId(history, operand)))
  return ids.every(id => id !== undefined) ? [...new Set(ids)] : undefined
}

async function named(history: History, ids: readonly string[]): Promise<Buses> {
  const buses: Buses = new Map()
  for (const id of ids) {
    const event = await history.event(id, { maxBytes: 0 })
    if (!event)
      throw new TerminalFailure('cli-not-found', { what: `there is no event ${id}`, todo: 'tiphys events lists them' })
    if (event.bus === undefined)
      throw new TerminalFailure('cli-not-published', {
        what: `the event ${id} was on no bus: the filter of its own source ended it`,
        todo: `tiphys fire ${event.source.name} ${event.source.part} --data FILE sends the same payload past the filter`,
      })
    add(buses, event)
  }
  return buses
}

async function found(history: History, query: string, mode: ReplayMode = 'all'): Promise<Buses> {
  const selection = replaySelection({ query }, mode)
  const buses: Buses = new Map()
  let count = 0
  for (let after: string | undefined; ; ) {
    const page = await history.events(selection, {
      limit: PAGE,
      order: 'oldest',
      ...(after !== undefined && { after }),
    })
    // What its own source ended was on no bus.
    const sendable = page.items.filter(({ bus }) => bus !== undefined)
    for (const event of sendable) add(buses, event)
    count += sendable.length
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
