import { refusedArtifact } from './artifact-failures.ts'

/** The parts of a path that stays inside of what it is relative to. Throws for everything else: `..`, absolute paths, and
 *  what file systems do not store. */
export function safeParts(path: string, what: string): string[] {
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  // A backslash is a letter here, and a slash where somebody else may unpack it.
  const isOutside = /^[/\\]/.test(path) || path.split(/[/\\]/).includes('..') || path.includes('\0')
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
