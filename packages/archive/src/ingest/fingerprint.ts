import { createHash } from 'node:crypto'

const VARYING = [
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?/g,
  /"[^"]*"|'[^']*'|`[^`]*`/g,
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g,
  /\b0x[0-9a-f]+\b/gi,
  /\b(?=[a-z0-9-]*\d)[a-z0-9]+(?:-[a-z0-9]+)+\b/gi,
  /\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi,
  /\d+/g,
]

/** What two errors have in common that differ only in names, numbers, times and addresses. */
export function fingerprint(where: string, reason: string | undefined, message: string | undefined): string {
  let text = (message ?? '').slice(0, 2000)
  for (const pattern of VARYING) text = text.replaceAll(pattern, '#')
  return createHash('sha256')
    .update(JSON.stringify([where, reason ?? '', text]))
    .digest('hex')
    .slice(0, 12)
}
