import { asError } from '@tiphys/env'
import { type Client, isNotFound, kindRef } from '@tiphys/kube'
import { isPassing } from '../engine/passing-trouble.ts'
import { lockName } from '../plan/lock-wait.ts'
import type { LockRequest, ObservedLock } from '../plan/plan.ts'

/** Who wants locks, or has them. */
export interface LockHolder {
  /** `namespace/name` of the Workflow. */
  workflow: string
  /** The node's id, or the Workflow's name. */
  holder: string
  /** Higher ones come first, then older ones. */
  priority: number
  createdAt: string
}

/** Mutexes and semaphores of all runs. Who holds what is in the Workflows' statuses; this table is made from them. */
export interface LockTable {
  /** All of the locks, or none: then the holder stands in line for them. Throws when a limit cannot be read for now. */
  acquire(holder: LockHolder, locks: readonly LockRequest[]): Promise<ObservedLock>
  /** Takes note of a lock that a status shows as held. */
  restore(workflow: string, holder: string, lock: string): void
  /** Gives back everything, or leaves the lines; of one holder, or of the whole Workflow. */
  release(workflow: string, holder?: string): void
  held(workflow: string, holder: string): boolean
}

interface Lock {
  /** In the order in which they came to it. */
  holders: Map<string, { workflow: string }>
  waiting: Map<string, LockHolder>
}

export interface LockTableOptions {
  client: Client
  /** Something that this Workflow waits for may be free. */
  onFree: (workflow: string) => void
}

export function createLockTable({ client, onFree }: LockTableOptions): LockTable {
  const locks = new Map<string, Lock>()
  const lockOf = (name: string): Lock => {
    const known = locks.get(name) ?? { holders: new Map(), waiting: new Map() }
    locks.set(name, known)
    return known
  }
  // As upstream writes it: the Workflow's own locks have no node.
  const keyOf = (workflow: string, holder: string) =>
    workflow.endsWith(`/${holder}`) ? workflow : `${workflow}/${holder}`

  const limitOf = async (lock: LockRequest): Promise<number> => {
    if (lock.kind === 'Mutex' && !lock.database) return 1
    if (lock.kind !== 'Semaphore')
      throw new Error('locks in a database are not supported; use a mutex, or a semaphore in a ConfigMap')
    const { configMap, key, namespace } = lock
    try {
      const { data = {} } = await client.get({ ...kindRef('v1', 'ConfigMap'), namespace, name: configMap })
      const limit = Number(data[key])
      if (Object.hasOwn(data, key) && Number.isInteger(limit) && limit >= 0) return limit
      throw new Error(
        Object.hasOwn(data, key)
          ? `the key ${key} of the ConfigMap ${namespace}/${configMap} is ${JSON.stringify(data[key])}, which is no number`
          : `the ConfigMap ${namespace}/${configMap} has no key ${key}`,
      )
    } catch (thrown) {
      if (isNotFound(thrown)) throw new Error(`the ConfigMap ${namespace}/${configMap} of the semaphore does not exist`)
      throw thrown
    }
  }

  /** Whether one has the lock, or would get it now. */
  const isFree = ({ holders, waiting }: Lock, key: string, limit: number): boolean => {
    if (holders.has(key)) return true
    const free = limit - holders.size
    if (free <= 0) return false
    const place = [...waiting.entries()].toSorted(([, a], [, b]) => before(a, b)).findIndex(([who]) => who === key)
    return place < free
  }

  const leave = (key: string, name: string, lock: Lock) => {
    lock.waiting.delete(key)
    if (!lock.holders.delete(key)) return
    for (const { workflow } of lock.waiting.values()) onFree(workflow)
    if (lock.holders.size === 0 && lock.waiting.size === 0) locks.delete(name)
  }

  return {
    async acquire(holder, wanted) {
      const key = keyOf(holder.workflow, holder.holder)
      let limits: number[]
      try {
        limits = await Promise.all(wanted.map(limitOf))
      } catch (thrown) {
        // Whoever asks tries again.
        if (isPassing(thrown)) throw thrown
        return { held: false, error: asError(thrown).message }
      }
      for (const lock of wanted) {
        const { holders, waiting } = lockOf(lockName(lock))
        if (!holders.has(key)) waiting.set(key, holder)
      }
      const taken = wanted.find((lock, i) => !isFree(lockOf(lockName(lock)), key, limits[i] as number))
      if (taken) {
        const name = lockName(taken)
        return { held: false, waitingFor: name, holders: [...lockOf(name).holders.keys()] }
      }
      for (const lock of wanted) {
        const { holders, waiting } = lockOf(lockName(lock))
        waiting.delete(key)
        holders.set(key, { workflow: holder.workflow })
      }
      return { held: true }
    },
    restore(workflow, holder, name) {
      lockOf(name).holders.set(keyOf(workflow, holder), { workflow })
    },
    release(workflow, holder) {
      for (const [name, lock] of locks)
        for (const key of [...lock.holders.keys(), ...lock.waiting.keys()])
          if (holder === undefined ? isOf(key, workflow) : key === keyOf(workflow, holder)) leave(key, name, lock)
    },
    held: (workflow, holder) => [...locks.values()].some(({ holders }) => holders.has(keyOf(workflow, holder))),
  }
}

const isOf = (key: string, workflow: string): boolean => key === workflow || key.startsWith(`${workflow}/`)

const before = (a: LockHolder, b: LockHolder): number =>
  b.priority - a.priority || (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0)
