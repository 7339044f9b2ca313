import { delay, type Env, TerminalFailure, untilQuiet, uuid } from '@tiphys/env'
import type { ScriptPool } from '@tiphys/expressions/script-pool'
import { type Client, createWorkQueue, type KubeObject, type ObjectChange, type WorkQueue } from '@tiphys/kube'
import type { Bus } from '../bus/bus.ts'
import { createLanguages } from '../sensor/languages.ts'
import { createHttpHost, type HttpHost } from '../sources/http-host.ts'
import { whyNoEntry } from '../sources/index.ts'
import { createTriggerTypes } from '../triggers/index.ts'
import { type Account, actingAs } from './account.ts'
import { busNameOf, DEFAULT_BUS } from './bus-plan.ts'
import { Buses } from './buses.ts'
import { healthCondition } from './condition.ts'
import type { EngineParts } from './engine-parts.ts'
import type { BusReport, EventEngine, EventEngineOptions } from './event-engine.ts'
import { NO_FLIGHTS } from './flights.ts'
import { impatientClient } from './impatient-client.ts'
import { createMetrics, type Gauge } from './metrics.ts'
import { PersonActions } from './person-action.ts'
import type { Dependency } from './sensor-plan.ts'
import { freeSensor, type ParkedDelivery, SensorRunner, type Sighting } from './sensor-runner.ts'
import { type BusAccess, forgetAll, SourceRunner, sourceMemory } from './source-runner.ts'
import { createStatusWriter, type StatusWriter } from './status-writer.ts'
import { createTrail, type PublishedBy } from './trail.ts'
import { sensorUidOf } from './trigger-runner.ts'
import { ALL_KINDS, ARGO, KINDS, type Kind, WatchedKinds } from './watched-kinds.ts'
import { createWorkflowCompletion } from './workflow-completion.ts'

/** A source that does not say how it is does not keep the engine from being ready for longer. */
const READY_PATIENCE_MS = 10_000
const STOP_PATIENCE_MS = 9500
/** A change reaches whoever watches in a few turns of the event loop. */
const QUIET_TURNS = 4

/** Runs what the objects of a cluster say. See `event-engine.ts` for what can be relied on. */
export class Engine implements EventEngine {
  readonly #options: EventEngineOptions
  readonly #env: Env
  readonly #http: HttpHost
  readonly #statuses: StatusWriter
  readonly #parts: EngineParts
  readonly #buses: Buses
  readonly #actions: PersonActions
  readonly #watched: WatchedKinds
  readonly #queue: WorkQueue<string>
  readonly #sources = new Map<string, SourceRunner>()
  readonly #sensors = new Map<string, SensorRunner>()
  readonly #sightings = new Map<string, Sighting>()
  readonly #accounts = new Map<string, Client>()
  /** Whether Sensors depend on an entry of a source, as they are now. */
  readonly #heard = new Map<string, boolean>()
  /** Keys of objects that were started or have their condition. */
  readonly #processed = new Set<string>()
  /** Keys of objects that could not be taken up, and are tried again. */
  readonly #failed = new Set<string>()
  /** Whose object a runner runs, by uid. */
  readonly #owners = new WeakMap<SensorRunner | SourceRunner, string>()
  readonly #swept = new WeakSet<Bus>()
  readonly #ready: Promise<void>
  /** Something has happened that may have made the engine ready. */
  #look = () => {}
  #isStopped = false

  constructor(options: EventEngineOptions) {
    const { env, client, recorder, listenHost, openJournal, pastEvents } = options
    this.#options = options
    this.#env = env
    this.#http = createHttpHost({ env, ...(listenHost !== undefined && { address: listenHost }) })
    const statuses = createStatusWriter(client, env, recorder)
    this.#statuses = {
      set: (object, wanted) => {
        statuses.set(object, wanted)
        this.#look()
      },
      forget: object => statuses.forget(object),
      isIdle: () => statuses.isIdle(),
      stop: () => statuses.stop(),
    }
    this.#parts = {
      env,
      accounts: account => this.#clientOf(account),
      http: this.#http,
      statuses: this.#statuses,
      metrics: createMetrics(),
      trail: createTrail(recorder, by => this.#isHeard(by)),
      secretsIn: payload => recorder.secretsIn(payload),
      flights: options.flights ?? NO_FLIGHTS,
      languages: createLanguages(env),
      scripts: options.scripts ?? NO_SCRIPTS,
      triggerTypes: createTriggerTypes(),
      access: options.access ?? {},
      workflows: options.workflowControl,
      completion: createWorkflowCompletion(client, env),
    }
    this.#buses = new Buses({
      env,
      statuses: this.#statuses,
      openJournal,
      clientIn: namespace => this.#clientOf({ namespace, name: 'default' }),
      onChange: key => this.#onBusChange(key),
      onLeaving: bus => this.#leave(bus),
      onTrouble: (bus, trouble) => {
        for (const runner of [...this.#sources.values(), ...this.#sensors.values()])
          if (runner.bus === bus) runner.hearOfBus(trouble)
      },
    })
    this.#actions = new PersonActions({
      env,
      client,
      recorder,
      busOf: (namespace, name) => this.#openBus(namespace, name),
      triggersOf: (namespace, sensor) => this.#sensors.get(`${namespace}/${sensor}`)?.triggers,
      published: (event, namespace, bus) => this.#parts.trail.published(event, namespace, bus),
      ...(pastEvents && { pastEvents }),
    })
    this.#queue = createWorkQueue<string>({
      env,
      concurrency: 8,
      backoff: { initialMs: 100, maxMs: 30_000 },
      process: async key => {
        await this.#process(key)
        this.#failed.delete(key)
        this.#look()
      },
      onError: (key, error, { inMs }) => this.#onFailed(key, error, inMs),
    })
    this.#watched = new WatchedKinds({
      client,
      env,
      namespaces: options.namespaces,
      onChange: (kind, change) => this.#onChange(kind, change),
    })
    this.#ready = this.#becomeReady()
    // Whoever asks is told; nobody has to.
    this.#ready.catch(() => {})
  }

  ready(): Promise<void> {
    return this.#ready
  }

  isIdle(): boolean {
    const { waiting, processing } = this.#queue.metrics()
    return (
      waiting.fresh + waiting.backlog + processing === 0 &&
      this.#buses.isIdle() &&
      this.#statuses.isIdle() &&
      this.#actions.isIdle() &&
      [...this.#sources.values()].every(source => source.isIdle()) &&
      [...this.#sensors.values()].every(sensor => sensor.isIdle())
    )
  }

  async settled(): Promise<void> {
    await this.#ready
    await untilQuiet(() => this.isIdle(), QUIET_TURNS)
  }

  metrics(): string {
    return this.#parts.metrics.text(this.#gauges())
  }

  async fire({ namespace, source, entry, data, who }: Parameters<EventEngine['fire']>[0]): Promise<string> {
    const runner = this.#sources.get(`${namespace}/${source}`)
    if (!runner || !runner.entryNames.includes(entry))
      throw new TerminalFailure('events-no-such-entry', {
        what: `No entry ${entry} of an EventSource ${namespace}/${source} is running`,
        ...(runner && { todo: `It is one of ${runner.entryNames.join(', ') || 'none'}` }),
      })
    const id = uuid(this.#env.random).replaceAll('-', '')
    const made = await runner.fire(entry, { id, time: new Date(this.#env.clock.now()).toISOString(), data })
    this.#options.recorder.record({
      kind: 'audit',
      trace: made.id,
      who,
      did: 'fire',
      target: { event: made.id },
      outcome: 'allowed',
    })
    return made.id
  }

  async parked(): Promise<readonly ParkedDelivery[]> {
    return (await Promise.all([...this.#sensors.values()].map(sensor => sensor.parked()))).flat()
  }

  buses(): readonly BusReport[] {
    return this.#buses.all().map(({ namespace, name, state }) => ({
      namespace,
      name,
      ...(state.state === 'open' && { health: state.bus.health(), head: state.bus.head }),
      ...(state.state === 'closed' && { trouble: state.message }),
    }))
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#look()
    const patience = new AbortController()
    // A bus that does not answer is not waited for: what it has not stored comes again.
    const isEnough = delay(this.#env.clock, STOP_PATIENCE_MS, patience.signal).catch(() => {})
    await Promise.race([this.#end(), isEnough])
    patience.abort()
    this.#parts.flights.close()
  }

  async #end(): Promise<void> {
    this.#watched.stop()
    await this.#queue.shutdown()
    await this.#actions.stop()
    // Sources first: what they have taken in is on the bus then, for the next time.
    await Promise.all([...this.#sources.values()].map(source => source.leave()))
    await Promise.all([...this.#sensors.values()].map(sensor => sensor.leave()))
    await this.#buses.stop()
    await this.#http.close()
    this.#parts.completion.stop()
    await this.#statuses.stop()
  }

  #clientOf(account: Account): Client {
    const key = `${account.namespace}/${account.name}`
    const known = this.#accounts.get(key)
    if (known) return known
    const { actAs, client } = this.#options
    const acting = impatientClient(actAs ? actAs(account) : actingAs(client, account), this.#env.clock)
    this.#accounts.set(key, acting)
    return acting
  }

  #onChange(kind: Kind, change: ObjectChange): void {
    const { object, type } = change
    const { namespace = '', name = '', uid = '' } = object.metadata
    const key = `${kind}/${namespace}/${name}`
    if (kind === 'Sensor') this.#heard.clear()
    if (kind === 'Sensor' && type === 'added' && !change.initial) {
      const state = this.#buses.get(`${namespace}/${busNameOf(object)}`)
      this.#sightings.set(uid, { head: state?.state === 'open' ? state.bus.head : undefined })
    }
    this.#enqueue(key)
    if (kind === 'EventSource') this.#wake('Sensor', namespace, () => true)
  }

  #onFailed(key: string, error: Error, inMs: number): void {
    this.#env.log.error('an object could not be taken up, and is tried again', { key, error, inMs })
    this.#failed.add(key)
    const [kind, namespace = '', name = ''] = key.split('/') as [Kind, string, string]
    const object = KINDS[kind] === ARGO ? this.#watched.find(kind, namespace, name) : undefined
    if (object) {
      const message = `It could not be taken up, which is tried again: ${error.message}`
      const condition = healthCondition([{ part: '', reason: 'TakingUpFailed', message }])
      this.#statuses.set(object, { conditions: [condition], identity: 'TakingUpFailed' })
    }
    if (kind === 'Sensor') this.#wakeSources(namespace)
    this.#look()
  }

  /** Those that wait for the Sensors of their bus. */
  #wakeSources(namespace: string): void {
    this.#wake(
      'EventSource',
      namespace,
      ({ metadata }) => !this.#processed.has(`EventSource/${namespace}/${metadata.name}`),
    )
  }

  #onBusChange(key: string): void {
    const [namespace = '', name = ''] = key.split('/')
    const usesIt = (object: KubeObject) => busNameOf(object) === name
    this.#wake('Sensor', namespace, usesIt)
    this.#wake('EventSource', namespace, usesIt)
    this.#wakeActions(namespace)
  }

  #wakeActions(namespace: string): void {
    for (const kind of ['Replay', 'Retry', 'Discard'] as const) this.#wake(kind, namespace, () => true)
  }

  #wake(kind: Kind, namespace: string, isMeant: (object: KubeObject) => boolean): void {
    if (this.#isStopped) return
    for (const object of this.#watched.list(kind))
      if ((object.metadata.namespace ?? '') === namespace && isMeant(object))
        this.#enqueue(`${kind}/${namespace}/${object.metadata.name}`)
  }

  #enqueue(key: string): void {
    this.#processed.delete(key)
    this.#queue.add(key)
  }

  async #process(key: string): Promise<void> {
    const [kind, namespace, name] = key.split('/') as [Kind, string, string]
    // What uses a bus waits until all buses, and what reads it until all readers are known.
    await this.#watched.whenListed('EventBus')
    if (kind === 'Retry' || kind === 'Discard') await this.#watched.whenListed('Sensor')
    const object = this.#watched.find(kind, namespace, name)
    const id = `${namespace}/${name}`
    let isDone = true
    if (kind === 'EventBus') await (object ? this.#buses.apply(id, object) : this.#buses.remove(id))
    else if (kind === 'Sensor') isDone = await this.#processSensor(id, object)
    else if (kind === 'EventSource') isDone = await this.#processSource(id, object)
    else if (!object) await this.#actions.remove(key)
    else if (this.#isPossible(object)) await this.#actions.apply(key, object)
    if (isDone) this.#processed.add(key)
  }

  /** False when it has to be looked at again before it runs or has its condition. */
  async #processSensor(id: string, object: KubeObject | undefined): Promise<boolean> {
    const known = await this.#withoutOrphan(this.#sensors.get(id), object, id)
    if (!object) return true
    const { namespace = '', uid = '' } = object.metadata
    const current = known ?? new SensorRunner(object, this.#parts, this.#sightings.get(uid))
    this.#sightings.delete(uid)
    this.#sensors.set(id, current)
    this.#owners.set(current, uid)
    const access = this.#busFor(object)
    if (access === 'opening') return false
    await this.#sweep(access)
    await current.apply(object, access, (source, entry) => this.#whyNoEntry(namespace, source, entry))
    this.#wakeSources(namespace)
    this.#wakeActions(namespace)
    return true
  }

  /** Whether what a person asks for can be done, or never will be: what it is about is not about to come up. */
  #isPossible({ kind, metadata, spec }: KubeObject): boolean {
    const { namespace = '' } = metadata
    const { sensor = '', eventBusName = DEFAULT_BUS } = (spec ?? {}) as { sensor?: string; eventBusName?: string }
    const of = kind === 'Replay' ? undefined : this.#watched.find('Sensor', namespace, sensor)
    if (of) return this.#sensors.get(`${namespace}/${sensor}`)?.hasStarted === true
    if (kind !== 'Replay' || !this.#watched.find('EventBus', namespace, eventBusName)) return true
    return this.#buses.get(`${namespace}/${eventBusName}`)?.state === 'open'
  }

  async #processSource(id: string, object: KubeObject | undefined): Promise<boolean> {
    const known = await this.#withoutOrphan(this.#sources.get(id), object, id)
    if (!object) return true
    const access = this.#busFor(object)
    if (access === 'opening') return false
    await this.#watched.whenListed('Sensor')
    // The Sensors of its bus come first, so that they miss nothing. Each of them wakes this one again.
    if ('bus' in access && !this.#areReadersThere(object, access.bus)) return false
    await this.#sweep(access)
    const current = known ?? new SourceRunner(object, this.#parts)
    this.#sources.set(id, current)
    this.#owners.set(current, object.metadata.uid ?? '')
    await current.apply(object, access)
    return true
  }

  /** Lets go of a runner whose object is gone, also when another one of its name has come. */
  async #withoutOrphan<R extends SensorRunner | SourceRunner>(
    known: R | undefined,
    object: KubeObject | undefined,
    id: string,
  ): Promise<R | undefined> {
    if (!known) return undefined
    const owner = this.#owners.get(known)
    if (object && owner === object.metadata.uid) return known
    if (known instanceof SensorRunner) this.#sensors.delete(id)
    else this.#sources.delete(id)
    await known.delete()
    return undefined
  }

  #areReadersThere(source: KubeObject, bus: Bus): boolean {
    const { namespace = '' } = source.metadata
    const readsIt = (runner: SensorRunner | undefined) => runner?.bus === bus && runner.hasStarted
    return this.#watched
      .list('Sensor')
      .every(
        sensor =>
          (sensor.metadata.namespace ?? '') !== namespace ||
          busNameOf(sensor) !== busNameOf(source) ||
          this.#failed.has(`Sensor/${namespace}/${sensor.metadata.name}`) ||
          readsIt(this.#sensors.get(`${namespace}/${sensor.metadata.name}`)),
      )
  }

  /** A Sensor that cannot run counts too: mended, it goes on where it was. So does what nobody may list: unknown is not nobody. */
  #isHeard({ namespace, bus, source, entry }: PublishedBy): boolean {
    if (!this.#watched.areListed('Sensor')) return true
    const key = JSON.stringify([namespace, bus, source, entry])
    const known = this.#heard.get(key)
    if (known !== undefined) return known
    const isHeard = this.#watched.list('Sensor').some(sensor => {
      if ((sensor.metadata.namespace ?? '') !== namespace || busNameOf(sensor) !== bus) return false
      const { dependencies } = (sensor.spec ?? {}) as { dependencies?: unknown }
      if (!Array.isArray(dependencies)) return false
      return (dependencies as (Partial<Dependency> | null)[]).some(
        each => each?.eventSourceName === source && each.eventName === entry,
      )
    })
    this.#heard.set(key, isHeard)
    return isHeard
  }

  #whyNoEntry(namespace: string, source: string, entry: string): string | undefined {
    const spec = (this.#watched.find('EventSource', namespace, source)?.spec ?? {}) as Record<string, unknown>
    return whyNoEntry(spec, entry)
  }

  #busFor(object: KubeObject): BusAccess | 'opening' {
    const { namespace = '' } = object.metadata
    const name = busNameOf(object)
    const state = this.#buses.get(`${namespace}/${name}`)
    if (state?.state === 'open') return { bus: state.bus }
    if (state?.state === 'opening') return 'opening'
    if (state)
      return {
        trouble: { part: '', reason: state.reason, message: `The EventBus ${name} cannot be used: ${state.message}` },
      }
    // It is there and has not been looked at yet.
    if (this.#watched.find('EventBus', namespace, name)) return 'opening'
    return {
      trouble: {
        part: '',
        reason: 'EventBusMissing',
        message: `There is no EventBus ${name} in the namespace ${namespace}: create one, for example with spec.jetstream.version: latest`,
      },
    }
  }

  #openBus(namespace: string, name: string): Bus {
    const state = this.#buses.get(`${namespace}/${name}`)
    if (state?.state === 'open') return state.bus
    throw new Error(
      `The EventBus ${namespace}/${name} cannot be used${state?.state === 'closed' ? `: ${state.message}` : ''}`,
    )
  }

  /** What was deleted while nobody was looking is freed before the bus is used. */
  async #sweep(access: BusAccess): Promise<void> {
    if (!('bus' in access) || this.#swept.has(access.bus)) return
    await Promise.all([this.#watched.whenListed('Sensor'), this.#watched.whenListed('EventSource')])
    const { bus } = access
    if (this.#swept.has(bus)) return
    this.#swept.add(bus)
    const uids = new Set(
      [...this.#watched.list('Sensor'), ...this.#watched.list('EventSource')].map(({ metadata }) => metadata.uid),
    )
    const gone = new Set(bus.consumers.map(sensorUidOf).filter(uid => !uids.has(uid)))
    for (const uid of gone) await freeSensor(bus, uid)
    const sources = new Set(bus.memory.keys(sourceMemory('').slice(0, -1)).map(key => key.split('/')[1] ?? ''))
    for (const uid of sources) if (!uids.has(uid)) await forgetAll(bus, sourceMemory(uid))
  }

  async #leave(bus: Bus): Promise<void> {
    await Promise.all([...this.#sources.values()].filter(source => source.bus === bus).map(source => source.leave()))
    await Promise.all([...this.#sensors.values()].filter(sensor => sensor.bus === bus).map(sensor => sensor.leave()))
  }

  async #becomeReady(): Promise<void> {
    await Promise.all(ALL_KINDS.map(kind => this.#watched.whenListed(kind)))
    let isPatient = true
    const isTakenUp = (kind: Kind) =>
      this.#watched.list(kind).every(({ metadata: { namespace, name } }) => {
        const key = `${kind}/${namespace}/${name}`
        return this.#processed.has(key) || this.#failed.has(key)
      })
    const isReady = () =>
      this.#isStopped ||
      (this.#buses.isIdle() &&
        isTakenUp('EventBus') &&
        isTakenUp('Sensor') &&
        isTakenUp('EventSource') &&
        (!isPatient || [...this.#sources.values()].every(source => source.hasReported)))
    await new Promise<void>(resolve => {
      const timer = this.#env.clock.schedule(READY_PATIENCE_MS, () => {
        isPatient = false
        this.#look()
      })
      this.#look = () => {
        if (!isReady()) return
        timer.cancel()
        this.#look = () => {}
        resolve()
      }
      this.#look()
    })
  }

  *#gauges(): Iterable<Gauge> {
    for (const [id, source] of this.#sources) {
      const [namespace = '', name = ''] = id.split('/')
      yield {
        name: 'argo_events_event_service_running_total',
        labels: { namespace, eventsource_name: name },
        value: source.running,
      }
      for (const { entry, silenceMs, resourceVersion, remembered, waiting } of source.progress()) {
        const labels = { namespace, eventsource_name: name, event_name: entry }
        yield { name: 'tiphys_watch_silence_milliseconds', labels, value: Math.round(silenceMs) }
        yield { name: 'tiphys_source_waiting', labels, value: waiting }
        yield { name: 'tiphys_checkpoint_objects', labels, value: remembered }
        const version = Number(resourceVersion || Number.NaN)
        if (Number.isSafeInteger(version)) yield { name: 'tiphys_checkpoint_version', labels, value: version }
      }
    }
    for (const { namespace, name, state } of this.#buses.all()) {
      const labels = { namespace, eventbus_name: name }
      const health = state.state === 'open' ? state.bus.health() : undefined
      yield { name: 'tiphys_bus_available', labels, value: health?.state === 'healthy' ? 1 : 0 }
      if (state.state === 'open') yield { name: 'tiphys_bus_head', labels, value: state.bus.head }
      if (!health || health.state === 'unreachable') continue
      yield { name: 'tiphys_bus_events', labels, value: health.events }
      yield { name: 'tiphys_bus_bytes', labels, value: health.bytes }
    }
    for (const [id, sensor] of this.#sensors) {
      const [namespace = '', name = ''] = id.split('/')
      for (const trigger of sensor.triggers) {
        const labels = { namespace, sensor_name: name, trigger_name: trigger.name }
        yield { name: 'tiphys_consumer_position', labels, value: trigger.handledUpTo }
        yield { name: 'tiphys_consumer_backlog', labels, value: trigger.backlog }
        yield { name: 'tiphys_parked', labels, value: trigger.dispatcher.parkedCount }
      }
    }
  }
}

const NO_SCRIPTS: Pick<ScriptPool, 'run'> = {
  run: ({ language }) => Promise.reject(new Error(`nothing here runs ${language}`)),
}
