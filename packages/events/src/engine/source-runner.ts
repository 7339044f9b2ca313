import { asError } from '@tiphys/env'
import { getJson } from '@tiphys/expressions/gjson'
import type { Client, KubeObject } from '@tiphys/kube'
import type { Bus } from '../bus/bus.ts'
import { scopedMemory } from '../bus/scoped-memory.ts'
import type { Event } from '../event.ts'
import { unknownFields } from '../kinds/unknown-fields.ts'
import type { Problem } from '../problem.ts'
import { type SourceEntry, sourceEntries } from '../sources/index.ts'
import { checkAnnotations } from '../sources/resource-spec.ts'
import type { RunningSource, SourceEvent, SourceHealth, SourceHost, SourceProgress } from '../sources/source.ts'
import { accountOf, keyReader } from './account.ts'
import { busNameOf } from './bus-plan.ts'
import { healthCondition, problemCondition, type Trouble, troubleKey, type WantedCondition } from './condition.ts'
import { tellable } from './discretion.ts'
import type { EngineParts } from './engine-parts.ts'
import { Repeats } from './repeats.ts'
import { KEY_ANNOTATION } from './sensor-plan.ts'
import { Serial } from './serial.ts'

/** The bus that an object is to use, or why there is none. */
export type BusAccess = { bus: Bus } | { trouble: Trouble }

interface Entry {
  /** What it was started with: when that changes, it is started anew. */
  fingerprint: string
  running: RunningSource
  health: SourceHealth | undefined
  type: string
  repeats: Repeats
}

export const sourceMemory = (uid: string) => `source/${uid}/`

/** Runs the entries of one EventSource. */
export class SourceRunner {
  readonly #parts: EngineParts
  readonly #serial = new Serial()
  readonly #entries = new Map<string, Entry>()
  #object: KubeObject
  #bus: Bus | undefined
  /** Why it has no bus. */
  #busTrouble: Trouble | undefined
  /** What is wrong with the bus it has. */
  #runningTrouble: Trouble | undefined
  #problems: readonly Problem[] = []
  #unsupported: readonly { path: string; message: string }[] = []

  constructor(object: KubeObject, parts: EngineParts) {
    this.#object = object
    this.#parts = parts
  }

  get bus(): Bus | undefined {
    return this.#bus
  }

  /** Something begins or ends to be wrong with the bus it uses. */
  hearOfBus(trouble: Trouble | undefined): void {
    this.#runningTrouble = trouble && { ...trouble, message: `The EventBus is in trouble: ${trouble.message}` }
    this.#tell()
  }

  get running(): number {
    return [...this.#entries.values()].filter(({ health }) => health?.state === 'active').length
  }

  /** How far the entries are that follow something. */
  *progress(): Iterable<SourceProgress & { entry: string }> {
    for (const [entry, { running }] of this.#entries) {
      const progress = running.progress?.()
      if (progress) yield { entry, ...progress }
    }
  }

  /** Every entry has said how it is. */
  get hasReported(): boolean {
    return [...this.#entries.values()].every(({ health }) => health !== undefined)
  }

  isIdle(): boolean {
    return [...this.#entries.values()].every(({ running }) => running.isIdle?.() ?? true)
  }

  /** Starts what is new, starts anew what has changed, stops what is gone. The rest goes on. */
  apply(object: KubeObject, access: BusAccess): Promise<void> {
    return this.#serial.run(() => this.#apply(object, access))
  }

  /** Stops the entries; they go on where they were with the next bus or process. */
  leave(): Promise<void> {
    return this.#serial.run(() => this.#stopAll())
  }

  /** The EventSource is gone, and with it what its entries remember. */
  delete(): Promise<void> {
    return this.#serial.run(async () => {
      const bus = this.#bus
      await this.#stopAll()
      this.#parts.statuses.forget(this.#object)
      if (bus) await forgetAll(bus, sourceMemory(this.#object.metadata.uid ?? ''))
    })
  }

  /** Publishes an event that a person has made. */
  async fire(entry: string, event: SourceEvent): Promise<Event> {
    const running = this.#entries.get(entry)
    if (!this.#bus || !running) throw new Error(`${entry} is not running`)
    const made = this.#complete(event, entry, running.type)
    await this.#bus.publish(made)
    this.#parts.trail.published(made, this.#object.metadata.namespace ?? '', busNameOf(this.#object))
    return made
  }

  get entryNames(): readonly string[] {
    return [...this.#entries.keys()]
  }

  async #apply(object: KubeObject, access: BusAccess): Promise<void> {
    this.#object = object
    const bus = 'bus' in access ? access.bus : undefined
    const before = this.#bus
    if (before !== bus) await this.#stopAll()
    // It was told to use another one, and begins anew there. (One that is closed has let go of it before.)
    if (before && bus && before !== bus) await forgetAll(before, sourceMemory(object.metadata.uid ?? ''))
    this.#bus = bus
    this.#busTrouble = 'trouble' in access ? access.trouble : undefined
    const { entries, unsupported, problems } = sourceEntries((object.spec ?? {}) as Record<string, unknown>)
    this.#problems = problems
    this.#unsupported = unsupported.map(({ type, name, message }) => ({ path: `${type}.${name}`, message }))
    const isBad = ({ type, name }: SourceEntry) =>
      problems.some(
        ({ path, severity }) =>
          severity === 'error' && (path === `${type.type}.${name}` || path.startsWith(`${type.type}.${name}.`)),
      )
    const wanted = new Map(entries.filter(entry => !isBad(entry)).map(entry => [entry.name, entry]))
    const known = new Set(entries.map(({ name }) => name))
    for (const name of this.#entries.keys()) if (!wanted.has(name)) await this.#stopEntry(name)
    if (bus) {
      await this.#forgetEntriesBut(bus, known)
      for (const entry of wanted.values()) await this.#startEntry(entry, bus)
    }
    this.#tell()
  }

  async #startEntry(entry: SourceEntry, bus: Bus): Promise<void> {
    const { metadata } = this.#object
    const fingerprint = JSON.stringify([
      entry.type.type,
      entry.spec,
      accountOf(this.#object).name,
      metadata.uid,
      Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith('tiphys.dev/')),
    ])
    const before = this.#entries.get(entry.name)
    if (before?.fingerprint === fingerprint) return
    if (before) await this.#stopEntry(entry.name)
    const started: Entry = {
      fingerprint,
      running: { stop: () => Promise.resolve() },
      health: undefined,
      type: entry.type.type,
      repeats: new Repeats(this.#parts.env.clock),
    }
    this.#entries.set(entry.name, started)
    try {
      started.running = entry.type.start(entry.spec, this.#hostOf(entry, started, bus))
    } catch (thrown) {
      // One that cannot even be started ends nothing but itself.
      started.health = { state: 'failing', reason: 'StartFailed', message: asError(thrown).message }
    }
  }

  #hostOf({ name, type }: SourceEntry, entry: Entry, bus: Bus): SourceHost {
    const { env, accounts, http, trail, metrics, secretsIn } = this.#parts
    const { namespace = '', name: sourceName = '', uid = '', annotations = {} } = this.#object.metadata
    const client: Client = accounts(accountOf(this.#object))
    const labels = { namespace, eventsource_name: sourceName, event_name: name }
    return {
      env,
      eventSource: { namespace, name: sourceName, uid, annotations },
      entry: name,
      client,
      ...keyReader(client, namespace),
      publish: async made => {
        const event = this.#complete(made, name, type.type)
        const began = env.clock.monotonic()
        let outcome: 'stored' | 'duplicate'
        try {
          outcome = await bus.publish(event)
        } catch (error) {
          metrics.add('argo_events_events_sent_failed_total', labels)
          metrics.add('argo_events_events_processing_failed_total', labels)
          throw error
        }
        metrics.observe('argo_events_event_processing_duration_milliseconds', labels, env.clock.monotonic() - began)
        if (outcome === 'stored') metrics.add('argo_events_events_sent_total', labels)
        // One that was stored before a crash may not have been recorded then.
        if (outcome === 'stored' || type.type !== 'webhook') trail.published(event, namespace, busNameOf(this.#object))
        if (outcome === 'duplicate') this.#repeated(event, entry)
        return outcome
      },
      tellable: (message, made) => tellable(message, made, secretsIn),
      filtered: (made, grounds) => {
        const isAnswered = grounds.message === undefined
        if (!isAnswered) metrics.add('argo_events_events_processing_failed_total', labels)
        metrics.add('tiphys_events_filtered_total', labels)
        trail.ended(this.#complete(made, name, type.type), namespace, {
          dependency: '',
          verdict: isAnswered ? 'filtered' : 'failed',
          by: 'filter.expression',
          payload: made.data,
          ...grounds,
        })
      },
      memory: scopedMemory(bus.memory, `${sourceMemory(uid)}${type.type}/${encodeURIComponent(name)}/`),
      report: health => {
        entry.health = health
        this.#tell()
      },
      listen: route => http.listen(route),
    }
  }

  #repeated(event: Event, { repeats }: Entry): void {
    const { trail, metrics } = this.#parts
    const { namespace = '', name = '' } = this.#object.metadata
    const { subject } = event
    metrics.add('tiphys_events_repeated_total', { namespace, eventsource_name: name, event_name: subject })
    const times = repeats.note(event.id)
    if (times === undefined) return
    const message = `it came again under its id${times === 1 ? '' : `, ${times} times by now`}, and was dropped`
    trail.decided(event, { namespace, name, part: subject }, { dependency: '', verdict: 'repeated', by: 'id', message })
  }

  #complete(event: SourceEvent, entry: string, type: string): Event {
    const { name = '', annotations = {} } = this.#object.metadata
    const path = annotations[KEY_ANNOTATION]
    const found = path === undefined || event.key !== undefined ? undefined : getJson(event.data, path)
    // What is added stands first: fields behind a copy give every event a hidden class of its own, at several times the cost.
    const made: Event = { source: name, subject: entry, type, ...event }
    if (found?.exists) made.key = `key ${found.string()}`
    return made
  }

  async #stopEntry(name: string): Promise<void> {
    const entry = this.#entries.get(name)
    this.#entries.delete(name)
    try {
      await entry?.running.stop()
    } catch (thrown) {
      this.#parts.env.log.warn('an entry of an EventSource did not end well', { name, error: asError(thrown) })
    }
  }

  async #stopAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map(name => this.#stopEntry(name)))
    this.#bus = undefined
    this.#runningTrouble = undefined
  }

  async #forgetEntriesBut(bus: Bus, names: ReadonlySet<string>): Promise<void> {
    const prefix = sourceMemory(this.#object.metadata.uid ?? '')
    for (const key of bus.memory.keys(prefix)) {
      const [, entry = ''] = key.slice(prefix.length).split('/')
      if (!names.has(decodeURIComponent(entry))) await bus.memory.delete(key)
    }
  }

  #tell(): void {
    const { metadata } = this.#object
    const errors = this.#problems.filter(({ severity }) => severity === 'error')
    const bad = [...errors, ...this.#unsupported]
    const troubles: Trouble[] = [
      ...(this.#busTrouble ? [this.#busTrouble] : []),
      ...(this.#runningTrouble ? [this.#runningTrouble] : []),
      ...[...this.#entries].flatMap(([part, { health }]) =>
        health && health.state !== 'active' ? [{ part, reason: health.reason, message: health.message }] : [],
      ),
    ]
    const warnings = [
      ...unknownFields(this.#object),
      ...checkAnnotations(metadata.annotations ?? {}),
      ...this.#problems.filter(
        ({ severity, message }) => severity === 'warning' && !message.startsWith('unknown field'),
      ),
    ]
    const deployed: WantedCondition = this.#busTrouble
      ? { type: 'Deployed', status: 'False', reason: this.#busTrouble.reason, message: this.#busTrouble.message }
      : { type: 'Deployed', status: 'True', reason: 'Running', message: '' }
    this.#parts.statuses.set(this.#object, {
      conditions: [
        problemCondition('SourcesProvided', bad, {
          good: 'SourcesProvided',
          bad: errors.length > 0 ? 'InvalidSource' : 'NotSupported',
        }),
        deployed,
        healthCondition(troubles),
        problemCondition('FieldsKnown', warnings, { good: 'AllKnown', bad: 'UnknownFields' }),
      ],
      identity: JSON.stringify([bad.map(({ path, message }) => path || message), troubles.map(troubleKey)]),
      isSettling: !this.hasReported,
    })
  }
}

export async function forgetAll(bus: Bus, prefix: string): Promise<void> {
  await Promise.all(bus.memory.keys(prefix).map(key => bus.memory.delete(key)))
}
