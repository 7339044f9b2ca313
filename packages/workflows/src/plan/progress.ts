import type { NodeStatus, WorkflowCondition } from '../spec/workflow.ts'
import type { Run } from './run.ts'

const executable: ReadonlySet<string> = new Set(['Pod', 'HTTP', 'Container', 'Suspend'])

/** Whether nodes of a type do something, or wait, and do not consist of others. */
export const isExecutable = (type: string): boolean => executable.has(type)

const whole1 = [1, 1] as const
const none1 = [0, 1] as const

/** Adds up how far the steps have come, for the workflow and for every template on the way up. Only when something changed. */
export function noteProgress(run: Run): void {
  const sums = new Map<string, { done: number; total: number }>()
  const whole = { done: 0, total: 0 }
  for (const node of run.nodes()) {
    if (!isExecutable(node.type)) continue
    const [done, total] = partsOf(node)
    whole.done += done
    whole.total += total
    for (let boundary = node.boundaryID; boundary !== undefined; boundary = run.node(boundary)?.boundaryID) {
      const sum = sums.get(boundary)
      if (sum === undefined) sums.set(boundary, { done, total })
      else {
        sum.done += done
        sum.total += total
      }
    }
  }
  for (const [id, { done, total }] of sums) {
    const node = run.node(id)
    if (node !== undefined && !isExecutable(node.type)) run.update(node, { progress: `${done}/${total}` })
  }
  run.setStatus({ progress: `${whole.done}/${whole.total}` })
}

function partsOf({ progress, phase }: NodeStatus): readonly [number, number] {
  if (progress === '1/1') return whole1
  if (progress === '0/1' && phase !== 'Skipped') return none1
  const parts = /^(\d+)\/(\d+)$/.exec(progress ?? '')
  const total = Number(parts?.[2] ?? 1)
  return [phase === 'Succeeded' || phase === 'Skipped' ? total : Number(parts?.[1] ?? 0), total]
}

/** Sets one condition, keeping the others; nothing is written when it is so already. */
export function setCondition(run: Run, condition: WorkflowCondition): void {
  const before = run.status.conditions ?? []
  const known = before.find(({ type }) => type === condition.type)
  if (known?.status === condition.status && known.message === condition.message) return
  run.setStatus({ conditions: [...before.filter(({ type }) => type !== condition.type), condition] })
}
