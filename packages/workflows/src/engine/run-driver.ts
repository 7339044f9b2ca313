import { asError, type Env } from '@tiphys/env'
import { type Caches, type Client, isNotFound } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import type { LockTable } from '../locks/lock-table.ts'
import type { StepPods } from '../outputs/step-pods.ts'
import { type Plan, plan, type TemplateSource } from '../plan/plan.ts'
import { ANNOTATION, LABEL, OUTCOME_FINALIZER } from '../pods/labels.ts'
import type { Workflow, WorkflowSpec, WorkflowTemplate } from '../spec/workflow.ts'
import { rfc3339 } from '../variables/creation-time.ts'
import type { ActionDoer } from './action-doer.ts'
import type { Capacity } from './capacity.ts'
import { endOfDeleted } from './deleted-run.ts'
import type { DisruptionBudgets } from './disruption-budget.ts'
import { POD, WORKFLOW } from './engine-context.ts'
import { failedRun } from './failed-run.ts'
import type { KeptLogs } from './kept-logs.ts'
import { mayStoreLater, storeBy, withUnstored } from './late-storing.ts'
import { isFulfilled, observeRun } from './observation.ts'
import { isPassing } from './passing-trouble.ts'
import type { RunHistory } from './run-history.ts'
import { createRunMemory, type RunMemory } from './run-memory.ts'
import type { RunNote } from './run-notes.ts'
import { noteKept } from './run-records.ts'
import type { RunStarts } from './run-starts.ts'
import { storePlan } from './run-store.ts'
import type { ServedObjects } from './served-objects.ts'
import type { StatusKeeper } from './status-keeper.ts'
import { TemplateLookup } from './template-lookup.ts'
import { expiryOf } from './time-to-live.ts'

export interface RunDriverOptions {
  env: Env
  client: Client
  caches: Caches
  history: RunHistory
  workflows: ServedObjects<Workflow>
  pods: ServedObjects<Pod>
  templates: ServedObjects<WorkflowTemplate>
  clusterTemplates: ServedObjects<WorkflowTemplate>
  stepPods: StepPods
  keptLogs: KeptLogs
  statuses: StatusKeeper
  doer: ActionDoer
  locks: LockTable
  budgets: DisruptionBudgets
  capacity: Capacity
  starts: RunStarts
  instanceId: string | undefined
  defaults: WorkflowSpec | undefined
  /** A run is to be driven, by its key. */
  wake: (key: string) => void
  /** A plan was stored that changes something. */
  onPlan: (workflow: Workflow, plan: Plan) => void
  /** A run has ended: others may have waited for that. */
  onEnd: (workflow: Workflow) => void
}

/** Brings runs forward: looks at one, plans, stores the plan, then acts. */
export interface RunDriver {
  /** `namespace/name`. Resolves with when to look again even if nothing changes, in milliseconds since the epoch. */
  drive(key: string): Promise<number | undefined>
  /** The Workflow is gone, and was so when it was last seen. To be driven then: what is under way for it comes to its end first. */
  noteDeletion(workflow: Workflow): void
  /** A run that was under way is not there. To be driven then. */
  noteMissing(note: RunNote): void
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
  /** Workflows, by key, that were deleted and whose end is to be recorded: several when the name was taken anew. */
  readonly #deleted = new Map<string, Workflow[]>()
  /** Runs, by key, that were under way and are to be looked for. */
  readonly #missing = new Map<string, RunNote[]>()

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

  noteDeletion(workflow: Workflow): void {
    const { namespace = '', name = '' } = workflow.metadata
    const key = `${namespace}/${name}`
    const deleted = this.#deleted.get(key)
    if (deleted) deleted.push(workflow)
    else this.#deleted.set(key, [workflow])
  }

  noteMissing(note: RunNote): void {
    const { namespace, name } = note.run.run
    const key = `${namespace}/${name}`
    this.#missing.set(key, [...(this.#missing.get(key) ?? []), note])
  }

  async drive(key: string): Promise<number | undefined> {
    const [namespace = '', name = ''] = key.split('/')
    const { env, workflows, starts, instanceId } = this.#options
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const deleted = this.#deleted.get(key)
      if (deleted) await this.#endDeleted(key, deleted)
      if (this.#missing.has(key)) await this.#lookFor(key)
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
    const { env, client, workflows, pods, stepPods, statuses, doer, budgets, starts, history } = this.#options
    const { uid = '', name = '', namespace = '' } = stored.metadata
    if (this.#finished.has(uid) && isCompleted(stored)) return this.#expire(stored)
    // A retry begins it anew, also when something was still to be done for it: nothing that is known of its steps counts any more.
    // Whoever asked for it has stored that it runs, so that no plan changes its phase.
    const isOver = this.#finished.delete(uid) || this.#memories.get(`${namespace}/${name}`)?.isOver === true
    const begunAgain = isOver && !isTerminal(stored.status?.phase)
    if (begunAgain) {
      this.#memories.delete(`${namespace}/${name}`)
      history.recordBeginning(stored, this.memoryOf(stored))
    }
    const ownPods = pods.ownedBy(uid)
    if (this.#hasBegun(stored, ownPods)) starts.leave(`${namespace}/${name}`)
    else if (!starts.mayBegin(`${namespace}/${name}`)) return undefined
    const known = statuses.whole(stored)
    const whole = known instanceof Promise ? await known : known
    const memory = this.memoryOf(stored)
    if (begunAgain) noteKept(whole, memory.recordedPhases)
    history.catchUp(whole, memory)
    if (memory.restUntil !== undefined && env.clock.now() < memory.restUntil) return memory.restUntil
    const workflow = latest(whole, memory)
    const templates = new TemplateLookup(this.#options, namespace)
    let planned = this.#plan(workflow, memory, ownPods, templates)
    while (templates.isWanting && (await templates.ask(client)))
      planned = this.#plan(workflow, memory, ownPods, templates)
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
    if (isTerminal(planned.status.phase) && !isTerminal(stored.status?.phase)) await history.mayEnd(workflow, memory)
    const next = await storePlan(client, statuses, stored, { ...planned, changed })
    if (!next) {
      // Somebody else has written; the watch may be behind.
      await this.#refresh(stored)
      return 'again'
    }
    delete memory.unstored
    if (isTerminal(planned.status.phase)) memory.isOver = true
    if (planned.changed) memory.restUntil = env.clock.now() + restAfter(planned)
    this.#record(workflow, planned, memory)
    const current = workflows.get(name, namespace) ?? next
    const spec = planned.status.storedWorkflowTemplateSpec ?? workflow.spec
    const fault = await budgets.keep(current, spec, planned.status)
    if (fault !== undefined) {
      memory.fault = fault
      return 'again'
    }
    const actions = planned.actions.filter(action => {
      const pod = action.do === 'deletePod' ? pods.get(action.podName, namespace) : undefined
      return !pod || this.#isLogKept(pod)
    })
    const [isNews] = await both(
      doer.carryOut({ workflow: current, spec, memory }, actions),
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

  #plan(workflow: Workflow, memory: RunMemory, pods: readonly Pod[], templates: TemplateSource): Plan {
    const { env, stepPods, capacity, defaults } = this.#options
    if (memory.fault !== undefined && !isTerminal(workflow.status?.phase))
      return failedRun(workflow, memory.fault, rfc3339(env.clock.now()))
    const hold = capacity.hold(workflow)
    return plan({
      workflow,
      templates,
      observed: observeRun(workflow, pods, stepPods, memory),
      now: env.clock.now(),
      ...(defaults && { defaults }),
      ...(hold !== undefined && { hold }),
    })
  }

  #record(workflow: Workflow, planned: Plan, memory: RunMemory): void {
    const { history, onPlan, onEnd } = this.#options
    if (!planned.changed) return history.recordSuspension(workflow, memory)
    onPlan(workflow, planned)
    history.record(workflow, planned, memory)
    if (isTerminal(planned.status.phase) && !isTerminal(workflow.status?.phase)) onEnd(workflow)
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
        if (!stepPods.isRead(pod) || !this.#isLogKept(pod)) return
        const patched = await this.#letGo(pod)
        if (!patched) caches.recordDeletion({ ...POD, name, namespace, ...(uid !== undefined && { uid }) })
        stepPods.forget(uid ?? '')
        memory.stopped.delete(nodeId)
      }),
    )
  }

  /** Nobody needs the pod's log any more; else its run is driven again when that is so. A pod that is deleted has none, also while
   *  something holds it. */
  #isLogKept(pod: Pod): boolean {
    const { stepPods, keptLogs, wake } = this.#options
    if (stepPods.isBeingRead(pod)) return false
    const keeping = keptLogs.keeping(pod.metadata.uid ?? '')
    void keeping?.then(() => workflowKeyOf(pod).forEach(wake))
    return keeping === undefined
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
    const { env, client, history } = this.#options
    const { name = '', namespace = '', uid = '' } = stored.metadata
    const spec = stored.status?.storedWorkflowTemplateSpec ?? stored.spec
    const expiry = expiryOf(spec, stored.status ?? {})
    if (expiry === undefined || expiry > env.clock.now()) return expiry
    await history.mayGo(uid)
    try {
      await client.delete({ ...WORKFLOW, namespace, name }, { preconditions: { uid }, propagationPolicy: 'Background' })
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown
    }
    return undefined
  }

  /** The Workflow is gone, or going: nothing of it goes on, and nothing holds its pods. */
  async #forget(key: string, stored: Workflow | undefined): Promise<undefined> {
    const { pods, starts } = this.#options
    starts.leave(key)
    this.#endTasks(key)
    if (stored) await this.#end(key, stored)
    const own = pods.having(workflowKeyOf, key)
    await this.#letAllGo(stored ? own.filter(pod => isOwnedBy(pod, stored.metadata.uid)) : own)
  }

  /** Of Workflows that are gone for good nothing is remembered once their end is recorded. */
  async #endDeleted(key: string, deleted: Workflow[]): Promise<void> {
    const { env, pods, statuses } = this.#options
    for (let workflow = deleted[0]; workflow; workflow = deleted[0]) {
      const { uid = '' } = workflow.metadata
      this.#endTasks(key)
      await this.#end(key, workflow)
      await this.#letAllGo(pods.ownedBy(uid))
      void statuses.forget(workflow).catch((thrown: unknown) => {
        env.log.warn('values of a deleted workflow stay in the artifact store', { error: asError(thrown) })
      })
      this.#finished.delete(uid)
      deleted.shift()
    }
    this.#deleted.delete(key)
  }

  /** What was under way when the last engine ended is gone when the cluster says so. One that may not be asked says nothing. */
  async #lookFor(key: string): Promise<void> {
    const { client, history } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    const uid = await client.get({ ...WORKFLOW, namespace, name }).then(
      ({ metadata }) => metadata.uid ?? '',
      thrown => {
        if (isPassing(thrown)) throw thrown
        return isNotFound(thrown) ? '' : undefined
      },
    )
    if (uid !== undefined)
      for (const note of this.#missing.get(key) ?? []) if (note.run.run.uid !== uid) history.recordGone(note)
    this.#missing.delete(key)
  }

  #endTasks(key: string): void {
    for (const { abort } of this.#memories.get(key)?.tasks.values() ?? [])
      abort.abort(new Error('the workflow was deleted'))
    this.#options.locks.release(key)
  }

  /** Records, once, that a run ends because its Workflow was deleted. */
  async #end(key: string, stored: Workflow): Promise<void> {
    const { env, instanceId, history } = this.#options
    const { uid = '', labels } = stored.metadata
    if (labels?.[LABEL.instanceId] !== instanceId) return
    const known = this.#memories.get(key)
    const memory = known?.uid === uid ? known : createRunMemory(uid)
    // What was stored last may not have been seen.
    const isOver = isTerminal(stored.status?.phase) || this.#finished.has(uid) || memory.isOver
    if (!isOver || history.owes(uid)) {
      const workflow = latest(await this.#asFarAsKnown(stored), memory)
      history.catchUp(workflow, memory)
      if (!isOver) this.#record(workflow, endOfDeleted(workflow, env.clock.now()), memory)
    }
    this.#finished.add(uid)
    if (known === memory) this.#memories.delete(key)
  }

  async #asFarAsKnown(deleted: Workflow): Promise<Workflow> {
    try {
      return await this.#options.statuses.whole(deleted)
    } catch (thrown) {
      this.#options.env.log.warn('how the steps of a deleted workflow ended is not recorded', {
        workflow: deleted.metadata.name,
        error: asError(thrown),
      })
      return deleted
    }
  }

  async #letAllGo(pods: readonly Pod[]): Promise<void> {
    const { env, stepPods, instanceId } = this.#options
    for (const pod of pods) {
      const { labels = {}, uid = '' } = pod.metadata
      if (!isHeld(pod) || labels[LABEL.instanceId] !== instanceId) continue
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
export const minorDelayMs = (runs: number): number =>
  Math.min(LONGEST_MINOR_DELAY_MS, MINOR_DELAY_MS + runs * MINOR_DELAY_OF_RUN_MS)
const MINOR_DELAY_MS = 100
const MINOR_DELAY_OF_RUN_MS = 10
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
const isOwnedBy = ({ metadata: { ownerReferences = [] } }: Pod, uid: string | undefined): boolean =>
  ownerReferences.some(owner => owner.uid === uid)
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
