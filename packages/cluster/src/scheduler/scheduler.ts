import { asError } from '@tiphys/env'
import { isConflict, isNotFound, kindRef, type ObjectChange, type SharedCache } from '@tiphys/kube'
import type { Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@tiphys/kube/kinds'
import { type Controller, type ControllerContext, keyOfObject } from '../controllers/controller.ts'
import { timestampOf } from '../controllers/status.ts'
import type { EventRecorder } from '../event-recorder.ts'
import { createEventBudget, limitEvents, SCHEDULER_LIMIT } from '../node/limited-recorder.ts'
import { type Choice, chooseNode } from './choose-node.ts'
import { findPreemption } from './preemption.ts'
import { SchedulingQueue, type Waiting } from './scheduling-queue.ts'
import { factsOf, SchedulingState } from './scheduling-state.ts'
import { unschedulableMessage } from './unschedulable-message.ts'
import { claimNames, SELECTED_NODE, type VolumeLookup, type VolumePlan } from './volume-claims.ts'

const SCHEDULER_NAME = 'default-scheduler'
/** How many pods are being bound at the same time. */
const MOST_BINDINGS = 32
const VOLUME_BINDING_TIMEOUT_MS = 600_000

/** Gives every pod a node. Pods that no node is fit for say why in their status, and are tried again when nodes, pods or
 *  volumes change. */
export function createScheduler(context: ControllerContext): Controller {
  return new Scheduler(context)
}

class Scheduler implements Controller {
  readonly name = 'scheduler'
  readonly #context: ControllerContext
  readonly #recorder: EventRecorder
  /** For what happens to every pod: in a burst not all of it is told. */
  readonly #routine: EventRecorder
  readonly #caches: {
    pods: SharedCache<Pod>
    nodes: SharedCache<Node>
    namespaces: SharedCache<Namespace>
    claims: SharedCache<PersistentVolumeClaim>
    volumes: SharedCache<PersistentVolume>
    classes: SharedCache<StorageClass>
  }
  readonly #state: SchedulingState
  readonly #queue: SchedulingQueue
  readonly #working = new Set<Promise<void>>()
  /** Pods that were given a node which the cache does not show yet. */
  readonly #assumed = new Set<string>()
  readonly #claimWaiters = new Set<() => void>()
  /** How many of those that are being worked on wait for their volumes: others need not wait for them. */
  #waitingForVolumes = 0
  #isSynced = false
  #isStopped = false
  #isTurnDue = false

  constructor(context: ControllerContext) {
    this.#context = context
    this.#recorder = context.recorder(SCHEDULER_NAME)
    this.#routine = limitEvents(this.#recorder, createEventBudget(context.env.clock, SCHEDULER_LIMIT), context.env.log)
    const { caches } = context
    this.#caches = {
      pods: caches.acquire(kindRef<Pod>('v1', 'Pod')),
      nodes: caches.acquire(kindRef<Node>('v1', 'Node')),
      namespaces: caches.acquire(kindRef<Namespace>('v1', 'Namespace')),
      claims: caches.acquire(kindRef<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim')),
      volumes: caches.acquire(kindRef<PersistentVolume>('v1', 'PersistentVolume')),
      classes: caches.acquire(kindRef<StorageClass>('storage.k8s.io/v1', 'StorageClass')),
    }
    this.#state = new SchedulingState(
      volumeLookup(this.#caches),
      name => this.#caches.namespaces.get(name)?.metadata.labels,
    )
    this.#queue = new SchedulingQueue(context.env.clock, () => this.#turnSoon())
    this.#follow()
  }

  isIdle(): boolean {
    return this.#isSynced && this.#queue.readyCount === 0 && this.#working.size === this.#waitingForVolumes
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#queue.clear()
    for (const wake of this.#claimWaiters) wake()
    await Promise.all(this.#working)
    for (const cache of Object.values(this.#caches)) cache.release()
  }

  #follow(): void {
    const { pods, nodes, namespaces, claims, volumes, classes } = this.#caches
    nodes.subscribe(change => this.#onNode(change))
    pods.subscribe(change => this.#onPod(change))
    namespaces.subscribe(change => {
      if (change.type === 'updated') this.#state.forgetSets()
    })
    const onStorage = () => {
      this.#queue.wake(pod => claimNames(pod).length > 0)
      for (const wake of this.#claimWaiters) wake()
    }
    for (const cache of [claims, volumes, classes]) (cache as SharedCache).subscribe(onStorage)
    Promise.all(Object.values(this.#caches).map(cache => cache.whenSynced())).then(
      () => {
        this.#isSynced = true
        this.#turnSoon()
      },
      // The cache was stopped, or has said why it failed.
      () => {},
    )
  }

  #onNode(change: ObjectChange<Node>): void {
    const { object } = change
    if (change.type === 'deleted') return this.#state.removeNode(object.metadata.name ?? '')
    this.#state.setNode(object)
    if (change.type === 'added' || isOtherForScheduling(change.old, object)) this.#queue.wake(() => true)
  }

  #onPod(change: ObjectChange<Pod>): void {
    const pod = change.object
    const key = keyOfObject(pod)
    const uid = pod.metadata.uid ?? ''
    const isOver = change.type === 'deleted' || isFinished(pod)
    if (isOver) {
      this.#assumed.delete(uid)
      this.#queue.remove(key)
      for (const look of this.#claimWaiters) look()
      if (!this.#state.hasPod(uid)) return
      this.#state.remove(uid)
      this.#queue.wake(() => true)
    } else if (pod.spec?.nodeName) {
      this.#assumed.delete(uid)
      this.#queue.remove(key)
      const isSame = change.type === 'updated' && !isOtherPod(change.old, pod)
      if (isSame && this.#state.nodeOf(uid) === pod.spec.nodeName) return this.#state.refresh(pod)
      this.#state.place(factsOf(pod), pod.spec.nodeName)
      this.#queue.wake(joinsOthers)
    } else if (isMine(pod)) {
      if (this.#assumed.has(uid)) return
      const isChanged = change.type === 'updated' && isOtherPod(change.old, pod)
      this.#queue.add(key, pod)
      if (isChanged) this.#queue.wake(other => other.metadata.uid === uid)
    }
  }

  /** Changes that arrive together are seen together. */
  #turnSoon(): void {
    if (this.#isTurnDue || this.#isStopped) return
    this.#isTurnDue = true
    queueMicrotask(() => {
      this.#isTurnDue = false
      this.#turn()
    })
  }

  #turn(): void {
    if (!this.#isSynced) return
    while (this.#working.size - this.#waitingForVolumes < MOST_BINDINGS && !this.#isStopped) {
      const item = this.#queue.next()
      if (!item) return
      const work = this.#schedule(item).finally(() => {
        this.#working.delete(work)
        this.#turnSoon()
      })
      this.#working.add(work)
    }
  }

  async #schedule(item: Waiting): Promise<void> {
    try {
      const choice = chooseNode(item.pod, this.#state.nodes(), this.#state)
      if ('node' in choice) await this.#bind(item, choice.node, choice.volumes)
      else await this.#refuse(item, choice)
    } catch (thrown) {
      this.#giveBack(item)
      // A pod that has gone or got its node from somebody else is not a failure; the cache will show it.
      if (isNotFound(thrown) || isConflict(thrown) || this.#isStopped) return
      this.#context.env.log.warn(`the pod ${item.key} could not be scheduled`, { error: asError(thrown) })
    }
  }

  async #bind(item: Waiting, node: string, plan: VolumePlan): Promise<void> {
    const { pod } = item
    const uid = pod.metadata.uid ?? ''
    this.#assumed.add(uid)
    this.#state.place(factsOf(pod), node)
    if (plan.matched.length + plan.provisioned.length > 0) await this.#bindVolumes(pod, node, plan)
    if (this.#isStopped) return
    const { namespace = '', name = '' } = pod.metadata
    await this.#context.client.subresource('create', { ...kindRef('v1', 'Pod'), namespace, name }, 'binding', {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { kind: 'Node', name: node },
    })
    this.#queue.finish(item)
    this.#routine.normal(pod, 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`)
  }

  #giveBack(item: Waiting): void {
    const uid = item.pod.metadata.uid ?? ''
    if (this.#assumed.delete(uid)) this.#state.remove(uid)
    const current = this.#caches.pods.get(item.pod.metadata.name ?? '', item.pod.metadata.namespace)
    if (!current || current.metadata.uid !== uid || current.spec?.nodeName) return this.#queue.finish(item)
    this.#queue.park(item)
    this.#queue.wake(pod => pod.metadata.uid === uid)
  }

  /** Tells where the pod will be, and waits until every claim has its volume there. */
  async #bindVolumes(pod: Pod, node: string, plan: VolumePlan): Promise<void> {
    const { client } = this.#context
    for (const { claim, volume } of plan.matched) {
      const { name, namespace, uid } = claim.metadata
      const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid }
      const annotations = { ...volume.metadata.annotations, 'pv.kubernetes.io/bound-by-controller': 'yes' }
      const bound = { ...volume, metadata: { ...volume.metadata, annotations }, spec: { ...volume.spec, claimRef } }
      await client.update(bound as PersistentVolume)
    }
    for (const { metadata } of plan.provisioned) {
      if (metadata.annotations?.[SELECTED_NODE] === node) continue
      const ref = {
        ...kindRef('v1', 'PersistentVolumeClaim'),
        namespace: metadata.namespace ?? '',
        name: metadata.name ?? '',
      }
      const patch = {
        metadata: { resourceVersion: metadata.resourceVersion, annotations: { [SELECTED_NODE]: node } },
      }
      await client.patch(ref, { type: 'merge', patch })
    }
    this.#waitingForVolumes++
    this.#turnSoon()
    await this.#whenBound(pod).finally(() => {
      this.#waitingForVolumes--
    })
  }

  #whenBound(pod: Pod): Promise<void> {
    const namespace = pod.metadata.namespace ?? ''
    const names = claimNames(pod).map(({ name }) => name)
    const claims = () => names.map(name => this.#caches.claims.get(name, namespace))
    const isBound = () =>
      claims().every(
        claim =>
          claim?.spec?.volumeName &&
          claim.metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined &&
          this.#caches.volumes.get(claim.spec.volumeName) !== undefined,
      )
    // The provisioner takes the node away from a claim that it cannot serve there.
    const isGivenUp = () =>
      claims().some(claim => !claim || (!claim.spec?.volumeName && !claim.metadata.annotations?.[SELECTED_NODE])) &&
      !isBound()
    return new Promise((resolve, reject) => {
      const timer = this.#context.env.clock.schedule(VOLUME_BINDING_TIMEOUT_MS, () =>
        end(new Error('binding volumes: timed out waiting for the condition')),
      )
      const end = (error?: Error) => {
        timer.cancel()
        this.#claimWaiters.delete(look)
        if (error) reject(error)
        else resolve()
      }
      const look = () => {
        const isGone = this.#caches.pods.get(pod.metadata.name ?? '', namespace)?.metadata.uid !== pod.metadata.uid
        if (this.#isStopped || isBound()) end()
        else if (isGone || isGivenUp()) end(new Error('binding volumes: provisioning failed'))
      }
      this.#claimWaiters.add(look)
      look()
    })
  }

  async #refuse(item: Waiting, choice: Exclude<Choice, { node: string }>): Promise<void> {
    const { pod } = item
    const nodeCount = this.#state.nodes().length
    const misfits = 'misfits' in choice ? choice.misfits : new Map()
    const preemption = nodeCount === 0 ? undefined : findPreemption(pod, misfits, this.#state)
    const refusal = preemption && 'refusal' in preemption ? preemption.refusal : undefined
    const message = unschedulableMessage(choice, nodeCount, refusal)
    this.#recorder.warning(pod, 'FailedScheduling', message)
    const nominated = preemption && 'victims' in preemption ? preemption.node : undefined
    await this.#showUnschedulable(pod, message, nominated)
    if (preemption && 'victims' in preemption) await this.#preempt(pod, preemption.node, preemption.victims)
    this.#queue.park(item)
  }

  async #preempt(pod: Pod, node: string, victims: readonly Pod[]): Promise<void> {
    for (const victim of victims) {
      const { namespace = '', name = '', uid = '' } = victim.metadata
      const ref = { ...kindRef('v1', 'Pod'), namespace, name }
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: `${SCHEDULER_NAME}: preempting to accommodate a higher priority pod`,
        lastProbeTime: null,
        lastTransitionTime: timestampOf(this.#context.env),
      }
      try {
        const patch = { metadata: { uid }, status: { conditions: [condition] } }
        await this.#context.client.patch(ref, { type: 'strategic', patch }, { subresource: 'status' })
        await this.#context.client.delete(ref, { preconditions: { uid } })
      } catch (thrown) {
        // It has gone by itself.
        if (isNotFound(thrown) || isConflict(thrown)) continue
        throw thrown
      }
      this.#recorder.normal(victim, 'Preempted', `Preempted by pod ${pod.metadata.uid} on node ${node}`)
    }
  }

  async #showUnschedulable(pod: Pod, message: string, nominatedNodeName: string | undefined): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    const current = this.#caches.pods.get(name, namespace)
    if (!current || current.metadata.uid !== uid) return
    const old = current.status?.conditions?.find(({ type }) => type === 'PodScheduled')
    const isSame = old?.status === 'False' && old.reason === 'Unschedulable' && old.message === message
    const isNominated = (current.status?.nominatedNodeName ?? '') === (nominatedNodeName ?? '')
    if (isSame && isNominated) return
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : timestampOf(this.#context.env),
      observedGeneration: current.metadata.generation,
    }
    const nomination = isNominated ? {} : { nominatedNodeName: nominatedNodeName ?? null }
    const patch = { metadata: { uid }, status: { conditions: [condition], ...nomination } }
    const ref = { ...kindRef('v1', 'Pod'), namespace, name }
    await this.#context.client.patch(ref, { type: 'strategic', patch }, { subresource: 'status' })
  }
}

const isFinished = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed'

const isMine = ({ metadata, spec }: Pod) =>
  (spec?.schedulerName || SCHEDULER_NAME) === SCHEDULER_NAME &&
  (spec?.schedulingGates ?? []).length === 0 &&
  metadata.deletionTimestamp === undefined

const joinsOthers = ({ spec }: Pod) =>
  spec?.affinity?.podAffinity !== undefined || (spec?.topologySpreadConstraints ?? []).length > 0

/** Whether the change could make a pod fit that did not. Status alone does not. */
const isOtherPod = (old: Pod, pod: Pod) =>
  old.metadata.generation !== pod.metadata.generation ||
  old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
  JSON.stringify(old.metadata.labels) !== JSON.stringify(pod.metadata.labels)

const isOtherForScheduling = (old: Node, node: Node) => schedulingParts(old) !== schedulingParts(node)
const schedulingParts = ({ metadata, spec, status }: Node) =>
  JSON.stringify([metadata.labels, spec?.taints, spec?.unschedulable, status?.allocatable])

const byClass = ({ spec }: PersistentVolume): readonly string[] => [spec?.storageClassName ?? '']

function volumeLookup({
  claims,
  volumes,
  classes,
}: {
  claims: SharedCache<PersistentVolumeClaim>
  volumes: SharedCache<PersistentVolume>
  classes: SharedCache<StorageClass>
}): VolumeLookup {
  return {
    claim: (namespace, name) => claims.get(name, namespace),
    volume: name => volumes.get(name),
    volumesOfClass: storageClass => volumes.indexBy(byClass).get(storageClass),
    storageClass: name => classes.get(name),
  }
}
