import type { Choice, Misfit } from './choose-node.ts'

/** What the PodScheduled condition and the FailedScheduling Event say. `preemption` is what was found out about making
 *  room; undefined when room is being made. */
export function unschedulableMessage(
  choice: Exclude<Choice, { node: string }>,
  nodeCount: number,
  preemption: string | undefined,
): string {
  if (nodeCount === 0) return 'no nodes available to schedule pods'
  const before = `0/${nodeCount} nodes are available:`
  // What kube-scheduler 1.36 says of resource claims, which it looks at before it looks for room.
  if ('refusal' in choice) return `${before} ${choice.refusal}. not found`
  const why = `${before} ${histogram(choice.misfits.values())}.`
  return preemption === undefined ? why : `${why} no new claims to deallocate, preemption: ${preemption}`
}

/** `misfits`: what each node that could have been freed said after all. */
export function preemptionMessage(misfits: readonly Misfit[], nodeCount: number): string {
  const rest = nodeCount - misfits.length
  const unhelpful = { reasons: ['Preemption is not helpful for scheduling'], isResolvable: false }
  const all = [...misfits, ...Array.from({ length: rest }, () => unhelpful)]
  return `0/${nodeCount} nodes are available: ${histogram(all)}.`
}

function histogram(misfits: Iterable<Misfit>): string {
  const counts = new Map<string, number>()
  for (const { reasons } of misfits) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}
