import { createHash } from 'node:crypto'

/** 32 hexadecimal digits that are the same for the same parts. */
export function eventId(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
