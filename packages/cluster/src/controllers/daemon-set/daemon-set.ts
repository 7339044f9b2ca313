import { isDeepStrictEqual } from 'node:util'
import { isAlreadyExists, kindRef, type SharedCache } from '@tiphys/kube'
import type { ControllerRevision, DaemonSet, Node, Pod } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { isSameRevision } from '../history/controller-revision.ts'
import { createRevisionHistory } from '../history/revision-history.ts'
import { claim } from '../pods/claim.ts'
import { candidatesOf, keysOfOwners, selectorOf } from '../pods/owned.ts'
import { allAtOnce, createPodControl, inSlowStart } from '../pods/pod-control.ts'
import { isControlledBy } from '../pods/pod-template.ts'
import { nextAvailability } from '../pods/readiness.ts'
import { updateStatus } from '../status.ts'
import { type DaemonPlan, type ObservedDaemons, planDaemons } from './daemon-plan.ts'
import { nodeOf, podForNode } from './daemon-pod.ts'
import { newDaemonRevision, splitRevisions, surplusOf } from './daemon-revision.ts'
import { statusOfDaemons } from './daemon-status.ts'
import { createReplacementBackoff } from './replacement-backoff.ts'

const BURST = 250

/** Keeps a pod of every DaemonSet on each node that it is meant for. */
export function createDaemonSetController(context: ControllerContext): Controller {
  const { client, env } = context
  const recorder = context.recorder('daemonset-controller')
  const podControl = createPodControl(client, recorder)
  const backoff = createReplacementBackoff(env.clock)
  const setWake = wakeBy<DaemonSet>(context, kindRef('apps/v1', 'DaemonSet'), ({ object }) => [keyOfObject(object)])
  const sets: SharedCache<DaemonSet> = setWake.cache
  const owners = { cache: sets, selectorOf: ({ spec }: DaemonSet) => selectorOf(spec?.selector) }
  const podWake = wakeBy<Pod>(context, kindRef('v1', 'Pod'), keysOfOwners(owners))
  const pods: SharedCache<Pod> = podWake.cache
  const nodeWake = wakeBy<Node>(context, kindRef('v1', 'Node'), change => {
    const isBeside = change.type === 'updated' && isSameForDaemons(change.old, change.object)
    return isBeside ? [] : sets.list().map(keyOfObject)
  })
  const nodes: SharedCache<Node> = nodeWake.cache
  const revisionWake = wakeBy<ControllerRevision>(context, kindRef('apps/v1', 'ControllerRevision'), () => [])
  const history = createRevisionHistory(client, revisionWake.cache)

  const currentRevision = async (set: DaemonSet, revisions: readonly ControllerRevision[]) => {
    const { current, old, number } = splitRevisions(set, revisions)
    if (!current) return { revision: await createRevision(set, newDaemonRevision(set, number)), old }
    if (current.revision >= number) return { revision: current, old }
    return { revision: await client.update<ControllerRevision>({ ...current, revision: number }), old }
  }

  const createRevision = async (set: DaemonSet, revision: ControllerRevision): Promise<ControllerRevision> => {
    try {
      return await client.create<ControllerRevision>(revision)
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown
      const { namespace = '', name = '' } = revision.metadata
      const taken = await client.get({ ...kindRef('apps/v1', 'ControllerRevision'), namespace, name })
      if (isSameRevision(taken, revision)) return taken
      // Another name is tried from now on.
      const collisionCount = (set.status?.collisionCount ?? 0) + 1
      await updateStatus(client, set, { ...set.status, collisionCount })
      throw thrown
    }
  }

  const placeOf = (set: DaemonSet, node: string) => `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`

  const perform = async ({ set, revision }: ObservedDaemons, plan: DaemonPlan): Promise<Error | undefined> => {
    for (const { pod, node } of plan.ended) tellOfEnd(set, pod, node)
    const missing = plan.create.slice(0, BURST).map(node => podForNode(set, revision, node))
    const [created, deleted] = await Promise.all([
      inSlowStart(missing, pod => podControl.create(set, pod)),
      allAtOnce(plan.delete.slice(0, BURST), pod => podControl.delete(set, pod)),
    ])
    return created.failure ?? deleted.failure
  }

  const tellOfEnd = (set: DaemonSet, { metadata, status }: Pod, node: string) => {
    const name = `${metadata.namespace}/${metadata.name}`
    if (status?.phase === 'Failed') {
      backoff.record(placeOf(set, node))
      recorder.warning(set, 'FailedDaemonPod', `Found failed daemon pod ${name} on node ${node}, will try to kill it`)
    } else {
      const message = `Found succeeded daemon pod ${name} on node ${node}, will try to delete it`
      recorder.normal(set, 'SucceededDaemonPod', message)
    }
  }

  const reconcile = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const set = sets.get(name, namespace)
    if (!set || set.metadata.deletionTimestamp !== undefined) return undefined
    const selector = selectorOf(set.spec?.selector)
    const { revision, old } = await currentRevision(set, await history.list(set, selector))
    const mine = await claim(client, set, selector, candidatesOf(pods, set))
    const mayReplace = (node: string) => backoff.wait(placeOf(set, node)) === 0
    const observed = { set, revision, nodes: nodes.list(), pods: mine, mayReplace, now: env.clock.now() }
    const failure = await perform(observed, planDaemons(observed))
    if (!failure) await history.remove(surplusOf(set, old, mine))

    const now = env.clock.now()
    const after = candidatesOf(pods, set).filter(
      pod => isControlledBy(pod, set) && selector.matches(pod.metadata.labels),
    )
    await updateStatus(client, set, statusOfDaemons({ ...observed, pods: after, now }))
    if (failure) throw failure
    return soonest([nextAvailability(after, set.spec?.minReadySeconds ?? 0, now), nextReplacement(set, after)])
  }

  /** When the next failed pod may be replaced. */
  const nextReplacement = (set: DaemonSet, among: readonly Pod[]): number | undefined => {
    const failed = among.filter(({ status, metadata }) => status?.phase === 'Failed' && !metadata.deletionTimestamp)
    return soonest(failed.map(pod => backoff.wait(placeOf(set, nodeOf(pod) ?? ''))).filter(wait => wait > 0))
  }

  return createReconciler(context, { name: 'daemonset', wakes: [setWake, podWake, nodeWake, revisionWake], reconcile })
}

const isSameForDaemons = (a: Node, b: Node) =>
  isDeepStrictEqual(a.metadata.labels, b.metadata.labels) && isDeepStrictEqual(a.spec?.taints, b.spec?.taints)

function soonest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter(time => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
