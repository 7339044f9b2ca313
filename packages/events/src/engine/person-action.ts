import { asError, delay, type Env } from '@tiphys/env'
import type { Recorder } from '@tiphys/journal/records'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import type { Bus } from '../bus/bus.ts'
import type { Event } from '../event.ts'
import { eventId } from '../event-id.ts'
import { Pace, PacedSender } from './paced-sender.ts'
import type { FindPastEvents, PastEvent } from './past-event.ts'
import type { TriggerRunner } from './trigger-runner.ts'

/** Who made an object, as whoever made it says: the console and the command set it. */
export const MADE_BY_ANNOTATION = 'tiphys.dev/made-by'

export interface PersonActionsOptions {
  env: Env
  client: Client
  recorder: Recorder
  /** The bus of an EventBus; throws when there is none that is open. */
  busOf(namespace: string, name: string): Bus
  triggersOf(namespace: string, sensor: string): readonly TriggerRunner[] | undefined
  published(event: Event, namespace: string, bus: string): void
  pastEvents?: FindPastEvents
}

type Kind = 'Replay' | 'Retry' | 'Discard'

interface ActionSpec {
  eventBusName?: string
  events?: readonly string[]
  source?: string
  entry?: string
  key?: string
  from?: string
  until?: string
  sensor?: string
  trigger?: string
  mode?: 'Run' | 'Count'
  rate?: number
  reason?: string
}

interface Progress {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  total: number
  done: number
  /** Of a Replay: how many cannot be sent; the message says why. */
  refused?: number
  message: string
  startedAt: string
  finishedAt?: string
  by: string
}

const BETWEEN_WRITES_MS = 10_000
const USUAL_RATE = 10
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 60_000]
/** Of payloads, in characters: a bus may hold more than there is memory. */
const MOST_HELD = 16 * 2 ** 20
/** How many events a message names that could not be sent. */
const MOST_NAMED = 5
const DID = { Replay: 'replay', Retry: 'retry', Discard: 'discard' } as const

/** Carries out what people ask for by objects: replays, retries and discards. Each is carried out once; one that was cut
 *  short by a crash is taken up again, and what it had done by then is not done twice. */
export class PersonActions {
  readonly #options: PersonActionsOptions
  /** By key. One that is over stays, because what the cluster is seen to say of it may be older. */
  readonly #known = new Map<string, { uid: string; ended: AbortController; run: Promise<void>; isOver: boolean }>()

  #waiting = 0

  constructor(options: PersonActionsOptions) {
    this.#options = options
  }

  /** What waits for its turn because of the rate does not count. */
  isIdle(): boolean {
    return [...this.#known.values()].filter(({ isOver }) => !isOver).length === this.#waiting
  }

  async apply(key: string, object: KubeObject): Promise<void> {
    const { uid = '' } = object.metadata
    const { phase } = (object.status ?? {}) as Partial<Progress>
    if (this.#known.get(key)?.uid === uid || phase === 'Succeeded' || phase === 'Failed') return
    await this.remove(key)
    const ended = new AbortController()
    const known = { uid, ended, run: Promise.resolve(), isOver: false }
    this.#known.set(key, known)
    known.run = this.#run(object, ended.signal).finally(() => {
      known.isOver = true
    })
  }

  /** It is gone: what is left of it is not done. */
  async remove(key: string): Promise<void> {
    const known = this.#known.get(key)
    known?.ended.abort()
    await known?.run
    this.#known.delete(key)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#known.keys()].map(key => this.remove(key)))
  }

  async #run(object: KubeObject, signal: AbortSignal): Promise<void> {
    const { recorder } = this.#options
    const by = madeBy(object)
    const before = (object.status ?? {}) as Partial<Progress>
    const startedAt = before.startedAt ?? this.#now()
    const progress: Progress = { phase: 'Running', total: 0, done: 0, message: '', startedAt, by }
    const report = this.#reporter(object, progress)
    try {
      // Who asked is told before anything is done.
      if (before.startedAt === undefined) {
        const { apiVersion, kind, metadata } = object
        const { namespace = '', name = '', uid = '' } = metadata
        const { reason } = (object.spec ?? {}) as ActionSpec
        recorder.record({
          kind: 'audit',
          trace: '',
          who: by,
          did: DID[object.kind as Kind],
          target: { apiVersion, kind, namespace, name, uid },
          outcome: 'allowed',
          ...(reason !== undefined && { reason }),
        })
      }
      if (object.kind === 'Replay') await this.#replay(object, progress, report, signal)
      else await this.#handleParked(object, progress, report, signal)
      if (signal.aborted) return
      progress.phase = 'Succeeded'
    } catch (thrown) {
      if (signal.aborted) return
      progress.phase = 'Failed'
      progress.message = asError(thrown).message
    }
    progress.finishedAt = this.#now()
    await this.#tellEnd(object, progress, signal)
  }

  /** However long the API server is away: whoever waits for the end would wait for ever. */
  async #tellEnd(object: KubeObject, progress: Progress, signal: AbortSignal): Promise<void> {
    const { log } = this.#options.env
    for (let pauseMs = SHORTEST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      try {
        return await this.#write(object, progress)
      } catch (thrown) {
        log.warn('the outcome of an action cannot be written, it is tried again', { error: asError(thrown) })
        await this.#pause(pauseMs, signal)
      }
    }
  }

  async #replay(object: KubeObject, progress: Progress, report: Report, signal: AbortSignal): Promise<void> {
    const { namespace = '', uid = '' } = object.metadata
    const spec = (object.spec ?? {}) as ActionSpec
    const name = spec.eventBusName ?? 'default'
    const bus = this.#options.busOf(namespace, name)
    const isMeant = selection(spec)
    const missing = new Set(spec.events)
    const onBus: OnBus[] = []
    let held = 0
    for await (const { event } of bus.events()) {
      missing.delete(event.id)
      if (!isMeant(event)) continue
      held += event.data.length
      onBus.push({ id: event.id, time: Date.parse(event.time), ...(held <= MOST_HELD && { event }) })
    }
    progress.total = onBus.length + missing.size
    await report(true)
    const isCount = spec.mode === 'Count'
    const refused: string[] = []
    let count = isCount ? onBus.length : 0
    const past = (ids: ReadonlySet<string>) => this.#past({ namespace, name }, ids, signal)
    const read = async function* ({ id, event: known }: OnBus): AsyncIterable<PastEvent> {
      const event = known ?? (await bus.find(id))
      if (event) yield { event }
      // Dropped while others were sent.
      else yield* past(new Set([id]))
    }
    const sender = this.#senderTo({ bus, namespace, name }, spec, progress, report, signal)
    for await (const found of isCount ? past(missing) : inOrder(onBus, read, past(missing))) {
      if (signal.aborted) return
      if ('why' in found) {
        refused.push(`${found.id}: ${found.why}`)
        continue
      }
      if (!isMeant(found.event)) {
        progress.total--
        continue
      }
      count++
      if (isCount) continue
      await sender.send(repeated(found.event, uid, spec))
      await report(false)
    }
    await sender.stored()
    if (signal.aborted) return
    if (refused.length > 0) progress.refused = refused.length
    const others = `not: ${namedOf(refused)}`
    if (isCount) {
      progress.message = `${counted(count, 'event')} would be sent`
      if (refused.length > 0) progress.message += `, ${refused.length} would ${others}`
      return
    }
    progress.message = `${counted(count, 'event was', 'events were')} sent again`
    if (refused.length > 0) throw new Error(`${progress.message}, ${counted(refused.length, 'was', 'were')} ${others}`)
  }

  #senderTo(
    { bus, namespace, name }: { bus: Bus; namespace: string; name: string },
    { rate = USUAL_RATE }: ActionSpec,
    progress: Progress,
    report: Report,
    signal: AbortSignal,
  ): PacedSender {
    return new PacedSender({
      clock: this.#options.env.clock,
      bus,
      rate,
      signal,
      pause: ms => this.#pause(ms, signal),
      onStored: event => {
        // One that was stored before a crash may not have been recorded then.
        this.#options.published(event, namespace, name)
        progress.done++
      },
      onHeldBack: async why => {
        const isNews = (why === undefined) !== (progress.message === '')
        progress.message = why ? `Events are held back: ${why.message}` : ''
        await report(isNews)
      },
    })
  }

  /** What the bus has no more; also what nobody knows, with the words for that. */
  async *#past(
    bus: { namespace: string; name: string },
    missing: ReadonlySet<string>,
    signal: AbortSignal,
  ): AsyncIterable<PastEvent> {
    const unknown = new Set(missing)
    const { pastEvents } = this.#options
    if (pastEvents && unknown.size > 0) {
      for await (const found of pastEvents(bus, [...missing], signal)) {
        unknown.delete('why' in found ? found.id : found.event.id)
        yield found
      }
    }
    for (const id of unknown) yield { id, why: 'neither the bus nor the history has it' }
  }

  async #handleParked(object: KubeObject, progress: Progress, report: Report, signal: AbortSignal): Promise<void> {
    const { namespace = '' } = object.metadata
    const spec = (object.spec ?? {}) as ActionSpec
    const triggers = this.#options.triggersOf(namespace, spec.sensor ?? '')
    if (!triggers) throw new Error(`There is no Sensor ${namespace}/${spec.sensor} that runs`)
    const meant = triggers.filter(({ name }) => spec.trigger === undefined || name === spec.trigger)
    if (meant.length === 0) {
      const what = spec.trigger === undefined ? 'trigger that can be carried out' : `trigger ${spec.trigger}`
      throw new Error(`The Sensor ${spec.sensor} has no ${what}`)
    }
    const ids = spec.events && new Set(spec.events)
    const parked = (
      await Promise.all(
        meant.map(async trigger => (await trigger.dispatcher.parked()).map(({ action }) => ({ trigger, action }))),
      )
    )
      .flat()
      .filter(({ action }) => !ids || Object.values(action.events).some(({ id }) => ids.has(id)))
    progress.total = parked.length
    await report(true)
    let failed = 0
    const pace = new Pace(this.#options.env.clock, spec.rate ?? USUAL_RATE)
    for (const { trigger, action } of parked) {
      if (object.kind === 'Retry' && pace.waitMs > 0) await this.#pause(pace.waitMs, signal)
      if (signal.aborted) return
      pace.note()
      if (object.kind === 'Discard') await trigger.dispatcher.discard(action.key, spec.reason ?? '')
      else if ((await trigger.retry(action.key)) === 'parked') failed++
      progress.done++
      await report(false)
    }
    if (failed > 0) {
      const all = counted(parked.length, 'delivery', 'deliveries')
      throw new Error(`${failed} of ${all} failed again and ${failed === 1 ? 'stays' : 'stay'} parked`)
    }
    const were = counted(progress.done, 'delivery was', 'deliveries were')
    progress.message = `${were} ${object.kind === 'Retry' ? 'made' : 'discarded'}`
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    this.#waiting++
    await delay(this.#options.env.clock, ms, signal).catch(() => {})
    this.#waiting--
  }

  #reporter(object: KubeObject, progress: Progress): Report {
    const { clock, log } = this.#options.env
    let last = Number.NEGATIVE_INFINITY
    return async isDue => {
      const now = clock.monotonic()
      if (!isDue && now - last < BETWEEN_WRITES_MS) return
      last = now
      // It goes on all the same, and how far it is will be told again.
      await this.#write(object, progress).catch(error =>
        log.warn('the progress of an action cannot be written', { error: asError(error) }),
      )
    }
  }

  async #write({ apiVersion, kind, metadata }: KubeObject, progress: Progress): Promise<void> {
    const { namespace = '', name = '' } = metadata
    await this.#options.client
      .patch(
        { apiVersion, kind, namespace, name },
        { type: 'merge', patch: { status: { ...progress } } },
        { subresource: 'status', fieldManager: 'tiphys' },
      )
      .catch(error => {
        if (!isNotFound(error)) throw error
      })
  }

  #now(): string {
    return new Date(this.#options.env.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  }
}

type Report = (isDue: boolean) => Promise<void>

/** The API does not say who made an object. What the maker says of itself comes first, then the program it used. */
function madeBy({ metadata: { annotations, managedFields } }: KubeObject): string {
  return annotations?.[MADE_BY_ANNOTATION] ?? managedFields?.[0]?.manager ?? 'unknown'
}

function selection({ events, source, entry, key, from, until }: ActionSpec): (event: Event) => boolean {
  const ids = events && new Set(events)
  return event => {
    const time = Date.parse(event.time)
    if (ids ? !ids.has(event.id) : event.replayOf !== undefined) return false
    return (
      (source === undefined || event.source === source) &&
      (entry === undefined || event.subject === entry) &&
      (key === undefined || event.key === key) &&
      (from === undefined || time >= Date.parse(from)) &&
      (until === undefined || time < Date.parse(until))
    )
  }
}

/** A new event that names the original. Made again, after a crash, it is the same one. */
function repeated(original: Event, uid: string, { sensor, trigger }: ActionSpec): Event {
  const { only: _, ...event } = original
  return {
    ...event,
    id: eventId(uid, original.id),
    replayOf: original.replayOf ?? original.id,
    ...((sensor !== undefined || trigger !== undefined) && {
      only: { ...(sensor !== undefined && { sensor }), ...(trigger !== undefined && { trigger }) },
    }),
  }
}

/** An event that the bus has. */
interface OnBus {
  id: string
  time: number
  /** Of those that there is no room for it is read when their turn comes. */
  event?: Event
}

/** By their times. What a slow Sensor holds on the bus may be older than what is gone, so that neither comes first as a whole. */
async function* inOrder(
  onBus: readonly OnBus[],
  read: (one: OnBus) => AsyncIterable<PastEvent>,
  past: AsyncIterable<PastEvent>,
): AsyncIterable<PastEvent> {
  let next = 0
  for await (const found of past) {
    const until = 'why' in found ? Number.NEGATIVE_INFINITY : Date.parse(found.event.time)
    for (let event = onBus[next]; event && event.time < until; event = onBus[++next]) yield* read(event)
    yield found
  }
  for (const event of onBus.slice(next)) yield* read(event)
}

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

function namedOf(refused: readonly string[]): string {
  const more = refused.length - MOST_NAMED
  return [...refused.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
