import type { FieldPath } from './manifest.ts'

/** A path as the API server writes it (`spec.template.spec.containers[0].image`, `metadata.labels[a.b/c]`), in parts. */
export function parseFieldPath(text: string): FieldPath {
  const parts: (string | number)[] = []
  for (const [, name, key] of text.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (name !== undefined) parts.push(name)
    else if (key !== undefined) parts.push(/^\d+$/.test(key) ? Number(key) : key.replace(/^"(.*)"$/, '$1'))
  }
  return parts
}
