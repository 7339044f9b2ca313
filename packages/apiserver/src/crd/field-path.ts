import type { Schema } from '../schema/schema.ts'

/** Where a JSON path of a rule or a selectable field leads in a schema, or why it leads nowhere. */
export type FieldPathTarget = { path: string; schema: Schema | undefined } | { error: string }

const NOWHERE = 'does not refer to a valid field'
const CUT_SHORT = 'unexpected end of JSON path'

export function resolveFieldPath(
  jsonPath: string,
  root: Schema,
  { allowBrackets }: { allowBrackets: boolean },
): FieldPathTarget {
  const tokens = tokenize(jsonPath)
  let schema: Schema | undefined = root
  let path = ''
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as string
    if (token !== '.' && token !== '[') return { error: `expected [ or . but got: ${token}` }
    if (token === '[' && !allowBrackets) return { error: 'array notation is not allowed' }
    let name = tokens[++i]
    if (name === undefined) return { error: CUT_SHORT }
    if (token === '[') {
      const quoted = unquote(name)
      if ('error' in quoted) return quoted
      name = quoted.text
    }
    if (schema?.properties) {
      if (!Object.hasOwn(schema.properties, name)) return { error: NOWHERE }
      schema = schema.properties[name]
      path += `${path === '' ? '' : '.'}${name}`
    } else if (schema?.additionalProperties !== undefined) {
      schema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
      path += `[${name}]`
    } else return { error: NOWHERE }
    if (token === '[') {
      const close = tokens[++i]
      if (close === undefined) return { error: CUT_SHORT }
      if (close !== ']') return { error: `expected ] but got ${close}` }
    }
  }
  return { path, schema }
}

/** Dots and brackets are tokens, what is between them too; quoted text is one token with its quotes. */
function tokenize(jsonPath: string): string[] {
  const tokens: string[] = []
  for (let rest = jsonPath; rest !== ''; ) {
    const length = tokenLength(rest)
    tokens.push(rest.slice(0, length))
    rest = rest.slice(length)
  }
  return tokens
}

function tokenLength(text: string): number {
  if (text.startsWith("'")) {
    for (let i = 1; i < text.length; i++) if (text[i] === "'" && text[i - 1] !== '\\') return i + 1
    return text.length
  }
  const next = text.search(/[.[\]]/)
  if (next === 0) return 1
  return next < 0 ? text.length : next
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

function unquote(token: string): { text: string } | { error: string } {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { error: `expected single quoted string but got ${token}` }
  }
  let unknown: string | undefined
  const text = token.slice(1, -1).replace(/\\./g, escape => {
    const char = ESCAPES[escape.slice(1)]
    if (char === undefined) unknown = escape
    return char ?? ''
  })
  return unknown === undefined ? { text } : { error: `invalid string literal: invalid escape char ${unknown}` }
}
