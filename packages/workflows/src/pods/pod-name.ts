const PRIME = 16_777_619
const OFFSET_BASIS = 2_166_136_261
const encoder = new TextEncoder()

/** The 32-bit FNV-1a hash of a text's UTF-8 bytes. */
export function fnv32a(text: string): number {
  let hash = OFFSET_BASIS
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, PRIME)
  return hash >>> 0
}

/** Kubernetes' longest name, less upstream's room for a hash and the hyphen before it. */
const LONGEST_PREFIX = 253 - 10 - 1

/** The name that upstream (its version 2) gives to a node's pod: the same on every repeat. */
export function podName(workflow: string, node: string, template: string): string {
  if (workflow === node) return workflow
  const prefix = node.includes('.inline') ? workflow : `${workflow}-${template}`
  return `${prefix.slice(0, LONGEST_PREFIX)}-${fnv32a(node)}`
}
