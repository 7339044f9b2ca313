import { asError, type Env } from '@tiphys/env'
import type { Recorder } from '@tiphys/journal/records'
import { type Caches, type Client, isNotFound } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import type { LockTable } from '../locks/lock-table.ts'
import type { StepPods } from '../outputs/step-pods.ts'
import { type Plan, plan, type TemplateSource } from '../plan/plan.ts'
import { ANNOTATION, LABEL, OUTCOME_FINALIZER } from '../pods/labels.ts'
import type { Workflow, WorkflowSpec, WorkflowTemplate } from '../spec/workflow.ts'
import type { ActionDoer } from './action-doer.ts'
import type { Capacity } from './capacity.ts'
import type { DisruptionBudgets } from './disruption-budget.ts'
import { POD, WORKFLOW } from './engine-context.ts'
import { mayStoreLater, storeBy, withUnstored } from './late-storing.ts'
import { isFulfilled, observeRun } from './observation.ts'
import { createRunMemory, type RunMemory } from './run-memory.ts'
import { recordRun, recordSteps } from './run-records.ts'
import type { RunStarts } from './run-starts.ts'
import { storePlan } from './run-store.ts'
import type { ServedObjects } from './served-objects.ts'
import type { StatusKeeper } from './status-keeper.ts'
import { expiryOf } from './time-to-live.ts'

export interface RunDriverOptions {
  env: Env
  client: Client
  caches: Caches
  recorder: Recorder
  workflows: ServedObjects<Workflow>
  pods: ServedObjects<Pod>
  templates: ServedObjects<WorkflowTemplate>
  clusterTemplates: ServedObjects<WorkflowTemplate>
  stepPods: StepPods
  statuses: StatusKeeper
  doer: ActionDoer
  locks: LockTable
  budgets: DisruptionBudgets
  capacity: Capacity
  starts: RunStarts
  instanceId: string | undefined
  defaults: WorkflowSpec | undefined
  /** A plan was stored that changes something. */
  onPlan: (workflow: Workflow, plan: Plan) => void
  /** A run has ended: others may have waited for that. */
  onEnd: (workflow: Workflow) => void
}

/** Brings runs forward: looks at one, plans, stores the plan, then acts. */
export interface RunDriver {
  /** `namespace/name`. Resolves with when to look again even if nothing changes, in milliseconds since the epoch. */
  drive(key: string): Promise<number | undefined>
  memoryOf(workflow: Workflow): RunMemory
  /** How many runs are remembered. */
  readonly runs: number
}

/** A plan whose actions are known at once is planned on from; so often at most before others get their turn. */
const MOST_ROUNDS = 20

export function createRunDriver(options: RunDriverOptions): RunDriver {
  return new Driver(options)
}

class Driver implements RunDriver {
  readonly #options: RunDriverOptions
  readonly #memories = new Map<string, RunMemory>()
  /** Runs, by uid, that have ended and of which nothing is left to do but to let time pass. */
  readonly #finished = new Set<string>()

  constructor(options: RunDriverOptions) {
    this.#options = options
  }

  get runs(): number {
    return this.#memories.size
  }

  memoryOf({ metadata: { namespace = '', name = '', uid = '' } }: Workflow): RunMemory {
    const key = `${namespace}/${name}`
    const known = this.#memories.get(key)
    if (known?.uid === uid) return known
    const memory = createRunMemory(uid)
    this.#memories.set(key, memory)
    return memory
  }

  async drive(key: string): Promise<number | undefined> {
    const [namespace = '', name = ''] = key.split('/')
    const { env, workflows, starts, instanceId } = this.#options
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const stored = workflows.get(name, namespace)
      if (!stored || stored.metadata.deletionTimestamp !== undefined) return this.#forget(key, stored)
      if (stored.metadata.labels?.[LABEL.instanceId] !== instanceId) return starts.leave(key)
      const outcome = await this.#step(stored)
      if (outcome !== 'again') return outcome
    }
    return env.clock.now()
  }

  /** Once around: undefined when there is nothing more to do now. */
  async #step(stored: Workflow): Promise<number | undefined | 'again'> {
    const { env, client, workflows, pods, stepPods, statuses, doer, budgets, starts } = this.#options
    const { uid = '', name = '', namespace = '' } = stored.metadata
    if (this.#finished.has(uid) && isCompleted(stored)) return this.#expire(stored)
    // A retry begins it anew. Whoever asked for it has stored that it runs, so that no plan changes its phase.
    if (this.#finished.delete(uid) && stored.status) this.#recordBeginning(stored, stored.status)
    const ownPods = pods.ownedBy(uid)
    if (this.#hasBegun(stored, ownPods)) starts.leave(`${namespace}/${name}`)
    else if (!starts.mayBegin(`${namespace}/${name}`)) return undefined
    const known = statuses.whole(stored)
    const whole = known instanceof Promise ? await known : known
    const memory = this.memoryOf(stored)
    if (memory.restUntil !== undefined && env.clock.now() < memory.restUntil) return memory.restUntil
    const workflow = latest(whole, memory)
    const planned = this.#plan(workflow, memory, ownPods)
    // A step that begins is often over in a moment: both are stored at once then.
    if (isMinor(planned)) {
      const now = env.clock.now()
      memory.storeBy ??= now + minorDelayMs(this.runs)
      const by = Math.min(memory.storeBy, memory.unstored?.by ?? memory.storeBy)
      if (now < by) return by
    }
    delete memory.storeBy
    const later = this.#storeLater(whole, workflow, planned, memory)
    if (later !== undefined) {
      const spec = planned.status.storedWorkflowTemplateSpec ?? workflow.spec
      const isNews = await doer.carryOut({ workflow: stored, spec, memory }, planned.actions)
      return isNews ? 'again' : earlier(later, planned.wakeAt)
    }
    const changed = planned.changed || memory.unstored !== undefined
    const next = await storePlan(client, statuses, stored, { ...planned, changed })
    if (!next) {
      // Somebody else has written; the watch may be behind.
      await this.#refresh(stored)
      return 'again'
    }
    delete memory.unstored
    if (planned.changed) memory.restUntil = env.clock.now() + restAfter(planned)
    this.#record(workflow, planned, memory)
    const current = workflows.get(name, namespace) ?? next
    const spec = planned.status.storedWorkflowTemplateSpec ?? workflow.spec
    await budgets.keep(current, spec, planned.status)
    const [isNews] = await both(
      doer.carryOut({ workflow: current, spec, memory }, planned.actions),
      this.#release(planned, ownPods, memory),
    )
    if (isNews) return 'again'
    if (
      isTerminal(planned.status.phase) &&
      planned.actions.length === 0 &&
      planned.wakeAt === undefined &&
      pods.ownedBy(uid).every(pod => !isHeld(pod))
    ) {
      for (const pod of pods.ownedBy(uid)) stepPods.forget(pod.metadata.uid ?? '')
      this.#memories.delete(`${namespace}/${name}`)
      this.#finished.add(uid)
      return this.#expire(current)
    }
    const isWaitingForLock = [...memory.locks.values()].some(({ held, error }) => !held && error === undefined)
    // A semaphore's ConfigMap may have changed.
    const look = isWaitingForLock ? env.clock.now() + LOCK_POLL_MS : undefined
    const expiry = isTerminal(planned.status.phase) ? await this.#expire(current) : undefined
    return earlier(expiry, earlier(planned.wakeAt, look))
  }

  /** What was begun may not be stored yet, also by an engine that died: then its pods tell. */
  #hasBegun({ metadata: { namespace = '', name = '', uid = '' }, status }: Workflow, pods: readonly Pod[]): boolean {
    return Boolean(status?.phase) || pods.length > 0 || this.#memories.get(`${namespace}/${name}`)?.uid === uid
  }

  /** When the plan is stored, if that may be later than it is acted upon. */
  #storeLater(stored: Workflow, workflow: Workflow, planned: Plan, memory: RunMemory): number | undefined {
    const { unstored } = memory
    if (!planned.changed && unstored === undefined) return undefined
    const now = this.#options.env.clock.now()
    const by = unstored?.by ?? storeBy(now, this.runs)
    if (by <= now || this.#options.capacity.isLimited(workflow) || !mayStoreLater(workflow, planned)) return undefined
    if (planned.changed) {
      memory.unstored = { base: unstored?.base ?? stored, status: planned.status, by }
      this.#record(workflow, planned, memory)
    }
    return by
  }

  #plan(workflow: Workflow, memory: RunMemory, pods: readonly Pod[]): Plan {
    const { env, templates, clusterTemplates, stepPods, capacity, defaults } = this.#options
    const { namespace = '' } = workflow.metadata
    const source: TemplateSource = {
      get: (kind, name) => (kind === 'WorkflowTemplate' ? templates.get(name, namespace) : clusterTemplates.get(name)),
    }
    const hold = capacity.hold(workflow)
    return plan({
      workflow,
      templates: source,
      observed: observeRun(workflow, pods, stepPods, memory),
      now: env.clock.now(),
      ...(defaults && { defaults }),
      ...(hold !== undefined && { hold }),
    })
  }

  #recordBeginning(workflow: Workflow, status: NonNullable<Workflow['status']>): void {
    const { env, recorder } = this.#options
    recordRun({ recorder, times: this.memoryOf(workflow).times, now: env.clock.now() }, workflow, status)
  }

  #record(workflow: Workflow, planned: Plan, { times }: RunMemory): void {
    const { env, recorder, onPlan, onEnd } = this.#options
    if (!planned.changed) return
    onPlan(workflow, planned)
    const recording = { recorder, times, now: env.clock.now() }
    recordSteps(recording, workflow, planned.transitions)
    const before = workflow.status?.phase
    if (before !== planned.status.phase || planned.status.progress !== workflow.status?.progress)
      recordRun(recording, workflow, planned.status)
    if (isTerminal(planned.status.phase) && !isTerminal(before)) onEnd(workflow)
  }

  /** Lets pods go whose outcome is in the status and whose logs are kept. */
  async #release(planned: Plan, pods: readonly Pod[], memory: RunMemory): Promise<void> {
    const { stepPods, caches } = this.#options
    const nodes = planned.status.nodes ?? {}
    await Promise.all(
      pods.map(async seen => {
        const { name = '', namespace = '', uid, annotations = {} } = seen.metadata
        if (!isHeld(seen)) return
        const nodeId = annotations[ANNOTATION.nodeId] ?? ''
        const node = nodes[nodeId]
        // A node that is not known may have been planned by an engine that died before it was stored: it will be again.
        if (node ? !isFulfilled(node) : !isTerminal(planned.status.phase)) return
        const pod = this.#options.pods.get(name, namespace) ?? seen
        if (pod.metadata.uid !== uid) return
        if (!stepPods.isRead(pod)) return
        const patched = await this.#letGo(pod)
        if (!patched) caches.recordDeletion({ ...POD, name, namespace, ...(uid !== undefined && { uid }) })
        stepPods.forget(uid ?? '')
        memory.stopped.delete(nodeId)
      }),
    )
  }

  /** Undefined when the pod is gone. */
  async #letGo({ metadata: { name = '', namespace = '' } }: Pod): Promise<Pod | undefined> {
    const metadata = {
      labels: { [LABEL.completed]: 'true' },
      '$deleteFromPrimitiveList/finalizers': [OUTCOME_FINALIZER],
    }
    try {
      return await this.#options.client.patch({ ...POD, namespace, name }, { type: 'strategic', patch: { metadata } })
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined
      throw thrown
    }
  }

  async #refresh({ metadata: { name = '', namespace = '', uid } }: Workflow): Promise<void> {
    const { client, caches } = this.#options
    try {
      caches.recordWrite(await client.get({ ...WORKFLOW, namespace, name }))
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown
      caches.recordDeletion({ ...WORKFLOW, name, namespace, ...(uid !== undefined && { uid }) })
    }
  }

  /** Deletes a run whose time is over. */
  async #expire(stored: Workflow): Promise<number | undefined> {
    const { env, client } = this.#options
    const { name = '', namespace = '', uid = '' } = stored.metadata
    const spec = stored.status?.storedWorkflowTemplateSpec ?? stored.spec
    const expiry = expiryOf(spec, stored.status ?? {})
    if (expiry === undefined || expiry > env.clock.now()) return expiry
    try {
      await client.delete({ ...WORKFLOW, namespace, name }, { preconditions: { uid }, propagationPolicy: 'Background' })
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown
    }
    return undefined
  }

  /** The Workflow is gone, or going: nothing of it goes on, and nothing holds its pods. */
  async #forget(key: string, stored: Workflow | undefined): Promise<undefined> {
    const { env, locks, pods, stepPods, starts, instanceId } = this.#options
    const memory = this.#memories.get(key)
    this.#finished.delete(memory?.uid ?? stored?.metadata.uid ?? '')
    for (const { abort } of memory?.tasks.values() ?? []) abort.abort(new Error('the workflow was deleted'))
    this.#memories.delete(key)
    starts.leave(key)
    locks.release(key)
    for (const pod of pods.having(workflowKeyOf, key)) {
      const { labels = {}, ownerReferences = [], uid = '' } = pod.metadata
      const isOther = stored && !ownerReferences.some(owner => owner.uid === stored.metadata.uid)
      if (!isHeld(pod) || isOther || labels[LABEL.instanceId] !== instanceId) continue
      try {
        await this.#letGo(pod)
        stepPods.forget(uid)
      } catch (thrown) {
        env.log.warn('a pod of a deleted workflow could not be let go', {
          pod: pod.metadata.name,
          error: asError(thrown),
        })
        throw thrown
      }
    }
  }
}

/** The run as far as it has come, stored or not. */
function latest(workflow: Workflow, memory: RunMemory): Workflow {
  const known = memory.unstored && withUnstored(workflow, memory.unstored)
  if (!known) delete memory.unstored
  return known ?? workflow
}

/** Nothing but steps that were Pending and run now, or still wait and say for what. */
const isMinor = ({ changed, actions, transitions, status }: Plan): boolean =>
  changed &&
  actions.length === 0 &&
  status.phase === 'Running' &&
  transitions.every(({ from, node }) => from === 'Pending' && node.phase === 'Running' && node.type === 'Pod')

/** How long a change may wait that another one is about to follow: the more runs there are, the longer a step takes to be
 *  over. */
export const minorDelayMs = (runs: number): number => Math.min(LONGEST_MINOR_DELAY_MS, MINOR_DELAY_MS + runs)
const MINOR_DELAY_MS = 100
const LONGEST_MINOR_DELAY_MS = 1000
const LOCK_POLL_MS = 10_000

/** A status of many nodes takes as long to store as it is large: what happens to other nodes meanwhile is gathered for the
 *  next time, so that a large run costs in proportion. */
const restAfter = ({ status }: Plan): number => {
  const nodes = Object.keys(status.nodes ?? {}).length
  return nodes < MANY_NODES ? 0 : Math.min(LONGEST_REST_MS, nodes / NODES_A_MS)
}
const MANY_NODES = 100
const NODES_A_MS = 10
const LONGEST_REST_MS = 200
const TERMINAL: readonly string[] = ['Succeeded', 'Failed', 'Error']

const isTerminal = (phase: string | undefined): boolean => TERMINAL.includes(phase ?? '')
const isCompleted = ({ status, metadata }: Workflow): boolean =>
  isTerminal(status?.phase) && metadata.labels?.[LABEL.completed] === 'true'
const isHeld = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(OUTCOME_FINALIZER) === true

/** The Workflow that a pod belongs to. */
export const workflowKeyOf = ({ metadata: { namespace, labels = {} } }: Pod): readonly string[] => {
  const name = labels[LABEL.workflow]
  return name === undefined ? [] : [`${namespace ?? ''}/${name}`]
}

/** Waits for the end of both, also when one fails: nothing of a run is under way when it is driven again. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b)
