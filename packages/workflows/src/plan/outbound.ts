import type { NodeStatus } from '../spec/workflow.ts'
import type { Run } from './run.ts'

/** The nodes that what follows is attached to: the leaves at the end of a node. */
export function outboundOf(run: Run, id: string): readonly string[] {
  const node = run.node(id)
  if (node === undefined) return []
  switch (node.type) {
    case 'Pod':
      return hasContainers(run, node) ? leaves(run, node) : [id]
    case 'Container':
    case 'TaskGroup':
      return leaves(run, node)
    case 'Retry': {
      const last = node.children?.at(-1)
      return last === undefined ? [id] : [last]
    }
    case 'Steps':
    case 'DAG':
      return node.memoizationStatus?.hit === true || node.outboundNodes === undefined ? [id] : node.outboundNodes
    default:
      return [id]
  }
}

function hasContainers(run: Run, { children }: NodeStatus): boolean {
  return children !== undefined && children.some(child => run.node(child)?.type === 'Container')
}

/** Children that are hooks, or that belong to what follows, do not count. */
function leaves(run: Run, node: NodeStatus): readonly string[] {
  const inside = node.type === 'Container' ? node.boundaryID : node.type === 'Pod' ? node.id : node.boundaryID
  const children = (node.children ?? []).filter(id => {
    const child = run.node(id)
    if (child === undefined || child.nodeFlag?.hooked === true) return false
    return node.type === 'TaskGroup'
      ? child.name.startsWith(`${node.name}(`)
      : child.boundaryID === inside && child.type === 'Container'
  })
  if (children.length === 0) return [node.id]
  return [...new Set(children.flatMap(id => outboundOf(run, id)))]
}

/** Attaches a node to the ends of those before it. */
export function attach(run: Run, before: Iterable<string>, id: string): void {
  for (const earlier of before) {
    for (const end of outboundOf(run, earlier)) run.addChild(end, id)
  }
}
