/** FNV-1a of the UTF-8 bytes, 32 bits: what upstream's names of nodes and pods end with. */
export function fnv32a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return fnvBytes(Buffer.from(text, 'utf8'))
    hash = Math.imul(hash ^ unit, 0x01000193)
  }
  return hash >>> 0
}

function fnvBytes(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** The id of a node: the Workflow's name for the root, `WORKFLOW-HASH` for all others. */
export function nodeId(workflowName: string, nodeName: string): string {
  return nodeName === workflowName ? nodeName : `${workflowName}-${fnv32a(nodeName)}`
}

const maxPrefix = 253 - 10 - 1

/** The name of a node's pod. `id` is the node's own: one that shares its hash with another has a number at its end. */
export function podName(workflowName: string, nodeName: string, templateName: string, id = ''): string {
  if (workflowName === nodeName) return workflowName
  const prefix = templateName === '' ? workflowName : `${workflowName}-${templateName}`
  const number = id.slice(nodeId(workflowName, nodeName).length)
  return `${prefix.slice(0, maxPrefix - number.length)}-${fnv32a(nodeName)}${number}`
}
