import { isDeepStrictEqual } from 'node:util'
import { asError } from '@tiphys/env'
import { isConflict, kindRef, type LabelSelector, labelSelectorFrom } from '@tiphys/kube'
import type { Pod, PodDisruptionBudget } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { timestampOf } from '../status.ts'
import { budgetStatus, countHealthy, disruptedPods, expectation, failedStatus, needsScale } from './budget-status.ts'
import { createPodScale } from './pod-scale.ts'
import { formatSelector } from './selector-text.ts'

const NAME = 'disruption-controller'
/** A pod that was to be disrupted and is still there after this time is not to be disrupted any more. */
const STALE_DISRUPTION_MS = 2 * 60_000

/** Keeps the status of PodDisruptionBudgets: how many pods there are and should be, and how many may go now. */
export function createDisruptionController(context: ControllerContext): Controller {
  const { client, env } = context
  const recorder = context.recorder('controllermanager')
  const scale = createPodScale(context)
  const budgets = wakeBy(context, kindRef('policy/v1', 'PodDisruptionBudget'), ({ object }) => [keyOfBudget(object)])
  const pods = wakeBy(context, kindRef('v1', 'Pod'), change => {
    const keys = new Set(budgetsOf(change.object).map(keyOfBudget))
    if (change.type === 'updated') for (const budget of budgetsOf(change.old)) keys.add(keyOfBudget(budget))
    if (change.type === 'added') reportMany(change.object)
    if (change.type !== 'deleted' && staleIn(change.object, env.clock.now()) !== undefined)
      keys.add(`pod ${keyOfObject(change.object)}`)
    return keys
  })

  const budgetsOf = ({ metadata: { namespace, labels } }: Pod) =>
    budgets.cache.list(namespace).filter(budget => selectorOf(budget).matches(labels))

  const reportMany = (pod: Pod) => {
    const [first, ...others] = budgetsOf(pod)
    if (!first || others.length === 0) return
    const { namespace, name } = pod.metadata
    recorder.warning(
      pod,
      'MultiplePodDisruptionBudgets',
      `Pod ${JSON.stringify(namespace)}/${JSON.stringify(name)} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(first.metadata.name)} arbitrarily.`,
    )
  }

  const write = async (budget: PodDisruptionBudget, status: PodDisruptionBudget['status']) => {
    if (isDeepStrictEqual(budget.status ?? {}, status)) return
    await client.update({ ...budget, ...(status && { status }) }, { subresource: 'status' })
  }

  /** Answers with the time until an eviction that was allowed is overdue. */
  const bringUpToDate = async (budget: PodDisruptionBudget): Promise<number | undefined> => {
    const selected = pods.cache
      .list(budget.metadata.namespace)
      .filter(({ metadata }) => selectorOf(budget).matches(metadata.labels))
    if (selected.length === 0) recorder.normal(budget, 'NoPods', 'No matching pods found')
    const wanted = needsScale(budget) ? await askScale(budget, selected) : { scale: 0, unmanaged: [] }
    if (wanted.unmanaged.length > 0) reportUnmanaged(budget)
    const now = env.clock.now()
    const disrupted = disruptedPods(budget, selected, now)
    for (const pod of disrupted.overdue) reportOverdue(pod, budget)
    const healthy = countHealthy(selected, disrupted.pods, now)
    const expected = expectation(budget, selected.length, wanted.scale)
    await write(budget, budgetStatus(budget, expected, healthy, disrupted.pods, timestampOf(env)))
    // A moment later than its time: then it is over.
    return disrupted.recheckAt === undefined ? undefined : disrupted.recheckAt - now + 1
  }

  const askScale = async (budget: PodDisruptionBudget, selected: readonly Pod[]) => {
    try {
      return await scale.of(selected)
    } catch (thrown) {
      const message = `Failed to calculate the number of expected pods: ${asError(thrown).message}`
      recorder.warning(budget, 'CalculateExpectedPodCountFailed', message)
      throw thrown
    }
  }

  const reportUnmanaged = (budget: PodDisruptionBudget) =>
    recorder.warning(
      budget,
      'UnmanagedPods',
      `Pods selected by this PodDisruptionBudget (selector: ${formatSelector(budget.spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
    )

  const reportOverdue = (pod: Pod, { metadata: { namespace } }: PodDisruptionBudget) =>
    recorder.warning(pod, 'NotDeleted', `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`)

  const reconcileBudget = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const budget = budgets.cache.get(name, namespace)
    if (!budget) return undefined
    await scale.whenSynced()
    try {
      return await bringUpToDate(budget)
    } catch (thrown) {
      if (isConflict(thrown)) throw thrown
      await write(budget, failedStatus(budget, asError(thrown).message, timestampOf(env)))
      return undefined
    }
  }

  /** Takes back the announcement of a disruption that did not come. */
  const reconcilePod = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const pod = pods.cache.get(name, namespace)
    const stale = pod && staleIn(pod, env.clock.now())
    if (!pod || stale === undefined || stale > 0) return stale
    const conditions = (pod.status?.conditions ?? []).map(condition =>
      condition.type === 'DisruptionTarget'
        ? {
            type: condition.type,
            status: 'False',
            lastTransitionTime: timestampOf(env),
            ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
          }
        : condition,
    )
    await client.update({ ...pod, status: { ...pod.status, conditions } }, { subresource: 'status' })
    return undefined
  }

  const reconciler = createReconciler(context, {
    name: NAME,
    wakes: [budgets, pods],
    reconcile: key =>
      key.startsWith('pod ') ? reconcilePod(key.slice('pod '.length)) : reconcileBudget(key.slice('budget '.length)),
  })
  return {
    ...reconciler,
    async stop() {
      await reconciler.stop()
      scale.release()
    },
  }
}

const keyOfBudget = (budget: PodDisruptionBudget) => `budget ${keyOfObject(budget)}`

const selectors = new WeakMap<PodDisruptionBudget, LabelSelector>()

/** Without a selector a budget selects nothing, with an empty one everything. */
function selectorOf(budget: PodDisruptionBudget): LabelSelector {
  const known = selectors.get(budget) ?? labelSelectorFrom(budget.spec?.selector)
  selectors.set(budget, known)
  return known
}

/** The time until the announced disruption of a pod that lives on is stale; undefined when none is announced. */
function staleIn({ metadata, status }: Pod, now: number): number | undefined {
  const condition = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed'
  if (metadata.deletionTimestamp !== undefined || isOver) return undefined
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined
  return Math.max(0, Date.parse(condition.lastTransitionTime ?? '') + STALE_DISRUPTION_MS - now)
}
