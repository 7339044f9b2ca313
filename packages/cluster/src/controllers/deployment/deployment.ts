import { isDeepStrictEqual } from 'node:util'
import { asError } from '@tiphys/env'
import { isAlreadyExists, isNotFound, kindRef, type SharedCache } from '@tiphys/kube'
import type { Deployment, DeploymentStatus, Pod, ReplicaSet } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { isNamespaceTerminating } from '../namespace/active.ts'
import { claim } from '../pods/claim.ts'
import { candidatesOf, keysOfOwners, selectorOf } from '../pods/owned.ts'
import { controllerOf, isControlledBy } from '../pods/pod-template.ts'
import { isTerminal } from '../pods/readiness.ts'
import { withCondition } from '../status.ts'
import { condition, hasDeadline, statusOfDeployment, timeToDeadline } from './deployment-status.ts'
import { isSameTemplate, type ReplicaSets, sortReplicaSets } from './replica-sets.ts'
import { nextRevision, REVISION, setAnnotations, withReplicaAnnotations } from './revision.ts'
import { planRollout, type RolloutStep } from './rollout.ts'
import type { Resize } from './scaling.ts'
import { sizeOf } from './size.ts'

/** Rolls out the templates of Deployments: a ReplicaSet for each template, sized so that enough replicas are available. */
export function createDeploymentController(context: ControllerContext): Controller {
  const { client, env } = context
  const recorder = context.recorder('deployment-controller')
  const deploymentWake = wakeBy<Deployment>(context, kindRef('apps/v1', 'Deployment'), ({ object }) => [
    keyOfObject(object),
  ])
  const deployments: SharedCache<Deployment> = deploymentWake.cache
  const owners = { cache: deployments, selectorOf: ({ spec }: Deployment) => selectorOf(spec?.selector) }
  const setWake = wakeBy<ReplicaSet>(context, kindRef('apps/v1', 'ReplicaSet'), keysOfOwners(owners))
  const sets: SharedCache<ReplicaSet> = setWake.cache
  const podWake = wakeBy<Pod>(context, kindRef('v1', 'Pod'), function* ({ type, object }) {
    // To recreate is to wait for the last pod's end; otherwise ReplicaSets tell all there is to know.
    if (type !== 'deleted' && !isTerminal(object)) return
    const owner = controllerOf(object)
    const set = owner?.kind === 'ReplicaSet' ? sets.get(owner.name, object.metadata.namespace) : undefined
    const deployment = set && controllerOf(set)
    if (deployment?.kind === 'Deployment') yield `${object.metadata.namespace}/${deployment.name}`
  })
  const pods: SharedCache<Pod> = podWake.cache

  const setsOf = async (deployment: Deployment): Promise<ReplicaSets> => {
    const claimed = await claim(
      client,
      deployment,
      selectorOf(deployment.spec?.selector),
      candidatesOf(sets, deployment),
    )
    const { current, old } = sortReplicaSets(deployment, claimed)
    return { current: current && (await keepAnnotated(deployment, current, old)), old }
  }

  /** The present set carries the Deployment's annotations, and its revision. */
  const keepAnnotated = async (deployment: Deployment, set: ReplicaSet, old: readonly ReplicaSet[]) => {
    const present = set.metadata.annotations ?? {}
    const annotations = setAnnotations(deployment, present, nextRevision(old))
    const minReadySeconds = deployment.spec?.minReadySeconds ?? 0
    const isSame = isDeepStrictEqual(annotations, present) && minReadySeconds === (set.spec?.minReadySeconds ?? 0)
    if (isSame || !set.spec) return set
    const { minReadySeconds: _, ...spec } = set.spec
    return client.update<ReplicaSet>({
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...spec, ...(minReadySeconds > 0 && { minReadySeconds }) },
    })
  }

  const hasOldPods = ({ old }: ReplicaSets): boolean =>
    old.some(set => (set.status?.replicas ?? 0) > 0) ||
    old.some(set => pods.ownedBy(set.metadata.uid ?? '').some(pod => isControlledBy(pod, set) && !isTerminal(pod)))

  const resize = async (deployment: Deployment, { set, replicas }: Resize): Promise<void> => {
    if (!set.spec) return
    const annotations = withReplicaAnnotations(set.metadata.annotations ?? {}, deployment)
    const before = sizeOf(set)
    await client.update<ReplicaSet>({
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...set.spec, replicas },
    })
    if (before !== replicas) tellOfScaling(deployment, set, before, replicas)
  }

  const tellOfScaling = (deployment: Deployment, { metadata }: ReplicaSet, from: number, to: number) => {
    const direction = from < to ? 'up' : 'down'
    const message = `Scaled ${direction} replica set ${metadata.name} from ${from} to ${to}`
    recorder.normal(deployment, 'ScalingReplicaSet', message)
  }

  /** Answers with the set, when this call created it. */
  const createSet = async (deployment: Deployment, set: ReplicaSet): Promise<ReplicaSet | undefined> => {
    try {
      const created = await client.create<ReplicaSet>(set)
      if (sizeOf(created) > 0) tellOfScaling(deployment, created, 0, sizeOf(created))
      return created
    } catch (thrown) {
      if (isNamespaceTerminating(thrown)) return undefined
      if (isAlreadyExists(thrown)) await resolveCollision(deployment, set)
      else await tellOfFailure(deployment, set, asError(thrown))
      throw thrown
    }
  }

  /** The name is taken. If not by the very set that is wanted, another name is tried from now on. */
  const resolveCollision = async (deployment: Deployment, { metadata, spec }: ReplicaSet) => {
    const taken = sets.get(metadata.name ?? '', metadata.namespace)
    if (!taken) return
    if (isControlledBy(taken, deployment) && isSameTemplate(spec?.template, taken.spec?.template)) return
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
    await writeStatus(deployment, { ...deployment.status, collisionCount })
  }

  const tellOfFailure = async (deployment: Deployment, { metadata }: ReplicaSet, { message: why }: Error) => {
    const message = `Failed to create new replica set "${metadata.name}": ${why}`
    recorder.warning(deployment, 'ReplicaSetCreateError', message)
    if (!hasDeadline(deployment)) return
    const failed = condition('Progressing', 'False', 'ReplicaSetCreateError', message, env.clock.now())
    const conditions = withCondition(deployment.status?.conditions, failed)
    await writeStatus(deployment, { ...deployment.status, conditions })
  }

  const perform = async (deployment: Deployment, step: RolloutStep | undefined): Promise<ReplicaSet | undefined> => {
    switch (step?.type) {
      case 'create':
        return createSet(deployment, step.set)
      case 'resize':
        for (const each of step.resizes) await resize(deployment, each)
        return undefined
      case 'clean-up':
        for (const { metadata } of step.sets) {
          const ref = {
            ...kindRef('apps/v1', 'ReplicaSet'),
            namespace: metadata.namespace ?? '',
            name: metadata.name ?? '',
          }
          await client.delete(ref).catch(thrown => {
            if (!isNotFound(thrown)) throw thrown
          })
        }
        return undefined
      case undefined:
        return undefined
    }
  }

  /** The Deployment's revision is written together with its status. */
  const writeStatus = async (deployment: Deployment, status: DeploymentStatus, revision?: string) => {
    const { annotations } = deployment.metadata
    const isNamed = revision === undefined || annotations?.[REVISION] === revision
    if (isNamed && isDeepStrictEqual(status, deployment.status ?? {})) return
    const metadata = isNamed
      ? deployment.metadata
      : { ...deployment.metadata, annotations: { ...annotations, [REVISION]: revision } }
    await client.update<Deployment>({ ...deployment, metadata, status }, { subresource: 'status' })
  }

  const reconcile = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const deployment = deployments.get(name, namespace)
    if (!deployment) return undefined
    const found = await setsOf(deployment)
    const { isRollout, step } = planRollout({ deployment, sets: found, hasOldPods: hasOldPods(found) })
    const created = await perform(deployment, step)
    const after = { current: created ?? refreshed(found.current), old: found.old.map(set => refreshed(set) ?? set) }
    const now = env.clock.now()
    const status = statusOfDeployment({ deployment, sets: after, isCreated: created !== undefined, isRollout, now })
    await writeStatus(deployment, status, after.current?.metadata.annotations?.[REVISION])
    return isRollout ? timeToDeadline(deployment, status, now) : undefined
  }

  const refreshed = (set: ReplicaSet | undefined) =>
    set && (sets.get(set.metadata.name ?? '', set.metadata.namespace) ?? set)

  return createReconciler(context, { name: 'deployment', wakes: [deploymentWake, setWake, podWake], reconcile })
}
