import { RE2JS } from 're2js'
import { encodeString } from './encoding.ts'
import { expectedArray, JqError, notApplicable } from './errors.ts'
import { checkItems } from './sizes.ts'
import { isObject, type JqObject, type JqValue, newObject } from './value.ts'

interface Compiled {
  readonly expression: RE2JS
  /** The names of the groups, by number. */
  readonly names: readonly (string | undefined)[]
}

const maxCached = 200
const cache = new Map<string, Compiled>()

function compile(pattern: string, flags: string): Compiled {
  const key = `${flags}/${pattern}`
  const known = cache.get(key)
  if (known !== undefined) return known
  if (/[^gim]/.test(flags)) throw new JqError(`unsupported regular expression flag: ${encodeString(flags)}`)
  const source = (flags.includes('m') ? '(?s)' : '') + (flags.includes('i') ? '(?i)' : '') + pattern
  const compiled = compileSource(source)
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string)
  cache.set(key, compiled)
  return compiled
}

function compileSource(source: string): Compiled {
  let expression: RE2JS
  try {
    expression = RE2JS.compile(source)
  } catch (error) {
    const message = (error as Error).message
    const reason = message.endsWith('at end of expression') ? `${message}: \`\`` : message
    throw new JqError(`invalid regular expression ${encodeString(source)}: ${reason}`)
  }
  const names: (string | undefined)[] = []
  for (const [name, group] of Object.entries(expression.namedGroups() as { [name: string]: number }))
    names[group] = name
  return { expression, names }
}

function part(text: string, offsets: Offsets, start: number, end: number): JqObject {
  const found = newObject()
  found.offset = BigInt(offsets.of(start))
  found.length = BigInt(offsets.of(end) - offsets.of(start))
  found.string = text.slice(start, end)
  return found
}

/** Code points before a position; asked for in rising order, mostly. */
class Offsets {
  readonly #text: string
  #position = 0
  #count = 0

  constructor(text: string) {
    this.#text = text
  }

  of(position: number): number {
    if (position < this.#position) {
      this.#position = 0
      this.#count = 0
    }
    while (this.#position < position) {
      this.#position += (this.#text.codePointAt(this.#position) as number) > 0xffff ? 2 : 1
      this.#count++
    }
    return this.#count
  }
}

/** The matches of a pattern, or whether there is one. */
export function matches(value: JqValue, pattern: JqValue, flags: JqValue, testing: JqValue): JqValue {
  const isString = typeof value === 'string' && typeof pattern === 'string'
  if (!isString || (flags !== null && typeof flags !== 'string'))
    throw notApplicable(testing === true ? 'test' : 'match', value, pattern, flags)
  const { expression, names } = compile(pattern, flags ?? '')
  if (testing === true) return expression.test(value)
  const isGlobal = flags?.includes('g') === true
  const matcher = expression.matcher(value)
  const offsets = new Offsets(value)
  const found: JqValue[] = []
  let previousEnd = -1
  while ((isGlobal || found.length === 0) && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    const isRepeat = start === end && start === previousEnd
    previousEnd = end
    // Go takes no empty match right after another match.
    if (isRepeat) continue
    const match = part(value, offsets, start, end)
    match.captures = Array.from({ length: expression.groupCount() }, (_group, at): JqValue => {
      const name = names[at + 1] ?? null
      const from = matcher.start(at + 1)
      const capture = from < 0 ? newObject() : part(value, offsets, from, matcher.end(at + 1))
      if (from < 0) Object.assign(capture, { offset: -1n, length: 0n, string: null })
      capture.name = name
      return capture
    })
    checkItems(found.length + 1)
    found.push(match)
  }
  return found
}

/** The captured strings by the names of their groups. */
export function captures(value: JqValue): JqValue {
  if (!Array.isArray(value)) throw expectedArray(value)
  const named = newObject()
  for (const capture of value)
    if (isObject(capture) && typeof capture.name === 'string') named[capture.name] = capture.string ?? null
  return named
}
