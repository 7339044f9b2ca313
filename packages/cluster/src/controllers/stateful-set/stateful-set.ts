import { kindRef, type SharedCache } from '@tiphys/kube'
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { surplusRevisions } from '../history/controller-revision.ts'
import { createRevisionHistory } from '../history/revision-history.ts'
import { isNamespaceTerminating } from '../namespace/active.ts'
import { claim } from '../pods/claim.ts'
import { candidatesOf, keysOfOwners, selectorOf } from '../pods/owned.ts'
import { inSlowStart } from '../pods/pod-control.ts'
import { isControlledBy } from '../pods/pod-template.ts'
import { nextAvailability } from '../pods/readiness.ts'
import { updateStatus } from '../status.ts'
import { createPlaceControl } from './place-control.ts'
import { type ObservedSet, type PlaceAction, planStatefulSet } from './stateful-plan.ts'
import { isMemberOf, revisionOf } from './stateful-pod.ts'
import { statusOfStatefulSet } from './stateful-status.ts'

const isKeeping = ({ type }: PlaceAction) => type !== 'delete'

/** Keeps a pod in every place of a StatefulSet: each with its name, its claims and, in its turn, the latest template. */
export function createStatefulSetController(context: ControllerContext): Controller {
  const { client, env } = context
  const perform = createPlaceControl(client, context.recorder('statefulset-controller'))
  const setWake = wakeBy<StatefulSet>(context, kindRef('apps/v1', 'StatefulSet'), ({ object }) => [keyOfObject(object)])
  const sets: SharedCache<StatefulSet> = setWake.cache
  const owners = { cache: sets, selectorOf: ({ spec }: StatefulSet) => selectorOf(spec?.selector) }
  const podWake = wakeBy<Pod>(context, kindRef('v1', 'Pod'), keysOfOwners(owners))
  const pods: SharedCache<Pod> = podWake.cache
  const claimWake = wakeBy<PersistentVolumeClaim>(
    context,
    kindRef('v1', 'PersistentVolumeClaim'),
    function* ({ type, object }) {
      // A claim on its way out holds its place up; when it is gone the place can be filled.
      if (type !== 'deleted') return
      for (const set of sets.list(object.metadata.namespace)) {
        const isOfSet = set.spec?.volumeClaimTemplates?.some(({ metadata }) =>
          object.metadata.name?.startsWith(`${metadata.name}-${set.metadata.name}-`),
        )
        if (isOfSet) yield keyOfObject(set)
      }
    },
  )
  const claims: SharedCache<PersistentVolumeClaim> = claimWake.cache
  const revisionWake = wakeBy<ControllerRevision>(context, kindRef('apps/v1', 'ControllerRevision'), () => [])
  const history = createRevisionHistory(client, revisionWake.cache)

  /** Deletions last: what they would take along has its owners by then. */
  const performAll = async (observed: ObservedSet, actions: readonly PlaceAction[]): Promise<Error | undefined> => {
    for (const batch of [actions.filter(isKeeping), actions.filter(action => !isKeeping(action))]) {
      const { failure } = await inSlowStart(batch, action => perform(observed, action))
      if (failure) return isNamespaceTerminating(failure) ? undefined : failure
    }
    return undefined
  }

  const reconcile = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const set = sets.get(name, namespace)
    if (!set) return undefined
    const selector = selectorOf(set.spec?.selector)
    const revisions = await history.list(set, selector)
    const mine = await claim(client, set, selector, candidatesOf(pods, set), { isMatch: pod => isMemberOf(set, pod) })
    const collisions = set.status?.collisionCount ?? 0
    const { revision: update, collisionCount } = await history.latest(set, set.spec?.template, revisions, collisions)
    const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update
    const observed: ObservedSet = {
      set,
      pods: mine,
      current,
      update,
      claimNamed: claimName => claims.get(claimName, namespace),
      now: env.clock.now(),
    }
    const failure = await performAll(observed, planStatefulSet(observed))

    const now = env.clock.now()
    const after = candidatesOf(pods, set).filter(pod => isControlledBy(pod, set) && isMemberOf(set, pod))
    await updateStatus(client, set, statusOfStatefulSet({ set, pods: after, current, update, collisionCount, now }))
    const live = new Set([current.metadata.name, update.metadata.name, ...mine.map(revisionOf)])
    const limit = set.spec?.revisionHistoryLimit ?? 10
    await history.remove(surplusRevisions(revisions, ({ metadata }) => live.has(metadata.name), limit))
    if (failure) throw failure
    return nextAvailability(after, set.spec?.minReadySeconds ?? 0, now)
  }

  return createReconciler(context, {
    name: 'statefulset',
    wakes: [setWake, podWake, claimWake, revisionWake],
    reconcile,
  })
}
