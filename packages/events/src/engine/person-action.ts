import { asError, delay, type Env } from '@tiphys/env'
import type { Recorder } from '@tiphys/journal/records'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import type { Bus } from '../bus/bus.ts'
import type { Event } from '../event.ts'
import { eventId } from '../event-id.ts'
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
  message: string
  startedAt: string
  finishedAt?: string
  by: string
}

const BETWEEN_WRITES_MS = 10_000
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
    const { env, recorder } = this.#options
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
    await report(true).catch(error =>
      env.log.error('the outcome of an action could not be written', { error: asError(error) }),
    )
  }

  async #replay(object: KubeObject, progress: Progress, report: Report, signal: AbortSignal): Promise<void> {
    const { namespace = '', uid = '' } = object.metadata
    const spec = (object.spec ?? {}) as ActionSpec
    const busName = spec.eventBusName ?? 'default'
    const bus = this.#options.busOf(namespace, busName)
    const wanted: Event[] = []
    for await (const { event } of bus.events()) if (isMeant(event, spec)) wanted.push(event)
    progress.total = wanted.length
    await report(true)
    if (spec.mode === 'Count') {
      progress.message = `${wanted.length} events would be sent`
      return
    }
    const { sensor, trigger } = spec
    for (const original of wanted) {
      const { only: _, ...event } = original
      const again: Event = {
        ...event,
        id: eventId(uid, original.id),
        replayOf: original.replayOf ?? original.id,
        ...((sensor !== undefined || trigger !== undefined) && {
          only: { ...(sensor !== undefined && { sensor }), ...(trigger !== undefined && { trigger }) },
        }),
      }
      if ((await bus.publish(again)) === 'stored') this.#options.published(again, namespace, busName)
      progress.done++
      await this.#pause(spec, report, signal)
      if (signal.aborted) return
    }
    progress.message = `${progress.done} events were sent again`
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
    for (const { trigger, action } of parked) {
      if (object.kind === 'Discard') await trigger.dispatcher.discard(action.key, spec.reason ?? '')
      else if ((await trigger.retry(action.key)) === 'parked') failed++
      progress.done++
      if (object.kind === 'Retry') await this.#pause(spec, report, signal)
      if (signal.aborted) return
    }
    if (failed > 0) throw new Error(`${failed} of ${parked.length} deliveries failed again and stay parked`)
    progress.message = `${progress.done} deliveries were ${object.kind === 'Retry' ? 'made' : 'discarded'}`
  }

  async #pause({ rate = 10 }: ActionSpec, report: Report, signal: AbortSignal): Promise<void> {
    await report(false)
    this.#waiting++
    await delay(this.#options.env.clock, 1000 / rate, signal).catch(() => {})
    this.#waiting--
  }

  #reporter({ apiVersion, kind, metadata }: KubeObject, progress: Progress): Report {
    const { client, env } = this.#options
    const { namespace = '', name = '' } = metadata
    let last = Number.NEGATIVE_INFINITY
    return async isDue => {
      const now = env.clock.monotonic()
      if (!isDue && now - last < BETWEEN_WRITES_MS) return
      last = now
      await client
        .patch(
          { apiVersion, kind, namespace, name },
          { type: 'merge', patch: { status: { ...progress } } },
          { subresource: 'status', fieldManager: 'tiphys' },
        )
        .catch(error => {
          if (!isNotFound(error)) throw error
        })
    }
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

function isMeant(event: Event, { events, source, entry, key, from, until }: ActionSpec): boolean {
  const time = Date.parse(event.time)
  if (events ? !events.includes(event.id) : event.replayOf !== undefined) return false
  return (
    (source === undefined || event.source === source) &&
    (entry === undefined || event.subject === entry) &&
    (key === undefined || event.key === key) &&
    (from === undefined || time >= Date.parse(from)) &&
    (until === undefined || time < Date.parse(until))
  )
}
