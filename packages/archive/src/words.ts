import { isAscii } from 'node:buffer'

const LONGEST_WORD = 64
const WORD = /[\p{L}\p{N}]+/gu
const PLAIN_WORD = /[a-z0-9]+/g
const TOO_LONG = new RegExp(`\\b[a-zA-Z0-9]{${LONGEST_WORD + 1},}`, 'g')
const SHORT = 4000
const PLAIN_TEXT = /^[\x00-\x7f]*$/

/** The words of a text as they are stored and sought: small letters without accents, digits. */
export function wordsOf(text: string): string[] {
  const found = allWordsOf(text)
  return found.some(isTooLong) ? found.filter(word => !isTooLong(word)) : found
}

/** Why a text cannot be looked for by its words; undefined when it can. */
export function whyNotSought(text: string): string | undefined {
  const words = allWordsOf(text)
  if (words.length === 0) return 'there is no word in it to look for: words have letters and digits'
  const long = words.find(isTooLong)
  return long && `of words, those with more than ${LONGEST_WORD} letters and digits are not kept: ${long.slice(0, 20)}…`
}

function allWordsOf(text: string): string[] {
  // Nearly everything is plain, and the pattern for all scripts takes several times as long.
  const found = PLAIN_TEXT.test(text)
    ? text.toLowerCase().match(PLAIN_WORD)
    : text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().match(WORD)
  return found ?? []
}

const isTooLong = (word: string): boolean => word.length > LONGEST_WORD

/** What a tokenizer that knows plain letters and digits makes the same words of; plain text stays as it is. */
export function plainText(text: string): string {
  if (!PLAIN_TEXT.test(text)) return wordsOf(text).join(' ')
  // Encoded content; what is short has little room for it.
  return text.length > SHORT ? text.replaceAll(TOO_LONG, ' ') : text
}

/** Whether `plainText` leaves a text as it is, of which these are the bytes. */
export const isPlain = (text: Uint8Array): boolean => text.length <= SHORT && isAscii(text)
