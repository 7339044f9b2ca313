import { asError, delay, type Env, Failure } from '@tiphys/env'
import type { Journal } from '@tiphys/journal'
import { type Client, type KubeObject, parseYaml } from '@tiphys/kube'
import type { Bus } from '../bus/bus.ts'
import { openBus } from '../bus/journal-bus.ts'
import { unknownFields } from '../kinds/unknown-fields.ts'
import { keyReader } from './account.ts'
import { type BusPlan, busPlan } from './bus-plan.ts'
import { healthCondition, problemCondition, type Trouble, troubleKey } from './condition.ts'
import type { StatusWriter } from './status-writer.ts'

/** How an EventBus is, for those who want to use it. */
export type BusState =
  | { state: 'open'; bus: Bus }
  | { state: 'opening' }
  | { state: 'closed'; reason: string; message: string }

export interface BusesOptions {
  env: Env
  statuses: StatusWriter
  openJournal(name: string): Promise<Journal>
  /** Reads the Secrets that EventBuses name. */
  clientIn(namespace: string): Client
  /** Called when the state of an EventBus changes. Before a bus is closed, `onLeaving` must have let go of it. */
  onChange(key: string): void
  onLeaving(bus: Bus): Promise<void>
  /** Called when something begins or ends to be wrong with a bus that is open. */
  onTrouble(bus: Bus, trouble: Trouble | undefined): void
}

const LOOKED_AT_EVERY_MS = 5000
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 30_000]
const PATIENCE_MS = 10_000
/** After these a journal takes nothing more until it is opened anew. */
const BROKEN = new Set(['journal-write-failed', 'journal-closed'])

interface Kept {
  object: KubeObject
  plan: BusPlan
  problems: readonly { path: string; message: string }[]
  state: BusState
  warnings: readonly string[]
  /** Ends the opening, or the looking after it. */
  ended: AbortController
  running: Promise<void>
}

const DURABLE = { good: 'Synced', bad: 'SyncSetting' }
const inWords = (message: string) => ({ path: '', message })

/** The buses of all EventBus objects, by `namespace/name`. */
export class Buses {
  readonly #options: BusesOptions
  readonly #kept = new Map<string, Kept>()

  constructor(options: BusesOptions) {
    this.#options = options
  }

  /** Undefined when there is no such EventBus. */
  get(key: string): BusState | undefined {
    return this.#kept.get(key)?.state
  }

  all(): readonly { namespace: string; name: string; state: BusState }[] {
    return [...this.#kept.values()].map(({ object, state }) => {
      const { namespace = '', name = '' } = object.metadata
      return { namespace, name, state }
    })
  }

  /** Nothing is being opened or closed. */
  isIdle(): boolean {
    return [...this.#kept.values()].every(({ state }) => state.state !== 'opening')
  }

  async apply(key: string, object: KubeObject): Promise<void> {
    const { plan, problems } = await busPlan(object.spec)
    const known = this.#kept.get(key)
    if (
      known &&
      JSON.stringify(known.plan) === JSON.stringify(plan) &&
      known.object.metadata.uid === object.metadata.uid
    ) {
      known.object = object
      this.#tell(known)
      return
    }
    if (known) await this.#close(key, known)
    const kept: Kept = {
      object,
      plan,
      problems: [...problems, ...unknownFields(object)],
      state: { state: 'opening' },
      warnings: [],
      ended: new AbortController(),
      running: Promise.resolve(),
    }
    this.#kept.set(key, kept)
    if (plan.type === 'unsupported')
      this.#become(key, kept, { state: 'closed', reason: 'NotSupported', message: plan.message })
    else kept.running = this.#run(key, kept, plan)
  }

  async remove(key: string): Promise<void> {
    const kept = this.#kept.get(key)
    if (!kept) return
    this.#options.statuses.forget(kept.object)
    await this.#close(key, kept)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#kept].map(([key, kept]) => this.#close(key, kept)))
  }

  async #close(key: string, kept: Kept): Promise<void> {
    kept.ended.abort()
    await kept.running
    this.#kept.delete(key)
    this.#options.onChange(key)
  }

  /** Opens it, looks after it, and opens it anew when its journal has failed, until it is ended. */
  async #run(key: string, kept: Kept, plan: Exclude<BusPlan, { type: 'unsupported' }>): Promise<void> {
    const { env, onLeaving } = this.#options
    const { signal } = kept.ended
    let pauseMs = SHORTEST_PAUSE_MS
    while (!signal.aborted) {
      try {
        const { bus, isConnected, warnings } = await this.#open(key, kept, plan)
        kept.warnings = warnings
        this.#become(key, kept, { state: 'open', bus })
        const failure = await this.#lookAfter(kept, bus, isConnected, signal)
        await onLeaving(bus)
        await bus.close().catch(error => env.log.warn('a bus could not be closed well', { key, error: asError(error) }))
        if (!failure) return
        pauseMs = SHORTEST_PAUSE_MS
        this.#become(key, kept, { state: 'closed', reason: 'BusFailed', message: failure.message })
        // Another writer was let in: it has the bus until it gives it back, and taking it back by force would never end.
        if (failure instanceof Failure && failure.code === 'journal-taken-over') return
      } catch (thrown) {
        if (signal.aborted) return
        const message = asError(thrown).message
        this.#become(key, kept, { state: 'closed', reason: 'BusUnreachable', message })
      }
      await delay(env.clock, pauseMs, signal).catch(() => {})
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    }
  }

  async #open(
    key: string,
    { object }: Kept,
    plan: Exclude<BusPlan, { type: 'unsupported' }>,
  ): Promise<{ bus: Bus; isConnected: () => boolean; warnings: readonly string[] }> {
    const { env, openJournal, clientIn } = this.#options
    const { namespace = '', name = '' } = object.metadata
    if (plan.type === 'embedded') {
      // Neither namespaces nor files mind a dot, and namespaces have none.
      const journal = await openJournal(`${namespace}.${name}`)
      return { bus: await openBus(journal, { env, limits: plan.limits }), isConnected: () => true, warnings: [] }
    }
    const { openJetStreamJournal } = await import('@tiphys/journal/jetstream')
    const journal = await openJetStreamJournal({
      connection: {
        servers: plan.url.split(',').map(url => url.trim()),
        ...(await credentialsOf(plan, clientIn(namespace), namespace)),
      },
      // No namespace and no name has an underscore: two buses never share a stream.
      stream: `tiphys_${key.replace('/', '_').replaceAll('.', '__')}`,
      env,
      replicas: plan.replicas,
      patienceMs: PATIENCE_MS,
    })
    const bus = await openBus(journal, { env, limits: plan.limits })
    return { bus, isConnected: () => journal.isConnected, warnings: journal.warnings }
  }

  /** Resolves with the failure that ends it, or with nothing when it is ended. */
  async #lookAfter(kept: Kept, bus: Bus, isConnected: () => boolean, signal: AbortSignal): Promise<Error | undefined> {
    const { env } = this.#options
    let before = ''
    while (!signal.aborted) {
      const health = bus.health()
      const troubles: Trouble[] = []
      if (health.state === 'unreachable') {
        if (isBroken(health.why)) return health.why
        troubles.push({ part: '', reason: 'BusUnreachable', message: health.why.message })
      } else if (!isConnected())
        troubles.push({
          part: '',
          reason: 'BusUnreachable',
          message: 'The NATS servers do not answer; nothing is lost, events wait',
        })
      else if (health.state === 'full')
        troubles.push({
          part: '',
          reason: 'BusFull',
          message: `It takes no more events until ${health.slowest} has handled some`,
        })
      const now = troubles.map(troubleKey).join()
      if (now !== before) {
        this.#tell(kept, troubles)
        this.#options.onTrouble(bus, troubles[0])
      }
      before = now
      await delay(env.clock, LOOKED_AT_EVERY_MS, signal).catch(() => {})
    }
    return undefined
  }

  #become(key: string, kept: Kept, state: BusState): void {
    if (kept.ended.signal.aborted) return
    kept.state = state
    this.#tell(kept)
    this.#options.onChange(key)
  }

  #tell({ object, state, problems, warnings }: Kept, running: readonly Trouble[] = []): void {
    if (state.state === 'opening') return
    const troubles = [
      ...(state.state === 'closed' ? [{ part: '', reason: state.reason, message: state.message }] : []),
      ...running,
    ]
    const isConfigured = !(state.state === 'closed' && state.reason === 'NotSupported')
    const condition = (type: string, isTrue: boolean) =>
      isTrue
        ? { type, status: 'True' as const, reason: `${type}`, message: '' }
        : {
            type,
            status: 'False' as const,
            reason: troubles[0]?.reason ?? 'Unknown',
            message: troubles[0]?.message ?? '',
          }
    this.#options.statuses.set(object, {
      conditions: [
        condition('Configured', isConfigured),
        condition('Deployed', state.state === 'open'),
        healthCondition(troubles),
        problemCondition('FieldsKnown', problems, { good: 'AllKnown', bad: 'UnknownFields' }),
        // Said also when it is, so that what was said of a server before it was mended, or of another one, does not stay.
        ...(state.state === 'open' ? [problemCondition('Durable', warnings.map(inWords), DURABLE)] : []),
      ],
      identity: troubles.map(troubleKey).join(),
    })
  }
}

const isBroken = (why: Error) => why instanceof Failure && (BROKEN.has(why.code) || why.code === 'journal-taken-over')

/** A token, or a name and a password, as upstream's Secrets have them. */
async function credentialsOf(plan: Extract<BusPlan, { type: 'jetstream' }>, client: Client, namespace: string) {
  if (!plan.accessSecret) return {}
  const text = await keyReader(client, namespace).secret(plan.accessSecret)
  const content = (await parseYaml(text)).value as {
    token?: unknown
    username?: unknown
    password?: unknown
    basic?: object
  } | null
  const { token, username, password } = { ...content, ...content?.basic }
  if (token !== undefined) return { token: String(token) }
  return username === undefined ? {} : { user: String(username), pass: String(password ?? '') }
}
