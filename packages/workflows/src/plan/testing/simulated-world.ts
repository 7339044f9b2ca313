import type { Random } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import type { Artifact, Workflow, WorkflowTemplate } from '../../spec/workflow.ts'
import type { Action, CreatePod, LockRequest } from '../action.ts'
import { lockName } from '../lock-wait.ts'
import type {
  Observed,
  ObservedConfigMap,
  ObservedLock,
  ObservedMemo,
  ObservedPod,
  ObservedTask,
  Resume,
  StepOutcome,
} from '../observed.ts'
import type { TemplateSource } from '../plan.ts'

/** What a step of a simulated world comes to. */
export interface Ending {
  phase: 'Succeeded' | 'Failed' | 'Error' | 'Gone' | 'Running'
  outcome?: StepOutcome
  response?: ObservedTask['response']
  /** The pod stays Pending for ever. */
  isStuck?: boolean
  /** The program ends in peace when it is told to. */
  endsInPeace?: boolean
}

/** What steps come to, by node name. */
export type Endings = (nodeName: string, action: Extract<Action, { nodeName: string }>) => Ending

interface SimulatedPod {
  action: CreatePod
  state: ObservedPod['phase']
  observed: ObservedPod
}

/** Pods, locks, caches and ConfigMaps that live in memory. What is stored (pods) survives a crash of the engine, what the engine
 *  only knows (answers, requests that run) does not. */
export class SimulatedWorld {
  readonly pods = new Map<string, SimulatedPod>()
  /** How often a pod of a name was made. */
  readonly created = new Map<string, number>()
  readonly resumes = new Map<string, Resume>()
  readonly claims = new Set<string>()
  /** How often a request or a change of a resource was carried out, by node name. */
  readonly performed = new Map<string, number>()
  readonly stopped: string[] = []
  readonly #gone = new Set<string>()
  readonly #memos = new Map<string, NonNullable<ObservedMemo['entry']>>()
  readonly #tasks = new Map<string, { ending: Ending; isRunning: boolean }>()
  readonly #answers = new Map<string, ObservedMemo>()
  readonly #read = new Set<string>()
  readonly #waiting = new Map<string, readonly LockRequest[]>()
  readonly #held = new Map<string, readonly LockRequest[]>()
  readonly #objects: readonly KubeObject[]
  readonly #endings: Endings
  readonly #random: Random

  constructor(objects: readonly KubeObject[], endings: Endings, random: Random) {
    this.#objects = objects
    this.#endings = endings
    this.#random = random
  }

  readonly templates: TemplateSource = {
    get: (kind, name) =>
      this.#objects.find(object => object.kind === kind && object.metadata.name === name) as
        | WorkflowTemplate
        | undefined,
  }

  observed(): Observed {
    const configMaps: Record<string, ObservedConfigMap | null> = {}
    for (const name of this.#read) configMaps[name] = this.#configMap(name)
    return {
      pods: Object.fromEntries([...this.pods].map(([id, { observed }]) => [id, observed])),
      tasks: Object.fromEntries([...this.#tasks].map(([id, task]) => [id, observedTask(task)])),
      resumes: Object.fromEntries(this.resumes),
      locks: this.#locks(),
      memos: Object.fromEntries(this.#answers),
      configMaps,
      volumeClaims: Object.fromEntries([
        ...[...this.#gone].map(name => [name, { exists: false }] as const),
        ...[...this.claims].map(name => [name, { exists: true }] as const),
      ]),
    }
  }

  /** Carries out an action. Doing it again changes nothing: false. */
  perform(action: Action, now: number): boolean {
    switch (action.do) {
      case 'createPod':
        return this.#createPod(action)
      case 'stopPod':
        return this.#stop(action.nodeId)
      case 'deletePod':
        return this.pods.delete(action.nodeId)
      case 'runResource':
      case 'runHttp':
        if (this.#tasks.has(action.nodeId)) return false
        this.performed.set(action.nodeName, (this.performed.get(action.nodeName) ?? 0) + 1)
        this.#tasks.set(action.nodeId, { ending: this.#endings(action.nodeName, action), isRunning: true })
        return true
      case 'cancelTask':
        return this.#tasks.delete(action.nodeId)
      case 'acquireLock':
        if (this.#held.has(action.holder) || this.#waiting.has(action.holder)) return false
        this.#waiting.set(action.holder, action.locks)
        return true
      case 'releaseLock': {
        const hadLocks = this.#held.delete(action.holder)
        return this.#waiting.delete(action.holder) || hadLocks
      }
      case 'readMemo': {
        const entry = this.#memos.get(`${action.configMap}/${action.key}`)
        this.#answers.set(action.nodeId, entry === undefined ? {} : { entry })
        return true
      }
      case 'saveMemo': {
        const { nodeId, configMap, key, outputs } = action
        const creationTimestamp = new Date(now).toISOString()
        const entry = { nodeID: nodeId, creationTimestamp, ...(outputs === undefined ? {} : { outputs }) }
        this.#memos.set(`${configMap}/${key}`, entry)
        this.#answers.set(nodeId, { entry })
        return true
      }
      case 'readConfigMap':
        this.#read.add(action.name)
        return true
      case 'createVolumeClaim':
        this.claims.add(action.name)
        return true
      case 'deleteVolumeClaim':
        this.#gone.add(action.name)
        return this.claims.delete(action.name)
    }
  }

  /** The engine died: what it only knew is lost. Locks are restored from the Workflow's status. */
  crash(workflow: Workflow): void {
    this.#tasks.clear()
    this.#answers.clear()
    this.#read.clear()
    this.#waiting.clear()
    const sync = workflow.status?.synchronization
    const holders = new Set(
      [...(sync?.mutex?.holding ?? []), ...(sync?.semaphore?.holding ?? [])].flatMap(({ holder, holders }) => [
        holder,
        ...(holders ?? []),
      ]),
    )
    const { namespace = '', name = '' } = workflow.metadata
    for (const holder of this.#held.keys()) {
      const key =
        holder === name && !holders.has(`${namespace}/${name}/${holder}`)
          ? `${namespace}/${name}`
          : `${namespace}/${name}/${holder}`
      if (!holders.has(key)) this.#held.delete(holder)
    }
  }

  /** Something goes on: one pod or request comes one state further, or all locks that are free are given. False: nothing can. */
  advance(): boolean {
    if (this.#grantLocks()) return true
    const open = [...this.pods.values()].filter(pod => canAdvance(pod, this.#endings))
    const tasks = [...this.#tasks.values()].filter(({ isRunning, ending }) => isRunning && ending.phase !== 'Running')
    const count = open.length + tasks.length
    if (count === 0) return false
    const index = Math.floor(this.#random.next() * count)
    const pod = open[index]
    const task = tasks[index - open.length]
    if (pod !== undefined) this.#advancePod(pod)
    else if (task !== undefined) task.isRunning = false
    return true
  }

  #createPod(action: CreatePod): boolean {
    if (this.pods.has(action.nodeId)) return false
    this.created.set(action.podName, (this.created.get(action.podName) ?? 0) + 1)
    this.pods.set(action.nodeId, { action, state: 'Pending', observed: { name: action.podName, phase: 'Pending' } })
    return true
  }

  #advancePod(pod: SimulatedPod): void {
    const { name } = pod.observed
    const ending = this.#endings(pod.action.nodeName, pod.action)
    const containers = (pod.action.template.containerSet?.containers ?? []).map(container => container.name)
    if (pod.state === 'Pending') {
      pod.state = 'Running'
      pod.observed = {
        name,
        phase: 'Running',
        ready: true,
        podIP: '10.0.0.1',
        nodeName: 'node-1',
        containers: states(containers, 'Running'),
      }
      return
    }
    pod.state = ending.phase
    const { template, shared } = pod.action
    const succeeded = ending.phase === 'Succeeded'
    pod.observed = {
      name,
      phase: ending.phase,
      nodeName: 'node-1',
      labels: { ...shared.podMetadata?.labels, ...template.metadata?.labels },
      outcome: withArtifacts(pod.action, {
        exitCode: succeeded ? 0 : 1,
        ...(succeeded ? {} : { message: failureOf(containers[0] ?? 'main') }),
        ...ending.outcome,
      }),
      containers: states(containers, succeeded ? 'Succeeded' : 'Failed'),
    }
  }

  #stop(nodeId: string): boolean {
    const pod = this.pods.get(nodeId)
    if (pod === undefined || (pod.state !== 'Pending' && pod.state !== 'Running')) return false
    this.stopped.push(pod.action.nodeName)
    const inPeace = pod.state === 'Running' && this.#endings(pod.action.nodeName, pod.action).endsInPeace === true
    pod.state = inPeace ? 'Succeeded' : 'Failed'
    pod.observed = { name: pod.observed.name, phase: pod.state, outcome: { exitCode: inPeace ? 0 : 143 } }
    return true
  }

  #configMap(name: string): ObservedConfigMap | null {
    const found = this.#objects.find(object => object.kind === 'ConfigMap' && object.metadata.name === name)
    if (found === undefined) return null
    const data = found.data as Record<string, string> | undefined
    return {
      ...(data === undefined ? {} : { data }),
      ...(found.metadata.labels === undefined ? {} : { labels: found.metadata.labels }),
    }
  }

  #locks(): Record<string, ObservedLock> {
    const locks: Record<string, ObservedLock> = {}
    for (const [holder, requests] of this.#waiting) {
      const missing = requests.find(lock => this.#limit(lock) === undefined)
      const first = requests[0]
      locks[holder] =
        missing === undefined
          ? { held: false, ...(first === undefined ? {} : { waitingFor: lockName(first) }) }
          : { held: false, error: refusalOf(missing) }
    }
    for (const holder of this.#held.keys()) locks[holder] = { held: true }
    return locks
  }

  #limit(lock: LockRequest): number | undefined {
    if (lock.kind === 'Mutex') return lock.database ? undefined : 1
    if (lock.kind !== 'Semaphore') return undefined
    const value = this.#configMap(lock.configMap)?.data?.[lock.key]
    return value === undefined ? undefined : Number(value)
  }

  #grantLocks(): boolean {
    for (const [holder, requests] of this.#waiting) {
      const isFree = requests.every(lock => {
        const used = [...this.#held.values()].flat().filter(other => lockName(other) === lockName(lock)).length
        return used < (this.#limit(lock) ?? 0)
      })
      if (!isFree) continue
      this.#waiting.delete(holder)
      this.#held.set(holder, requests)
      return true
    }
    return false
  }
}

const refusalOf = (lock: LockRequest) =>
  lock.kind === 'Semaphore'
    ? `ConfigMap of ${lockName(lock)} does not exist`
    : 'locks in a database are not supported; use a mutex, or a semaphore in a ConfigMap'

function canAdvance({ state, action }: SimulatedPod, endings: Endings): boolean {
  const ending = endings(action.nodeName, action)
  if (state === 'Pending') return ending.isStuck !== true
  return state === 'Running' && ending.phase !== 'Running'
}

const failureOf = (container: string): string => `${container}: Error (exit code 1)`

function states(names: readonly string[], phase: 'Running' | 'Succeeded' | 'Failed') {
  const ended = (name: string) =>
    phase === 'Running' ? {} : phase === 'Succeeded' ? { exitCode: 0 } : { exitCode: 1, message: failureOf(name) }
  return Object.fromEntries(names.map(name => [name, { phase, ...ended(name) }]))
}

function observedTask({ ending, isRunning }: { ending: Ending; isRunning: boolean }): ObservedTask {
  if (isRunning) return { phase: 'Running' }
  const phase = ending.phase === 'Gone' || ending.phase === 'Running' ? 'Error' : ending.phase
  return {
    phase,
    ...(ending.outcome === undefined ? {} : { outcome: ending.outcome }),
    ...(ending.response === undefined ? {} : { response: ending.response }),
  }
}

/** Artifacts get a place in a store; one that is named without a place was stored by the step. */
function withArtifacts(action: CreatePod, outcome: StepOutcome): StepOutcome {
  if (outcome.artifacts !== undefined || outcome.exitCode !== 0) return outcome
  const artifacts = (action.template.outputs?.artifacts ?? []).map(
    (artifact): Artifact => ({ ...artifact, s3: { key: `${action.podName}/${artifact.name}.tgz` } }),
  )
  return artifacts.length === 0 ? outcome : { ...outcome, artifacts }
}
