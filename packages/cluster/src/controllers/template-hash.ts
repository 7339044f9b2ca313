const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** FNV-1 with 32 bits. */
export function fnv32(bytes: Uint8Array): number {
  let hash = FNV_OFFSET
  for (const byte of bytes) hash = (Math.imul(hash, FNV_PRIME) ^ byte) >>> 0
  return hash
}

/** FNV-1a with 32 bits. */
export function fnv32a(bytes: Uint8Array): number {
  let hash = FNV_OFFSET
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0
  return hash
}

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** A text in letters and digits that make no bad words: each character by its code. */
export const safeEncode = (text: string): string =>
  Array.from(text, char => ALPHABET[char.charCodeAt(0) % ALPHABET.length]).join('')

/** JSON with the keys in order: equal values have equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  )

/** A short name for a template's content. `collisionCount` gives another one to content whose name is taken. */
export function templateHash(template: unknown, collisionCount: number | undefined): string {
  const text = canonicalJson(template) + (collisionCount === undefined ? '' : `#${collisionCount}`)
  return safeEncode(String(fnv32a(new TextEncoder().encode(text))))
}
