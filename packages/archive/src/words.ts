import { isRecordOf, type Members } from './members.ts'

/** How many words of one record can be found. */
const MOST_WORDS = 2000
const LONGEST_WORD = 64
const WORD = /[\p{L}\p{N}]+/gu
const PLAIN_WORD = /[a-z0-9]+/g
const isPlain = /^[\x00-\x7f]*$/

/** The words of a text as they are stored and sought: small letters without accents, digits. */
export function wordsOf(text: string): string[] {
  // Nearly everything is plain, and the pattern for all scripts takes several times as long.
  const found = isPlain.test(text)
    ? text.toLowerCase().match(PLAIN_WORD)
    : text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().match(WORD)
  if (found === null) return []
  return found.some(word => word.length > LONGEST_WORD) ? found.filter(word => word.length <= LONGEST_WORD) : found
}

/** Collects the words of one record. */
export class WordList {
  readonly words: string[] = []
  readonly #most: number
  /** Texts of a payload that were added already: an object repeats its names over and over. */
  readonly #seen = new Set<string>()

  constructor(most = MOST_WORDS) {
    this.#most = most
  }

  add(text: string | undefined): this {
    if (text === undefined || this.words.length >= this.#most) return this
    for (const word of wordsOf(text)) {
      if (this.words.length >= this.#most) break
      this.words.push(word)
    }
    return this
  }

  /** Names and values of a payload, without the bookkeeping that every object carries. */
  addJson(value: unknown, depth = 0): this {
    if (this.words.length >= this.#most || depth > 40) return this
    if (typeof value === 'string') return this.#addOnce(value)
    if (typeof value === 'number' || typeof value === 'boolean') return this.#addOnce(String(value))
    if (Array.isArray(value)) for (const item of value) this.addJson(item, depth + 1)
    else if (isRecordOf(value)) this.#addMembers(value, depth)
    return this
  }

  #addMembers(value: Members, depth: number): void {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'managedFields' || name === 'oldBody') continue
      this.#addOnce(name).addJson(member, depth + 1)
    }
  }

  #addOnce(text: string): this {
    if (this.#seen.has(text)) return this
    this.#seen.add(text)
    return this.add(text)
  }
}
