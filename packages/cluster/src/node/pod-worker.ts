import { asError, type Env, type Timer } from '@tiphys/env'
import { type Client, isNotFound, kindRef } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import type { EventRecorder } from '../event-recorder.ts'
import type { ExecConfig, ExecSession, PodRuntime, RunningContainer, Sandbox } from '../runtime/pod-runtime.ts'
import { type ContainerHost, ContainerRun } from './container-run.ts'
import type { ContainerSetup } from './container-setup.ts'
import { restartAt } from './crash-backoff.ts'
import type { LogStore } from './logs/log-store.ts'
import type { ObservedContainer, ObservedPod, Verdict } from './observed-pod.ts'
import { containersOf, describePod, fieldPathOf, restartPolicyOf } from './pod-containers.ts'
import { podHostname } from './pod-files.ts'
import { type Action, isEnding, planPod } from './pod-plan.ts'
import { type NodeFacts, podStatus } from './pod-status.ts'
import type { Resumption } from './resume.ts'
import { statusPatch } from './status-patch.ts'
import { MountFailure } from './volumes/pod-volumes.ts'

const POD = kindRef('v1', 'Pod')

/** What a pod's driver needs of its node. */
export interface WorkerHost {
  readonly client: Client
  readonly env: Env
  readonly runtime: PodRuntime
  readonly recorder: EventRecorder
  readonly setup: ContainerSetup
  readonly logs: LogStore
  readonly node: NodeFacts
  /** Has `settle` called, after a delay where more is about to change. */
  requestWrite(worker: PodWorker, delayMs: number): void
  /** Nothing of the pod is left on this node. */
  finished(worker: PodWorker): void
}

/** While containers are being started their status is about to change: it is written when they run, or after this time. */
const WRITE_DELAY_MS = 100

/** A program of a pod that runs to its end is often over in a moment: that it ran and that it ended are told at once then.
 *  A kubelet, which looks at its containers once a second, tells no more. */
const BRIEF_MS = 10

const FIRST_PREPARE_RETRY_MS = 500
const LONGEST_PREPARE_RETRY_MS = 20_000

/** Drives one pod of this node: plans, does what the plan says, and tells the API how it stands. */
export class PodWorker {
  readonly #host: WorkerHost
  readonly #observed: ObservedPod
  readonly #containerHost: ContainerHost
  readonly #containers: Map<string, ObservedContainer>
  readonly #runs = new Map<string, ContainerRun>()
  #pod: Pod
  #sandbox: Sandbox | undefined
  #timer: Timer | undefined
  #isSyncDue = false
  /** Grows with every change of what is observed. */
  #changes = 0
  /** `settle` is about to be called, and will find out what there is to tell. */
  #isWriteDue = false
  /** `settle` is at work, and looks again in the end if anything has changed meanwhile. */
  #isSettling = false
  #isDeleteDue = false
  #isDeleted = false
  /** What it has to tell was told before this agent began. */
  readonly #isOver: boolean
  #isStopped = false
  #inFlight = 0
  #prepareRetryMs = FIRST_PREPARE_RETRY_MS
  readonly #toldBackoff = new Map<string, number>()

  constructor(host: WorkerHost, pod: Pod, initial: Resumption) {
    this.#host = host
    this.#pod = pod
    this.#isOver = initial.isOver
    const acceptedAt = pod.status?.startTime ? Date.parse(pod.status.startTime) : host.env.clock.now()
    const containers = new Map<string, ObservedContainer>()
    this.#observed = {
      sandbox: initial.isOver ? { state: 'removed', ips: [] } : { state: 'none' },
      containers,
      acceptedAt,
      isGone: false,
      ...(initial.verdict && { verdict: initial.verdict }),
    }
    this.#containerHost = {
      env: host.env,
      recorder: host.recorder,
      setup: host.setup,
      logs: host.logs,
      pod: () => this.#pod,
      sandbox: () => this.#sandbox as Sandbox,
      changed: () => this.#syncSoon(),
    }
    this.#containers = containers
    this.#meetContainers(initial.containers)
    this.#syncSoon()
  }

  get pod(): Pod {
    return this.#pod
  }

  get observed(): ObservedPod {
    return this.#observed
  }

  get sandbox(): Sandbox | undefined {
    return this.#observed.sandbox.state === 'ready' ? this.#sandbox : undefined
  }

  running(container: string): RunningContainer | undefined {
    return this.#runs.get(container)?.running
  }

  attach(container: string, config: Omit<ExecConfig, 'argv'>): ExecSession | undefined {
    return this.#runs.get(container)?.attach(config)
  }

  /** Something is being done right now. */
  get isBusy(): boolean {
    return this.#isSyncDue || this.#inFlight > 0
  }

  update(pod: Pod): void {
    const before = this.#pod
    this.#pod = pod
    this.#host.setup.updatePod?.(pod)
    if (isTheSameToRun(before, pod)) return
    this.#meetContainers(new Map())
    this.#syncSoon()
  }

  /** The pod is gone from the API: what runs is ended, and nothing is told any more. */
  disappear(): void {
    this.#observed.isGone = true
    this.#syncSoon()
  }

  /** The pod has to go, whatever its containers say. */
  judge(verdict: Verdict): void {
    if (isEnding(this.#pod, this.#observed)) return
    this.#observed.verdict = verdict
    this.#host.recorder.warning(this.#pod, verdict.reason, verdict.message)
    this.#syncSoon()
  }

  /** Ends what runs at once and frees what it used, without a word to the API. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await Promise.all([...this.#runs.values()].map(run => run.kill()))
    await this.#sandbox?.remove()
  }

  /** Writes the status if it differs from what the API shows, then deletes the pod if that is due. */
  async settle(): Promise<void> {
    this.#isWriteDue = false
    if (this.#isStopped || this.#observed.isGone) return
    const changes = this.#changes
    this.#isSettling = true
    try {
      await this.#tell()
    } finally {
      this.#isSettling = false
      if (this.#changes !== changes) this.#syncSoon()
    }
  }

  async #tell(): Promise<void> {
    const { client } = this.#host
    const { namespace = '', name = '', uid = '' } = this.#pod.metadata
    const ref = { ...POD, namespace, name }
    const patch = this.#news()
    try {
      if (patch) {
        const body = { metadata: { uid }, status: patch }
        const options = { subresource: 'status', readsOnly: true }
        const answer = await client.patch(ref, { type: 'strategic', patch: body }, options)
        this.#accept(answer)
      }
      if (this.#isDeleteDue) {
        await client.delete(ref, { gracePeriodSeconds: 0, preconditions: { uid } })
        this.#isDeleteDue = false
        // It may stay for its finalizers, which are for others to take away.
        this.#isDeleted = true
      }
    } catch (thrown) {
      // It is gone, or another pod has its name: its deletion arrives by the watch.
      if (!isNotFound(thrown) && !isOtherUid(thrown)) throw thrown
    }
  }

  /** The API's answer to a write is newer than what the watch has brought so far. */
  #accept(answer: Pod): void {
    if (answer.metadata.uid !== this.#pod.metadata.uid) return
    this.#pod = answer
  }

  /** Ephemeral containers come while the pod runs. */
  #meetContainers(resumed: Resumption['containers']): void {
    for (const each of containersOf(this.#pod)) {
      const { name } = each.container
      if (this.#runs.has(name)) continue
      const observed: ObservedContainer = resumed.get(name) ?? {
        activity: { state: 'unstarted' },
        restartCount: 0,
        imageId: '',
        isSilent: true,
      }
      this.#containers.set(name, observed)
      this.#runs.set(name, new ContainerRun(this.#containerHost, each, observed))
    }
  }

  /** How the status has to change. */
  #news(): Record<string, unknown> | undefined {
    if (this.#isOver) return undefined
    const status = podStatus(this.#pod, this.#observed, this.#host.node, this.#host.env.clock.now())
    return statusPatch(this.#pod.status, status)
  }

  /** Changes that come together are looked at once. */
  #syncSoon(): void {
    this.#changes++
    if (this.#isSyncDue || this.#isStopped) return
    this.#isSyncDue = true
    queueMicrotask(() => {
      this.#isSyncDue = false
      if (!this.#isStopped) this.#sync()
    })
  }

  #sync(): void {
    const { clock } = this.#host.env
    this.#timer?.cancel()
    const plan = planPod(this.#pod, this.#observed, clock.now())
    for (const action of plan.actions) this.#do(action)
    if (plan.wakeAt !== undefined) {
      this.#timer = clock.schedule(plan.wakeAt - clock.now(), () => this.#syncSoon())
    }
    this.#tellBackoff()
    if (this.#observed.isGone && this.#observed.sandbox.state === 'removed') return this.#host.finished(this)
    if (this.#isAboutToChange()) this.#host.requestWrite(this, WRITE_DELAY_MS)
    else if (!this.#isWriteDue && !this.#isSettling && (this.#isDeleteDue || !this.#isOver)) {
      // Whether there is anything to tell is found out then, once.
      this.#isWriteDue = !this.#mayEndSoon()
      this.#host.requestWrite(this, this.#isWriteDue ? 0 : BRIEF_MS)
    }
  }

  /** Something that may be brief has just begun. What is pretended says itself when it ends. */
  #mayEndSoon(): boolean {
    if (restartPolicyOf(this.#pod) === 'Always' || isEnding(this.#pod, this.#observed)) return false
    const now = this.#host.env.clock.now()
    return [...this.#observed.containers.values()].some(
      ({ activity, simulated }) =>
        simulated === undefined && activity.state === 'running' && now - activity.startedAt < BRIEF_MS,
    )
  }

  #isAboutToChange(): boolean {
    if (this.#observed.sandbox.state === 'preparing') return true
    return [...this.#observed.containers.values()].some(({ activity }) => activity.state === 'starting')
  }

  #do(action: Action): void {
    switch (action.type) {
      case 'prepare':
        return this.#track(this.#prepare())
      case 'start':
        return this.#track(this.#runs.get(action.container)?.start())
      case 'stop':
        if (isEnding(this.#pod, this.#observed)) this.#observed.endingSince ??= this.#host.env.clock.now()
        return this.#runs.get(action.container)?.stop(action.message, action.killAt)
      case 'judge':
        this.#observed.verdict = action.verdict
        this.#host.recorder.normal(this.#pod, action.verdict.reason, action.verdict.message)
        return this.#syncSoon()
      case 'remove':
        return this.#track(this.#remove())
      case 'delete':
        this.#isDeleteDue = !this.#isDeleted
    }
  }

  #track(work: Promise<void> | undefined): void {
    if (!work) return
    this.#inFlight++
    void work.finally(() => {
      this.#inFlight--
      this.#syncSoon()
    })
  }

  async #prepare(): Promise<void> {
    const { runtime, setup, recorder, env } = this.#host
    this.#observed.sandbox = { state: 'preparing' }
    try {
      await setup.preparePod(this.#pod)
      this.#sandbox ??= await runtime.createSandbox(sandboxConfig(this.#pod))
      this.#prepareRetryMs = FIRST_PREPARE_RETRY_MS
      this.#observed.sandbox = { state: 'ready', ips: this.#sandbox.ips }
    } catch (thrown) {
      const error = asError(thrown)
      const isVolume = error instanceof MountFailure
      recorder.warning(
        this.#pod,
        isVolume ? 'FailedMount' : 'FailedCreatePodSandBox',
        isVolume ? error.message : `Failed to create pod sandbox: ${error.message}`,
      )
      this.#observed.sandbox = { state: 'waiting', until: env.clock.now() + this.#prepareRetryMs }
      this.#prepareRetryMs = Math.min(LONGEST_PREPARE_RETRY_MS, this.#prepareRetryMs * 2)
    }
  }

  async #remove(): Promise<void> {
    const { env, setup } = this.#host
    const ips = this.#sandbox?.ips ?? this.#pod.status?.podIPs?.flatMap(({ ip }) => ip ?? []) ?? []
    this.#observed.sandbox = { state: 'removing', ips }
    try {
      await this.#sandbox?.remove()
      this.#sandbox = undefined
      await setup.removePod(this.#pod)
    } catch (thrown) {
      env.log.error(`pod ${describePod(this.#pod)} left something behind`, { error: asError(thrown) })
    }
    this.#observed.sandbox = { state: 'removed', ips }
  }

  /** One Event for every wait, not for every look at it. */
  #tellBackoff(): void {
    const now = this.#host.env.clock.now()
    for (const [name, { activity, backoff }] of this.#observed.containers) {
      if (activity.state !== 'exited' || !backoff) continue
      const { finishedAt } = activity.termination
      if (restartAt(backoff, finishedAt) <= now || this.#toldBackoff.get(name) === finishedAt) continue
      if (this.#timer === undefined || this.#observed.verdict || this.#pod.metadata.deletionTimestamp) continue
      this.#toldBackoff.set(name, finishedAt)
      const message = `Back-off restarting failed container ${name} in pod ${describePod(this.#pod)}`
      this.#host.recorder.warning(this.#pod, 'BackOff', message, fieldPathOf(this.#pod, name))
    }
  }
}

/** Labels, annotations, owners or finalizers may have changed. Parts that did not are shared in a server of this process; a copy
 *  is looked at anew. */
const isTheSameToRun = (one: Pod, other: Pod): boolean =>
  one.spec === other.spec &&
  one.status === other.status &&
  one.metadata.generation === other.metadata.generation &&
  one.metadata.deletionTimestamp === other.metadata.deletionTimestamp &&
  one.metadata.deletionGracePeriodSeconds === other.metadata.deletionGracePeriodSeconds

function sandboxConfig(pod: Pod) {
  const { uid = '', namespace = '', name = '', annotations = {}, labels = {} } = pod.metadata
  const { hostNetwork = false, shareProcessNamespace = false } = pod.spec ?? {}
  return {
    uid,
    namespace,
    name,
    hostname: podHostname(pod).hostname,
    hostNetwork,
    shareProcessNamespace,
    annotations,
    labels,
    restartPolicy: restartPolicyOf(pod),
  }
}

/** The server refused because the name belongs to another pod by now. */
const isOtherUid = (thrown: unknown) =>
  thrown instanceof Error && 'statusCode' in thrown && thrown.statusCode === 409 && /uid/iu.test(thrown.message)
