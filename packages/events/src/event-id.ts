import { hash } from 'node:crypto'

/** 32 hexadecimal digits that are the same for the same parts. */
export function eventId(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)
}
