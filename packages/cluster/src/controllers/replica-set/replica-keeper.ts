import { type KindRef, kindRef, type LabelSelector, type SharedCache } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { claim } from '../pods/claim.ts'
import { candidatesOf, keysOfOwners } from '../pods/owned.ts'
import { allAtOnce, type Batch, createPodControl, inSlowStart } from '../pods/pod-control.ts'
import { isControlledBy, podFromTemplate } from '../pods/pod-template.ts'
import { isActive, isTerminating, nextAvailability } from '../pods/readiness.ts'
import { updateStatus } from '../status.ts'
import { planReplicas, type ReplicaAction, type Replicated, statusOfReplicas } from './replicas.ts'

/** A kind that keeps a number of pods of one template. */
export interface ReplicaKind<T extends Replicated> {
  kind: KindRef<T>
  controller: string
  /** Who its Events come from. */
  component: string
  selectorOf: (owner: T) => LabelSelector
  countsTerminating: boolean
}

const podsOf = (owner: Replicated, count: number): Pod[] =>
  Array.from({ length: count }, () => podFromTemplate(owner.spec?.template, owner))

/** Keeps as many pods as the objects of a kind ask for. */
export function createReplicaKeeper<T extends Replicated>(
  context: ControllerContext,
  { kind, controller, component, selectorOf, countsTerminating }: ReplicaKind<T>,
): Controller {
  const { client, env } = context
  const podControl = createPodControl(client, context.recorder(component))
  const ownerWake = wakeBy<T>(context, kind, ({ object }) => [keyOfObject(object)])
  const owners: SharedCache<T> = ownerWake.cache
  const podWake = wakeBy<Pod>(context, kindRef('v1', 'Pod'), keysOfOwners({ cache: owners, selectorOf }))
  const pods: SharedCache<Pod> = podWake.cache

  /** The pods of everything that the owner's own controller controls: of all ReplicaSets of a Deployment. */
  const relatedPods = (owner: T): readonly Pod[] => {
    const { namespace, ownerReferences } = owner.metadata
    const parent = ownerReferences?.find(reference => reference.controller === true)
    if (!parent) return []
    const selectors = owners.ownedBy(parent.uid).map(selectorOf)
    return pods.list(namespace).filter(({ metadata }) => selectors.some(selector => selector.matches(metadata.labels)))
  }

  const act = async (owner: T, action: ReplicaAction): Promise<Batch<unknown>> => {
    switch (action.type) {
      case 'none':
        return { done: [] }
      case 'create':
        return inSlowStart(podsOf(owner, action.count), pod => podControl.create(owner, pod))
      case 'delete':
        return allAtOnce(action.pods, pod => podControl.delete(owner, pod))
    }
  }

  const reconcile = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const owner = owners.get(name, namespace)
    if (!owner) return undefined
    const selector = selectorOf(owner)
    const isMine = (pod: Pod) => isControlledBy(pod, owner) && selector.matches(pod.metadata.labels)
    const candidates = candidatesOf(pods, owner)
    const active = await claim(client, owner, selector, candidates.filter(isActive))
    const action = planReplicas(owner, { active, related: () => relatedPods(owner), now: env.clock.now() })
    const { failure } = await act(owner, action)

    const now = env.clock.now()
    const after = action.type === 'none' ? candidates : candidatesOf(pods, owner)
    const counted = {
      active: action.type === 'none' ? active : after.filter(pod => isActive(pod) && isMine(pod)),
      terminating: countsTerminating ? after.filter(pod => isTerminating(pod) && isMine(pod)) : undefined,
      failure,
      now,
    }
    await updateStatus(client, owner, statusOfReplicas(owner, counted))
    if (failure) throw failure
    return nextAvailability(counted.active, owner.spec?.minReadySeconds ?? 0, now)
  }

  return createReconciler(context, { name: controller, wakes: [ownerWake, podWake], reconcile })
}
