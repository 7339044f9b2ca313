import { queryInvalid } from '../failures.ts'
import type { Query, Term, Value } from './query.ts'

const LONGEST = 4096
const FIELD = /^[A-Za-z][A-Za-z0-9_-]*(?:\.[^\s:"]+)?$/
const COMPARISON = /^(?:<=|>=|<|>)/

/** Reads `status:failed,parked source:mem* -type:DELETE age:<1h data.spec.replicas:>3 "some words"`.
 *
 *  Terms stand beside each other and must all hold. A value with blanks, commas or quotes is written in quotes, in which `\"`
 *  is a quote and `\\` a backslash. Throws `query-invalid`, which names the place; which fields there are is decided by the list
 *  that is asked. */
export function parseQuery(text: string): Query {
  if (text.length > LONGEST) throw queryInvalid(text.slice(0, 40), LONGEST, `a query has at most ${LONGEST} characters`)
  const reader = new Reader(text)
  const terms: Term[] = []
  while (reader.skipBlanks()) terms.push(readTerm(reader))
  return { terms, text }
}

/** Makes text of terms that `parseQuery` reads back. */
export function formatQuery(terms: readonly Term[]): string {
  return terms.map(formatTerm).join(' ')
}

function formatTerm(term: Term): string {
  const sign = term.isNegated ? '-' : ''
  if (term.field === undefined) return sign + (term.isPhrase ? quote(term.text) : term.text)
  const values = term.values.map(({ comparison, text, isQuoted }) => {
    const written = isQuoted || text === '' || /[\s",]/.test(text) || COMPARISON.test(text) ? quote(text) : text
    return (comparison === '=' ? '' : comparison) + written
  })
  return `${sign}${term.field}:${values.join(',')}`
}

/** A value that means exactly this text, as a query writes it. */
export function quote(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, '\\$&')}"`
}

function readTerm(reader: Reader): Term {
  const at = reader.at
  const isNegated = reader.take('-')
  if (reader.peek() === '"') return { field: undefined, isNegated, text: reader.quoted(), isPhrase: true, at }
  const word = reader.until(/[\s":]/)
  if (reader.peek() !== ':') {
    if (word === '') throw queryInvalid(reader.text, at, 'a word or a field is missing here')
    return { field: undefined, isNegated, text: word, isPhrase: false, at }
  }
  if (!FIELD.test(word)) throw queryInvalid(reader.text, at, `${JSON.stringify(word)} is not the name of a field`)
  reader.take(':')
  const values: Value[] = []
  do values.push(readValue(reader, word))
  while (reader.take(','))
  if (!reader.isAtBlank()) throw queryInvalid(reader.text, reader.at, 'a blank or a comma is missing here')
  return { field: word, isNegated, values, at }
}

function readValue(reader: Reader, field: string): Value {
  const at = reader.at
  const comparison = (reader.match(COMPARISON) ?? '=') as Value['comparison']
  if (reader.peek() === '"') return { comparison, text: reader.quoted(), isQuoted: true }
  const text = reader.until(/[\s",]/)
  if (text === '')
    throw queryInvalid(reader.text, at, `the field ${field} has no value here; an empty one is written ""`)
  return { comparison, text, isQuoted: false }
}

class Reader {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  /** Whether anything is left. */
  skipBlanks(): boolean {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
    return this.at < this.text.length
  }

  isAtBlank(): boolean {
    return this.at >= this.text.length || /\s/.test(this.text[this.at] as string)
  }

  peek(): string | undefined {
    return this.text[this.at]
  }

  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false
    this.at += expected.length
    return true
  }

  match(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.text.slice(this.at, this.at + 2))?.[0]
    this.at += found?.length ?? 0
    return found
  }

  until(end: RegExp): string {
    const start = this.at
    while (this.at < this.text.length && !end.test(this.text[this.at] as string)) this.at++
    return this.text.slice(start, this.at)
  }

  quoted(): string {
    const start = this.at++
    let result = ''
    for (;;) {
      const character = this.text[this.at++]
      if (character === undefined) throw queryInvalid(this.text, start, 'the quote that begins here does not end')
      if (character === '"') return result
      result += character === '\\' ? (this.text[this.at++] ?? '') : character
    }
  }
}
