import { addResources, type ResourcesDuration } from '../pods/resources-duration.ts'
import type { NodeStatus } from '../spec/workflow.ts'
import { isEnded } from './phase.ts'
import type { Run } from './run.ts'

/** Adds up what pods have used, for the workflow and for everything that has ended by this plan. */
export function noteResources(run: Run): void {
  const ended = run.transitions.flatMap(({ node, from }) =>
    isEnded(node.phase) && !isEnded(from) ? [run.node(node.id) ?? node] : [],
  )
  if (ended.length === 0) return
  const boundaries = ended.filter(({ type }) => type === 'Steps' || type === 'DAG')
  const inside = new Map(boundaries.map(({ id }) => [id, undefined as ResourcesDuration | undefined]))
  let whole: ResourcesDuration | undefined
  for (const { type, resourcesDuration, boundaryID } of run.nodes()) {
    if (type !== 'Pod' || resourcesDuration === undefined) continue
    whole = addResources(whole, resourcesDuration)
    if (inside.size === 0) continue
    for (let id = boundaryID; id !== undefined; id = run.node(id)?.boundaryID) {
      if (inside.has(id)) inside.set(id, addResources(inside.get(id), resourcesDuration))
    }
  }
  if (whole === undefined) return
  // What is inside of something has ended before it: its sum is known already.
  for (const node of ended) {
    const sum = isGroup(node) ? ofMembers(run, node) : inside.get(node.id)
    if (sum !== undefined) run.update(node, { resourcesDuration: sum })
  }
  if (JSON.stringify(whole) !== JSON.stringify(run.status.resourcesDuration))
    run.setStatus({ resourcesDuration: whole })
}

const isGroup = ({ type }: NodeStatus) => type === 'Retry' || type === 'StepGroup' || type === 'TaskGroup'

/** The attempts of a retry, the steps of a group, the rounds of a loop. What follows them is among their children, too, and has another
 *  name. */
function ofMembers(run: Run, { name, type, children = [] }: NodeStatus): ResourcesDuration | undefined {
  const prefix = type === 'StepGroup' ? `${name}.` : `${name}(`
  let sum: ResourcesDuration | undefined
  for (const id of children) {
    const child = run.node(id)
    if (child?.resourcesDuration === undefined || !child.name.startsWith(prefix)) continue
    sum = addResources(sum, child.resourcesDuration)
  }
  return sum
}
