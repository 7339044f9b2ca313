import { parseFieldSelector } from '@tiphys/kube'
import type { NodeStatus } from '../spec/workflow.ts'

/** Whether a node is meant by a selector such as `displayName=approve` or `inputs.parameters.env.value=prod`; without one,
 *  all are. Throws a `SelectorFailure`. */
export function createNodeSelector(selector: string | undefined): (node: NodeStatus) => boolean {
  if (selector === undefined || selector.trim() === '') return () => true
  const parsed = parseFieldSelector(selector)
  return node => parsed.matches(field => valueOf(node, field))
}

function valueOf(node: NodeStatus, field: string): string {
  const parameter = /^(inputs|outputs)\.parameters\.(.+)\.value$/.exec(field)
  if (parameter) {
    const [, side, name] = parameter
    const { parameters = [] } = (side === 'inputs' ? node.inputs : node.outputs) ?? {}
    return String(parameters.find(is => is.name === name)?.value ?? '')
  }
  if (field === 'templateRef.name') return node.templateRef?.name ?? ''
  if (field === 'templateRef.template') return node.templateRef?.template ?? ''
  const value = Object.hasOwn(node, field) ? node[field] : undefined
  return typeof value === 'string' ? value : ''
}
