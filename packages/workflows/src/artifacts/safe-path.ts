import { refusedArtifact } from './artifact-failures.ts'

/** The parts of a path that stays inside of what it is relative to. Throws for everything else: `..`, absolute paths, and
 *  what file systems do not store. */
export function safeParts(path: string, what: string): string[] {
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  const isOutside = path.startsWith('/') || parts.includes('..') || path.includes('\0') || path.includes('\\')
  if (isOutside)
    throw refusedArtifact(`${what} ${JSON.stringify(path)} is refused`, { why: 'it leads outside of its folder' })
  return parts
}

/** A key of a store. */
export function safeKey(key: string): string {
  const parts = safeParts(key, 'The key')
  if (parts.length === 0) throw refusedArtifact('An artifact needs a key')
  return parts.join('/')
}
