import { asError, type Env } from '@tiphys/env'
import { type Client, isAlreadyExists, isNotFound, kindRef } from '@tiphys/kube'
import type { PersistentVolumeClaim, Pod } from '@tiphys/kube/kinds'
import type { LockTable } from '../locks/lock-table.ts'
import type { Action, ObservedTask, RunHttp, RunResource } from '../plan/plan.ts'
import type { Workflow, WorkflowSpec } from '../spec/workflow.ts'
import { POD } from './engine-context.ts'
import { type MemoAccess, readMemo, saveMemo } from './memo-cache.ts'
import { isBeyondQuota, isPassing } from './passing-trouble.ts'
import type { PodMaker } from './pod-maker.ts'
import type { Postponed, RunMemory } from './run-memory.ts'

const CONFIG_MAP = kindRef('v1', 'ConfigMap')
const CLAIM = kindRef('v1', 'PersistentVolumeClaim')
const MOST_AT_ONCE = 32
/** Between two tries to make what there is no room for; the longest is upstream's. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 10_000

/** Runs a resource or http template inside the engine. Never rejects. */
export type RunTask = (run: RunParts, action: RunResource | RunHttp, signal: AbortSignal) => Promise<ObservedTask>

export interface RunParts {
  workflow: Workflow
  /** With what its workflowTemplateRef gives. */
  spec: WorkflowSpec
  memory: RunMemory
}

export interface ActionDoerOptions {
  env: Env
  /** What it writes is in the caches when a call returns. */
  client: Client
  pods: PodMaker
  locks: LockTable
  /** As the cache shows it. */
  podOf: (namespace: string, name: string) => Pod | undefined
  runTask: RunTask
  /** A task has ended. */
  onTaskEnd: (workflow: Workflow) => void
}

export interface ActionDoer {
  /** Does what was planned. Resolves with whether something is known now that planning does not know yet. Throws when an
   *  action has to be tried again; the others were done. */
  carryOut(run: RunParts, actions: readonly Action[]): Promise<boolean>
  /** Tasks that run. */
  readonly tasks: number
}

export function createActionDoer(options: ActionDoerOptions): ActionDoer {
  return new Doer(options)
}

class Doer implements ActionDoer {
  readonly #options: ActionDoerOptions
  readonly #memos: MemoAccess
  tasks = 0

  constructor(options: ActionDoerOptions) {
    this.#options = options
    this.#memos = { client: options.client, clock: options.env.clock }
  }

  async carryOut(run: RunParts, actions: readonly Action[]): Promise<boolean> {
    let isNews = false
    let failure: Error | undefined
    const doAll = async (some: readonly Action[]) => {
      const rest = [...some]
      const work = async () => {
        for (let action = rest.shift(); action; action = rest.shift()) {
          try {
            if (await this.#do(run, action)) isNews = true
          } catch (thrown) {
            failure ??= asError(thrown)
          }
        }
      }
      await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, some.length) }, work))
    }
    // What a step leaves is there before the next one looks for it.
    await doAll(actions.filter(isLeaving))
    await doAll(actions.filter(action => !isLeaving(action)))
    if (failure) throw failure
    return isNews
  }

  async #do(run: RunParts, action: Action): Promise<boolean> {
    const { client, locks } = this.#options
    const { workflow, memory } = run
    const { namespace = '', name = '' } = workflow.metadata
    switch (action.do) {
      case 'createPod':
        return this.#createPod(run, action)
      case 'stopPod':
        memory.stopped.add(action.nodeId)
        await this.#deletePod(namespace, action.podName, action.now ? { gracePeriodSeconds: 0 } : {})
        return false
      case 'deletePod':
        await this.#deletePod(namespace, action.podName, {})
        return false
      case 'runResource':
      case 'runHttp':
        this.#startTask(run, action)
        return false
      case 'cancelTask':
        memory.tasks.get(action.nodeId)?.abort.abort(new Error(action.why))
        return false
      case 'acquireLock': {
        const holder = {
          workflow: `${namespace}/${name}`,
          holder: action.holder,
          priority: run.spec.priority ?? 0,
          createdAt: workflow.metadata.creationTimestamp ?? '',
        }
        return put(memory.locks, action.holder, await locks.acquire(holder, action.locks))
      }
      case 'releaseLock':
        locks.release(`${namespace}/${name}`, action.holder)
        return memory.locks.delete(action.holder)
      case 'readMemo':
        return put(memory.memos, action.nodeId, await readMemo(this.#memos, { namespace, ...action }, this.#now()))
      case 'saveMemo': {
        const memo = { nodeId: action.nodeId, outputs: action.outputs, now: this.#now() }
        return put(memory.memos, action.nodeId, await saveMemo(this.#memos, { namespace, ...action }, memo))
      }
      case 'readConfigMap':
        return this.#readConfigMap(memory, action.namespace, action.name)
      case 'createVolumeClaim':
        return this.#createClaim(run, action.name, action.claim as PersistentVolumeClaim)
      case 'deleteVolumeClaim': {
        const hadGone = memory.claims.get(action.name)?.exists === false
        await client.delete({ ...CLAIM, namespace, name: action.name }).catch(unlessNotFound)
        memory.claims.set(action.name, { exists: false })
        return !hadGone
      }
    }
  }

  async #createPod({ workflow, spec, memory }: RunParts, action: Action & { do: 'createPod' }): Promise<boolean> {
    const { nodeId, podName } = action
    const refusal = await this.#options.pods.make(workflow, spec, action)
    if (!refusal) {
      memory.knownPods.set(nodeId, podName)
      memory.refusedPods.delete(nodeId)
      return false
    }
    const later = refusal.isUnstarted ? this.#later(memory.refusedPods.get(nodeId)) : {}
    memory.refusedPods.set(nodeId, { ...refusal, ...later })
    return true
  }

  async #deletePod(namespace: string, name: string, options: { gracePeriodSeconds?: number }): Promise<void> {
    const { deletionTimestamp, deletionGracePeriodSeconds } = this.#options.podOf(namespace, name)?.metadata ?? {}
    // It is going already: one that was to go in peace may be told to go at once.
    if (deletionTimestamp !== undefined && options.gracePeriodSeconds !== 0) return
    if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0) return
    await this.#options.client.delete({ ...POD, namespace, name }, options).catch(unlessNotFound)
  }

  async #readConfigMap(memory: RunMemory, namespace: string, name: string): Promise<boolean> {
    try {
      const { data = {}, metadata } = await this.#options.client.get({ ...CONFIG_MAP, namespace, name })
      return put(memory.configMaps, name, { data, labels: metadata.labels ?? {} })
    } catch (thrown) {
      if (isPassing(thrown)) throw thrown
      if (isNotFound(thrown)) return put(memory.configMaps, name, null)
      memory.fault = `the ConfigMap ${name}, which has parameters, cannot be read: ${asError(thrown).message}`
      return true
    }
  }

  async #createClaim({ workflow, memory }: RunParts, name: string, claim: PersistentVolumeClaim): Promise<boolean> {
    const { namespace = '', name: owner = '', uid = '' } = workflow.metadata
    try {
      await this.#options.client.create<PersistentVolumeClaim>({
        ...claim,
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          ...claim.metadata,
          name,
          namespace,
          ownerReferences: [
            {
              apiVersion: workflow.apiVersion,
              kind: workflow.kind,
              name: owner,
              uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
      })
      return put(memory.claims, name, { exists: true })
    } catch (thrown) {
      if (isAlreadyExists(thrown)) return put(memory.claims, name, { exists: true })
      if (isPassing(thrown)) throw thrown
      const later = isBeyondQuota(thrown) ? this.#later(memory.claims.get(name)) : {}
      return put(memory.claims, name, { exists: false, error: asError(thrown).message, ...later })
    }
  }

  /** When something is tried again that there was no room for, after ever longer pauses. */
  #later(before: Postponed | undefined): Postponed {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * (before?.pauseMs ?? FIRST_PAUSE_MS / 2))
    return { pauseMs, notBefore: this.#options.env.clock.now() + pauseMs }
  }

  #startTask(run: RunParts, action: RunResource | RunHttp): void {
    const { memory, workflow } = run
    if (memory.tasks.has(action.nodeId)) return
    const task = { observed: { phase: 'Running' } as ObservedTask, abort: new AbortController() }
    memory.tasks.set(action.nodeId, task)
    this.tasks++
    void this.#options.runTask(run, action, task.abort.signal).then(observed => {
      task.observed = observed
      this.tasks--
      this.#options.onTaskEnd(workflow)
    })
  }

  #now(): string {
    return new Date(this.#options.env.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  }
}

const isLeaving = (action: Action): boolean => action.do === 'saveMemo' || action.do === 'releaseLock'

function put<V>(map: Map<string, V>, key: string, value: V): boolean {
  const isNews = JSON.stringify(map.get(key)) !== JSON.stringify(value)
  map.set(key, value)
  return isNews
}

/** What was to be removed is not there. */
function unlessNotFound(thrown: unknown): void {
  if (!isNotFound(thrown)) throw thrown
}
