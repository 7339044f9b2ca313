import type { LockStatus, NodeStatus, Synchronization, SynchronizationStatus, Template } from '../spec/workflow.ts'
import type { Scope } from '../variables/scope.ts'
import { substitute } from '../variables/substitution.ts'
import type { LockRequest } from './action.ts'
import type { Call } from './call.ts'
import { type NewNode, type NodeChanges, NodeFault, type Run } from './run.ts'
import { refusalOf } from './stop.ts'

/** All locks of a `synchronization`, in both of its forms. */
export function lockRequests(sync: Synchronization, namespace: string): LockRequest[] {
  const mutexes = [...(sync.mutex === undefined ? [] : [sync.mutex]), ...(sync.mutexes ?? [])]
  const semaphores = [...(sync.semaphore === undefined ? [] : [sync.semaphore]), ...(sync.semaphores ?? [])]
  return [
    ...semaphores.map(({ configMapKeyRef, namespace: own = namespace, database }): LockRequest => {
      if (configMapKeyRef !== undefined) {
        return { kind: 'Semaphore', configMap: configMapKeyRef.name, key: configMapKeyRef.key, namespace: own }
      }
      return { kind: 'DatabaseSemaphore', key: String(database?.key ?? ''), namespace: own }
    }),
    ...mutexes.map(
      ({ name, namespace: own = namespace, database = false }): LockRequest => ({
        kind: 'Mutex',
        name,
        namespace: own,
        database,
      }),
    ),
  ]
}

/** The name of a lock in statuses and messages. */
export function lockName(lock: LockRequest): string {
  if (lock.kind === 'Mutex') return `${lock.namespace}/Mutex/${lock.name}`
  if (lock.kind === 'Semaphore') return `${lock.namespace}/ConfigMap/${lock.configMap}/${lock.key}`
  return `${lock.namespace}/Database/${lock.key}`
}

/** Who holds a node's locks: the node's id. The root has the Workflow's name for an id, which is the holder of the Workflow's
 *  own lock when there is one. */
export function holderOf(run: Run, id: string): string {
  return id === run.name && run.spec.synchronization !== undefined ? `${id}/template` : id
}

/** The node that a holder is; undefined for the Workflow itself. */
export function nodeOfHolder(run: Run, holder: string): string | undefined {
  if (run.spec.synchronization === undefined) return holder
  return holder === run.name ? undefined : holder === `${run.name}/template` ? run.name : holder
}

interface LockWait {
  /** The node that waits. */
  readonly wait?: NodeStatus
  /** The node as it is when it has its locks. */
  readonly node?: NodeStatus | undefined
}

/** Waits for the locks of a template before its node begins. Throws NodeFault when they cannot be had. */
export function waitForLock(
  run: Run,
  call: Call,
  template: Template,
  scope: Scope,
  node: NodeStatus | undefined,
  shape: NodeChanges & Pick<NewNode, 'name' | 'type'>,
): LockWait {
  const isWaiting = node?.synchronizationStatus?.waiting !== undefined
  if (template.synchronization === undefined || (node !== undefined && !isWaiting)) return { node }
  const path = `templates.${template.name ?? ''}.synchronization`
  const locks = lockRequests(substitute(template.synchronization, scope, { ...run.env, path }), run.namespace)
  if (locks.length === 0) return { node }
  const id = holderOf(run, run.id(call.nodeName))
  const state = run.observed.locks?.[id]
  if (state?.error !== undefined) throw new NodeFault(state.error)
  if (state?.held === true) {
    noteLocks(run, id, locks, 'holding')
    return {
      node: node === undefined ? undefined : run.update(node, { synchronizationStatus: undefined, message: undefined }),
    }
  }
  const refusal = refusalOf(run, call.isExit)
  if (refusal !== undefined) {
    return {
      wait:
        node === undefined
          ? run.create({ ...shape, phase: 'Failed', message: refusal })
          : run.update(node, { phase: 'Failed', message: refusal, synchronizationStatus: undefined }),
    }
  }
  run.ask({ do: 'acquireLock', holder: id, locks })
  noteLocks(run, id, locks, 'waiting')
  const waiting = state?.waitingFor ?? lockName(locks[0] as LockRequest)
  const message = `Waiting for ${waiting} lock.${holdersText(state?.holders)}`
  const fresh = node ?? run.create({ ...shape, phase: 'Pending', message, synchronizationStatus: { waiting } })
  if (fresh.synchronizationStatus?.waiting === waiting && fresh.message === message) return { wait: fresh }
  return { wait: run.update(fresh, { message, synchronizationStatus: { waiting } }) }
}

export function holdersText(holders: readonly string[] | undefined): string {
  return holders === undefined || holders.length === 0 ? '' : ` Held by ${holders.join(', ')}`
}

/** Writes down who has and who wants what, as upstream does: locks are restored from it after a restart. */
export function noteLocks(
  run: Run,
  holder: string,
  locks: readonly LockRequest[],
  side: 'holding' | 'waiting' | 'none',
): void {
  const key = holder === run.name ? `${run.namespace}/${run.name}` : `${run.namespace}/${run.name}/${holder}`
  const before = run.status.synchronization ?? {}
  if (isNoted(before, key, locks, side)) return
  const after: SynchronizationStatus = {
    ...noted(
      'semaphore',
      before.semaphore,
      key,
      locks.filter(lock => lock.kind !== 'Mutex'),
      side,
    ),
    ...noted(
      'mutex',
      before.mutex,
      key,
      locks.filter(lock => lock.kind === 'Mutex'),
      side,
    ),
  }
  if (JSON.stringify(after) === JSON.stringify(before)) return
  run.setStatus({ synchronization: Object.keys(after).length === 0 ? undefined : after })
}

/** Whether exactly this is written down already. */
function isNoted(status: SynchronizationStatus, key: string, locks: readonly LockRequest[], side: string): boolean {
  const names = (list: LockStatus['holding']) =>
    (list ?? []).flatMap(({ semaphore, mutex, holder, holders }) =>
      holder === key || holders?.includes(key) === true ? [semaphore ?? mutex ?? ''] : [],
    )
  const sides = {
    holding: [...names(status.semaphore?.holding), ...names(status.mutex?.holding)],
    waiting: [...names(status.semaphore?.waiting), ...names(status.mutex?.waiting)],
  }
  const wanted = locks.map(lockName).sort().join()
  return (['holding', 'waiting'] as const).every(name => sides[name].sort().join() === (name === side ? wanted : ''))
}

function noted(
  kind: 'semaphore' | 'mutex',
  before: LockStatus | undefined,
  key: string,
  locks: readonly LockRequest[],
  side: string,
): SynchronizationStatus {
  const without = (list: LockStatus['holding']) =>
    (list ?? []).flatMap(entry => {
      if (kind === 'mutex') return entry.holder === key ? [] : [entry]
      const holders = (entry.holders ?? []).filter(holder => holder !== key)
      return holders.length === 0 ? [] : [{ ...entry, holders }]
    })
  const added = (list: NonNullable<LockStatus['holding']>) => {
    for (const lock of locks) {
      const name = lockName(lock)
      if (kind === 'mutex') list.push({ mutex: name, holder: key })
      else {
        const entry = list.find(({ semaphore }) => semaphore === name)
        if (entry === undefined) list.push({ semaphore: name, holders: [key] })
        else entry.holders = [...(entry.holders ?? []), key]
      }
    }
    return list
  }
  const holding = side === 'holding' ? added(without(before?.holding)) : without(before?.holding)
  const waiting = side === 'waiting' ? added(without(before?.waiting)) : without(before?.waiting)
  if (holding.length === 0 && waiting.length === 0) return {}
  const status: LockStatus = {
    ...(holding.length === 0 ? {} : { holding }),
    ...(waiting.length === 0 ? {} : { waiting }),
  }
  return { [kind]: status }
}
