import type { LockTable } from '../locks/lock-table.ts'
import type { Workflow } from '../spec/workflow.ts'
import type { RunDriver } from './run-driver.ts'

/** Takes over what a Workflow's status says that it holds, before anybody asks for locks. */
export function restoreLocks(workflow: Workflow, locks: LockTable, driver: Pick<RunDriver, 'memoryOf'>): void {
  const { namespace = '', name = '' } = workflow.metadata
  const key = `${namespace}/${name}`
  const { mutex, semaphore } = workflow.status?.synchronization ?? {}
  for (const { mutex: mutexName, semaphore: semaphoreName, holder, holders } of [
    ...(mutex?.holding ?? []),
    ...(semaphore?.holding ?? []),
  ]) {
    const lock = mutexName ?? semaphoreName
    if (lock === undefined) continue
    for (const who of holders ?? (holder === undefined ? [] : [holder])) {
      // Upstream writes `namespace/workflow/node`; the Workflow's own lock has no node.
      const own = who === key ? name : who.startsWith(`${key}/`) ? who.slice(key.length + 1) : who
      locks.restore(key, own, lock)
      driver.memoryOf(workflow).locks.set(own, { held: true })
    }
  }
}
