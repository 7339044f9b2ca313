import type { Random } from '@tiphys/env'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const LONGEST_PREFIX = 58

/** The prefix with five random characters that cannot form words. */
export function generateName(prefix: string, random: Random): string {
  const bytes = random.bytes(5)
  let suffix = ''
  for (const byte of bytes) suffix += ALPHABET[byte % ALPHABET.length]
  return prefix.slice(0, LONGEST_PREFIX) + suffix
}
