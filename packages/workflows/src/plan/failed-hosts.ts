import type { NodeStatus, RetryStrategy } from '../spec/workflow.ts'
import { isFailure } from './phase.ts'
import type { Run } from './run.ts'

/** Where pods of the attempts so far have failed, when the next one is to be somewhere else. */
export function failedHosts(run: Run, node: NodeStatus, { affinity }: RetryStrategy): readonly string[] {
  if (affinity?.nodeAntiAffinity === undefined) return []
  const hosts = new Set<string>()
  const seen = new Set<string>()
  const open = [...(node.children ?? [])]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const child = seen.has(id) ? undefined : run.node(id)
    seen.add(id)
    if (child === undefined) continue
    if (child.type === 'Pod' && isFailure(child.phase) && child.hostNodeName !== undefined)
      hosts.add(child.hostNodeName)
    open.push(...(child.children ?? []))
  }
  return [...hosts].sort()
}
