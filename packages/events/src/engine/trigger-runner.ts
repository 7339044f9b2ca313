import { asError, Failure, type Timer } from '@tiphys/env'
import { getJson } from '@tiphys/expressions/gjson'
import type { PartReference, Secrets } from '@tiphys/journal/records'
import { type Client, type KubeObject, parseJson, stringifyJson } from '@tiphys/kube'
import type { Bus, Consumer } from '../bus/bus.ts'
import { scopedMemory } from '../bus/scoped-memory.ts'
import type { Event } from '../event.ts'
import { type Action, actionKey } from '../sensor/action.ts'
import { conditionState } from '../sensor/condition.ts'
import {
  type Attempt,
  createDispatcher,
  type Dispatcher,
  type DispatchNote,
  type Evaluation,
} from '../sensor/dispatcher.ts'
import { applyParameters } from '../sensor/parameters.ts'
import { triggerOf } from '../triggers/index.ts'
import type { TriggerHost } from '../triggers/trigger.ts'
import { invalidTrigger } from '../triggers/trigger-failures.ts'
import { accountOf, keyReader, userOf } from './account.ts'
import type { Trouble } from './condition.ts'
import { outcomeWithout, secretsOf, tellable, withoutSecrets } from './discretion.ts'
import type { EngineParts } from './engine-parts.ts'
import { contextOf, judge } from './evaluation.ts'
import type { ActionPlan, SensorOptions, TriggerPlan } from './sensor-plan.ts'
import { traceOf } from './trail.ts'

/** What a Sensor's trigger is called on the bus: nobody else's name, also not that of a Sensor that has come in its place. */
export const consumerName = (sensor: string, trigger: string, uid: string): string => `${sensor}/${trigger}/${uid}`

/** The uid of the Sensor that a consumer belongs to. */
export const sensorUidOf = (consumer: string): string => consumer.slice(consumer.lastIndexOf('/') + 1)

export const sensorMemory = (uid: string): string => `sensor/${uid}/`
export const triggerMemory = (uid: string, trigger: string): string =>
  `${sensorMemory(uid)}${encodeURIComponent(trigger)}/`

/** An attempt that takes longer is told of before its end. */
const LONG_ATTEMPT_MS = 250

export interface TriggerRunnerOptions {
  sensor: KubeObject
  plan: TriggerPlan
  options: SensorOptions
  bus: Bus
  /** Where a trigger begins that was never started before. */
  begin: { from?: number; also?: readonly number[] }
  parts: EngineParts
  onTroubles(): void
}

/** Runs one trigger of one Sensor. */
export class TriggerRunner {
  readonly fingerprint: string
  readonly #options: TriggerRunnerOptions
  readonly #client: Client
  readonly #part: PartReference
  readonly #labels: Readonly<Record<string, string>>
  readonly #consumer: Consumer
  readonly #troubles = new Map<string, Trouble>()
  /** The attempts that are being made, by action. */
  readonly #attempts = new Map<string, { attempt: number; heldBackMs: number; isDeadLetter: boolean }>()
  /** What attempts that are about to be told have done, by action. */
  readonly #results = new Map<string, AttemptResult>()
  #dispatcher: Dispatcher | undefined
  #resetTimer: Timer | undefined
  #nextAttemptAt = 0

  private constructor(options: TriggerRunnerOptions) {
    const { sensor, plan, bus, begin, parts } = options
    const { namespace = '', name = '', uid = '' } = sensor.metadata
    this.#options = options
    this.fingerprint = fingerprintOf(sensor, plan)
    this.#client = parts.accounts(accountOf(sensor))
    this.#part = { namespace, name, part: plan.name }
    this.#labels = { namespace, sensor_name: name, trigger_name: plan.name }
    this.#consumer = bus.consumer(consumerName(name, plan.name, uid), begin)
  }

  static async start(options: TriggerRunnerOptions): Promise<TriggerRunner> {
    const runner = new TriggerRunner(options)
    try {
      await runner.#begin()
    } catch (thrown) {
      await runner.#consumer.close()
      throw thrown
    }
    return runner
  }

  get name(): string {
    return this.#options.plan.name
  }

  get dispatcher(): Dispatcher {
    return this.#dispatcher as Dispatcher
  }

  get backlog(): number {
    return this.#consumer.backlog
  }

  get handledUpTo(): number {
    return this.#consumer.handledUpTo
  }

  get troubles(): readonly Trouble[] {
    return [...this.#troubles.values()]
  }

  isIdle(): boolean {
    return this.dispatcher.isIdle()
  }

  /** Tries a parked action again because a person asks for it. */
  async retry(key: string): ReturnType<Dispatcher['retry']> {
    return this.dispatcher.retry(key)
  }

  async stop(graceMs: number): Promise<void> {
    this.#resetTimer?.cancel()
    try {
      await this.#dispatcher?.stop({ graceMs })
    } catch (thrown) {
      // A bus that takes no more does not take its position, either: what it did comes again, and is recognised.
      this.#options.parts.env.log.warn('a trigger could not store how far it came', {
        name: this.name,
        error: asError(thrown),
      })
    }
  }

  async #begin(): Promise<void> {
    const { sensor, plan, options, bus, parts } = this.#options
    const { uid = '' } = sensor.metadata
    const { deadLetter } = plan
    this.#dispatcher = await createDispatcher({
      env: parts.env,
      consumer: withKeys(this.#consumer, options.key),
      memory: scopedMemory(bus.memory, triggerMemory(uid, plan.name)),
      sensorUid: uid,
      trigger: plan.name,
      condition: plan.condition,
      evaluate: (event, signal) => this.#evaluate(event, signal),
      execute: (...attempt) => this.#execute(plan, ...attempt),
      retry: plan.retry,
      pace: () => this.#pace(),
      ...(deadLetter && {
        deadLetter: {
          trigger: deadLetter.name,
          execute: (...attempt: Parameters<Attempt['execute']>) => this.#execute(deadLetter, ...attempt),
          retry: deadLetter.retry,
        },
      }),
      isOver: since => plan.resets.some(schedule => (schedule.next(since) ?? Infinity) <= parts.env.clock.now()),
      coalesces: options.coalesces,
      blocksOnParked: options.blocksOnParked,
      tell: note => this.#tell(note),
    })
    // Why they were parked is not forgotten with the process that parked them.
    this.#countParked((await this.#dispatcher.lastParked())?.error)
    this.#planReset()
  }

  async #evaluate(event: Event, signal: AbortSignal): Promise<readonly Evaluation[]> {
    const { plan, parts, sensor } = this.#options
    const { only } = event
    if (only?.sensor !== undefined && only.sensor !== sensor.metadata.name) return []
    if (only?.trigger !== undefined && only.trigger !== plan.name) return []
    const mine = plan.dependencies.filter(
      ({ eventSourceName, eventName }) => eventSourceName === event.source && eventName === event.subject,
    )
    const judgeAll = () =>
      Promise.all(mine.map(one => judge(one, event, parts.languages, parts.scripts, parts.secretsIn)))
    const hasPrograms = mine.some(({ transform, filters }) => transform !== undefined || filters !== undefined)
    const flight = hasPrograms ? actionKey(sensor.metadata.uid ?? '', plan.name, [event]) : undefined
    // Not even looked at again: `execute` says why it is parked.
    if (flight !== undefined && parts.flights.isGivenUp(flight))
      return mine.slice(0, 1).map(({ name }) => ({ dependency: name, outcome: 'passed', event }))
    const judged = await (flight === undefined ? judgeAll() : parts.flights.prepare(flight, signal, judgeAll))
    for (const { decision, evaluation, isProgramFailing } of judged) {
      parts.trail.decided(event, this.#part, decision)
      if (evaluation.outcome === 'filtered') parts.metrics.add('tiphys_events_filtered_total', this.#labels)
      const { dependency } = decision
      if (isProgramFailing && evaluation.outcome === 'failed')
        this.#evaluationFailed(dependency, `${dependency}: ${evaluation.error.message}`)
      else if (evaluation.outcome !== 'failed') this.#recover(evaluationOf(dependency), evaluationOf(''))
    }
    return judged.map(({ evaluation }) => evaluation)
  }

  async #execute(plan: ActionPlan, action: Action, signal: AbortSignal, isAskedFor: boolean) {
    const { parts, options, bus } = this.#options
    const { clock } = parts.env
    const secrets = await secretsOf(action, bus, parts.secretsIn)
    const began = clock.monotonic()
    const told = this.#tellIfItTakesLong(action)
    const heldBack = heldBackIn(this.#attempts.get(action.key))
    const host = this.#hostOf(plan, action, signal, secrets)
    try {
      const execute = async () => plan.type.execute(specOf(plan, host, parts.triggerTypes), host)
      const result = await parts.flights.run(this.#flightsOf(action), signal, execute, isAskedFor)
      const outcome = secrets ? outcomeWithout(result, secrets) : result
      this.#results.set(action.key, {
        durationMs: clock.monotonic() - began,
        summary: outcome.summary,
        ...heldBack,
      })
      const { written = [] } = outcome
      if (written.length > 0) parts.trail.wrote(action, userOf(accountOf(this.#options.sensor)), written)
      const workflows = options.waitsForCompletion ? written.filter(isWorkflow) : []
      if (workflows.length === 0) return undefined
      return async (stopped: AbortSignal) => {
        await Promise.all(workflows.map(one => parts.completion.of({ namespace: '', ...one }, stopped)))
      }
    } catch (thrown) {
      this.#results.set(action.key, { durationMs: clock.monotonic() - began, ...heldBack })
      throw secrets ? withoutSecrets(thrown, secrets) : thrown
    } finally {
      told.cancel()
      this.#attempts.delete(action.key)
    }
  }

  /** The end of an attempt says when it began, so that only one that is still under way when somebody looks is told of. */
  #tellIfItTakesLong(action: Action): Timer {
    const { trail, env } = this.#options.parts
    const at = env.clock.now()
    return env.clock.schedule(LONG_ATTEMPT_MS, () => {
      const { attempt = 1, isDeadLetter = false, ...more } = this.#attempts.get(action.key) ?? {}
      const started = { outcome: 'started', attempt, at, ...heldBackIn(more) } as const
      trail.delivered(action, this.#partOf({ isDeadLetter }), started)
    })
  }

  /** An action for one event has the name that its evaluation had; one for several is also as suspect as each of them. */
  #flightsOf({ key, events }: Action): [string, ...string[]] {
    const { sensor, plan } = this.#options
    const joined = Object.values(events)
    if (joined.length < 2) return [key]
    return [key, ...joined.map(event => actionKey(sensor.metadata.uid ?? '', plan.name, [event]))]
  }

  #hostOf(plan: ActionPlan, action: Action, signal: AbortSignal, secrets: Secrets | undefined): TriggerHost {
    const { parts, sensor } = this.#options
    const { namespace = '', name = '', uid = '' } = sensor.metadata
    const events = Object.entries(action.events).map(
      ([dependency, event]) => [dependency, { context: contextOf(event), data: event.data }] as const,
    )
    return {
      env: parts.env,
      sensor: { namespace, name, uid },
      trigger: plan.name,
      client: this.#client,
      actionKey: action.key,
      trace: traceOf(action),
      events: Object.fromEntries(events),
      languages: parts.languages,
      access: parts.access,
      signal,
      discreet: text => secrets?.redact(text) ?? text,
      ...(plan.policy && { policy: plan.policy }),
      ...(parts.workflows && { workflows: parts.workflows }),
      ...keyReader(this.#client, namespace),
    }
  }

  /** As upstream's limiter: attempts are spaced, and what comes too early waits. */
  #pace(): number {
    const { plan, parts } = this.#options
    if (plan.spacingMs === 0) return 0
    const now = parts.env.clock.monotonic()
    const at = Math.max(now, this.#nextAttemptAt)
    this.#nextAttemptAt = at + plan.spacingMs
    return at - now
  }

  #planReset(): void {
    const { plan, parts } = this.#options
    const { clock } = parts.env
    const times = plan.resets.flatMap(schedule => schedule.next(clock.now()) ?? [])
    if (times.length === 0) return
    this.#resetTimer = clock.schedule(Math.max(0, Math.min(...times) - clock.now()), () => {
      this.dispatcher
        .reset()
        .catch(thrown => parts.env.log.error('waiting events could not be forgotten', { error: asError(thrown) }))
        .finally(() => this.#planReset())
    })
  }

  #tell(note: DispatchNote): void {
    const { trail, metrics } = this.#options.parts
    const part = this.#part
    switch (note.type) {
      // These are told where the inputs are known,
      case 'filtered':
        return
      // and so is this, unless something went wrong that nobody thought of.
      case 'evaluation failed': {
        if (note.dependency !== '') return
        const message = tellable(note.error.message, note.event, this.#options.parts.secretsIn)
        trail.decided(note.event, part, { dependency: '', verdict: 'failed', by: 'filters', message })
        return this.#evaluationFailed('', message)
      }
      case 'waits for others': {
        const { event, dependency, present } = note
        const message = conditionState(this.#options.plan.condition, new Set(present))
        return trail.decided(event, part, { dependency, verdict: 'waiting', by: 'conditions', message })
      }
      case 'superseded':
        return trail.decided(note.event, part, { dependency: '', verdict: 'superseded', by: note.by })
      case 'reset':
        return trail.decided(note.event, part, { dependency: note.dependency, verdict: 'reset', by: 'conditionsReset' })
      case 'fires':
        if (Object.keys(note.action.events).length > 1) trail.joined(note.action, part)
        return
      case 'attempt':
        this.#attempts.set(note.action.key, note)
        return
      case 'done':
        return this.#done(note)
      case 'failed':
        return this.#failed(note)
      case 'ended':
        return this.#countParked()
      case 'parked': {
        const { action, attempts, error } = note.parked
        metrics.add('argo_events_action_retries_failed_total', this.#labels)
        trail.delivered(action, part, { outcome: 'parked', attempt: attempts, message: error })
        return this.#countParked(error)
      }
      case 'discarded':
        trail.delivered(note.parked.action, part, {
          outcome: 'discarded',
          attempt: note.parked.attempts,
          reason: note.reason,
        })
        return this.#countParked()
    }
  }

  #done(note: DispatchNote & { type: 'done' }): void {
    const { trail, metrics } = this.#options.parts
    const { durationMs = 0, summary, ...heldBack } = this.#takeResult(note.action)
    metrics.add('argo_events_action_triggered_total', this.#labels)
    metrics.observe('argo_events_action_duration_milliseconds', this.#labels, durationMs)
    trail.delivered(note.action, this.#partOf(note), {
      outcome: 'succeeded',
      attempt: note.attempts,
      durationMs,
      ...heldBack,
      ...(summary !== undefined && { message: summary }),
    })
    if (!note.isDeadLetter) this.#recover('TriggerFailing', 'Forbidden')
  }

  #failed({ action, attempt, error, isDeadLetter }: DispatchNote & { type: 'failed' }): void {
    const { trail, metrics } = this.#options.parts
    const { durationMs = 0, ...heldBack } = this.#takeResult(action)
    const code = error instanceof Failure ? error.code : undefined
    metrics.add('argo_events_action_failed_total', this.#labels)
    metrics.observe('argo_events_action_duration_milliseconds', this.#labels, durationMs)
    trail.delivered(action, this.#partOf({ isDeadLetter }), {
      outcome: 'failed',
      attempt,
      durationMs,
      ...heldBackIn(heldBack),
      ...(code !== undefined && { reason: code }),
      message: error.message,
    })
    const reason = code === 'trigger-forbidden' ? 'Forbidden' : 'TriggerFailing'
    this.#trouble({ part: this.name, reason, message: error.message })
  }

  #partOf({ isDeadLetter }: { isDeadLetter: boolean }): PartReference {
    const { deadLetter } = this.#options.plan
    return isDeadLetter && deadLetter ? { ...this.#part, part: deadLetter.name } : this.#part
  }

  #takeResult({ key }: Action): Partial<AttemptResult> {
    const result = this.#results.get(key)
    this.#results.delete(key)
    return result ?? {}
  }

  #countParked(error = ''): void {
    const reason = 'EventsParked'
    const isParked = (this.#dispatcher?.parkedCount ?? 0) > 0
    if (!isParked) return this.#recover(reason)
    const why = error === '' ? '' : `: ${error}`
    const message = `deliveries have failed for good and wait for a Retry or a Discard${why}`
    this.#trouble({ part: this.name, reason, message })
  }

  /** Each dependency by itself: that another one works mends nothing. */
  #evaluationFailed(dependency: string, message: string): void {
    this.#trouble({ part: this.name, reason: 'EvaluationFailed', message }, evaluationOf(dependency))
  }

  #trouble(trouble: Trouble, key = trouble.reason): void {
    if (this.#troubles.has(key)) return
    this.#troubles.set(key, trouble)
    this.#options.onTroubles()
  }

  #recover(...keys: readonly string[]): void {
    const gone = keys.filter(key => this.#troubles.delete(key))
    if (gone.length > 0) this.#options.onTroubles()
  }
}

interface AttemptResult {
  durationMs: number
  summary?: string
  heldBackMs?: number
}

/** Said of those that were, which are few. */
const heldBackIn = ({ heldBackMs = 0 }: { heldBackMs?: number } = {}): { heldBackMs?: number } =>
  heldBackMs > 0 ? { heldBackMs: Math.ceil(heldBackMs) } : {}

const evaluationOf = (dependency: string) => `EvaluationFailed/${dependency}`

/** When this changes, the trigger is started anew. */
export const fingerprintOf = (sensor: KubeObject, { fingerprint }: TriggerPlan): string =>
  JSON.stringify([fingerprint, accountOf(sensor).name])

const isWorkflow = ({ apiVersion, kind }: { apiVersion: string; kind: string }) =>
  kind === 'Workflow' && apiVersion.startsWith('argoproj.io/')

/** The trigger's own specification, with the parameters that are set in the template itself. */
export function specOf(
  plan: ActionPlan,
  host: Pick<TriggerHost, 'events' | 'languages'>,
  types: EngineParts['triggerTypes'],
): unknown {
  const { template, parameters, type } = plan
  if (parameters.length === 0) return template[type.type]
  let text: string
  try {
    text = applyParameters(stringifyJson(template), parameters, host.events, host.languages)
  } catch (cause) {
    throw invalidTrigger('The parameters of the template cannot be set', { why: asError(cause).message, cause })
  }
  const read = triggerOf(parseJson(text) as Record<string, unknown>, types)
  const wrong = read.problems.find(({ severity }) => severity === 'error')
  if (wrong || !('type' in read))
    throw invalidTrigger('The parameters make a template that cannot be carried out', {
      why: `${wrong?.path}: ${wrong?.message}`,
    })
  return read.spec
}

/** The consumer, but its events have the key that a path leads to. */
function withKeys(consumer: Consumer, path: string | undefined): Consumer {
  if (path === undefined) return consumer
  return {
    name: consumer.name,
    get backlog() {
      return consumer.backlog
    },
    get unread() {
      return consumer.unread
    },
    get handledUpTo() {
      return consumer.handledUpTo
    },
    done: position => consumer.done(position),
    close: () => consumer.close(),
    async *deliveries(signal) {
      for await (const { position, event } of consumer.deliveries(signal)) {
        const found = getJson(event.data, path)
        yield { position, event: found.exists ? { ...event, key: `key ${found.string()}` } : event }
      }
    },
  }
}
