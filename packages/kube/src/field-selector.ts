import { SelectorFailure } from './label-selector.ts'

export interface FieldTerm {
  field: string
  operator: '=' | '!='
  value: string
}

/** A condition on fields that is ready to use: every term must hold. */
export interface FieldSelector {
  readonly terms: readonly FieldTerm[]
  /** `valueOf` gives a field's value as text, the empty string when the object has none. */
  matches(valueOf: (field: string) => string): boolean
  /** The value that a field must have, when the selector allows only one. */
  exactValue(field: string): string | undefined
}

/** Reads `metadata.name=web,status.phase!=Running`. Throws a `SelectorFailure`. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text)
    .filter(term => term !== '')
    .sort()
    .map(term => parseTerm(term, text))
    .filter(({ field, value }) => field !== '' || value !== '')
  return {
    terms,
    matches: valueOf => terms.every(({ field, operator, value }) => (valueOf(field) === value) === (operator === '=')),
    exactValue: field => terms.find(term => term.field === field && term.operator === '=')?.value,
  }
}

export function formatFieldSelector({ terms }: FieldSelector): string {
  return terms.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(',')
}

/** Any text as the value of a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&')
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...terms, text.slice(start)]
}

function parseTerm(term: string, selector: string): FieldTerm {
  const found = /!=|==?/.exec(term)
  if (!found) throw new SelectorFailure(`invalid selector: '${selector}'; can't understand '${term}'`)
  return {
    field: term.slice(0, found.index),
    operator: found[0] === '!=' ? '!=' : '=',
    value: unescapeValue(term.slice(found.index + found[0].length)),
  }
}

function unescapeValue(escaped: string): string {
  let value = ''
  const chars = escaped[Symbol.iterator]()
  for (const char of chars) {
    if (char === '\\') value += unescapeNext(chars.next().value)
    else if (char === ',' || char === '=') {
      throw new SelectorFailure(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`)
    } else value += char
  }
  return value
}

function unescapeNext(char: string | undefined): string {
  if (char === '\\' || char === ',' || char === '=') return char
  throw new SelectorFailure(`invalid field selector: invalid escape sequence: \\${char ?? ''}`)
}
