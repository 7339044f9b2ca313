import { search } from './search.ts'
import { newSpan } from './span.ts'
import {
  exists,
  type GjsonType,
  isArray,
  isObject,
  members,
  parseValue,
  tokens,
  type Value,
  valueToBool,
  valueToInt,
  valueToString,
} from './value.ts'
import { type GjsonLimits, WorkLimit } from './work-limit.ts'

/** Follows a path in a JSON text. Nothing is parsed beyond what the path asks for, and what is found keeps its spelling.
 *  A path that leads nowhere, or is no path, gives a result that does not exist. Throws GjsonError beyond the limits. */
export function getJson(json: string, path: string, limits?: GjsonLimits): GjsonResult {
  return new GjsonResult(search(newSpan(json), path, new WorkLimit(limits)))
}

/** The whole text as a result. It is not checked: see `isValidJson`. */
export function parseJson(json: string): GjsonResult {
  return new GjsonResult(parseValue(newSpan(json)))
}

/** What a path has found. */
export class GjsonResult {
  readonly exists: boolean
  readonly type: GjsonType
  /** The JSON exactly as it stands in the text; empty when nothing was found. */
  readonly raw: string
  /** The characters of a string, and empty for all else. */
  readonly str: string
  /** A number's value, and 0 for all else. */
  readonly num: number
  /** Where the value begins in the text; 0 when it is not one place of it. */
  readonly index: number
  /** Where the elements begin that `#.path` or `#(...)#` have put together. */
  readonly indexes: readonly number[] | undefined
  readonly #value: Value

  constructor(value: Value) {
    this.#value = value
    this.exists = exists(value)
    this.type = value.type
    this.raw = value.raw.text
    this.str = value.str
    this.num = value.num
    this.index = value.index
    this.indexes = value.indexes
  }

  get isArray(): boolean {
    return isArray(this.#value)
  }

  get isObject(): boolean {
    return isObject(this.#value)
  }

  /** A string's characters, a whole number as it is spelled, any other number without exponent, blocks as they are. */
  string(): string {
    return valueToString(this.#value)
  }

  bool(): boolean {
    return valueToBool(this.#value)
  }

  int(): number {
    return valueToInt(this.#value)
  }

  /** The value as plain JSON data. Of two members with the same name the first counts. Throws GjsonError when it is
   *  nested too deep. */
  value(limits?: GjsonLimits): unknown {
    return plainValue(this.#value, new WorkLimit(limits))
  }

  /** An array's elements; nothing for null; the result itself for all else. */
  array(): GjsonResult[] {
    if (this.type === 'Null') return []
    if (!this.isArray) return [this]
    return [...tokens(this.#value.raw)].map(
      element => new GjsonResult({ ...element, index: element.index + this.index }),
    )
  }

  /** An object's members; nothing for all else. Of two with the same name the first counts. */
  map(): Map<string, GjsonResult> {
    const map = new Map<string, GjsonResult>()
    if (!this.isObject) return map
    for (const [key, value] of objectMembers(this.#value)) if (!map.has(key)) map.set(key, new GjsonResult(value))
    return map
  }

  /** All members of an object with their keys, all elements of an array, or the value itself. */
  *entries(): Generator<[key: GjsonResult, value: GjsonResult]> {
    for (const { key, value } of members(this.#value)) yield [new GjsonResult(key), new GjsonResult(value)]
  }

  /** Follows a path from here. */
  get(path: string, limits?: GjsonLimits): GjsonResult {
    return new GjsonResult(search(this.#value.raw, path, new WorkLimit(limits)))
  }
}

function* objectMembers(object: Value): Generator<[string, Value]> {
  let key: Value | undefined
  for (const token of tokens(object.raw)) {
    if (key === undefined) {
      key = token
    } else {
      yield [key.str, token]
      key = undefined
    }
  }
}

function plainValue(value: Value, limit: WorkLimit): unknown {
  switch (value.type) {
    case 'String':
      return value.str
    case 'Number':
      return value.num
    case 'True':
      return true
    case 'False':
      return false
    case 'Null':
      return null
    case 'JSON':
      return plainBlock(value, limit)
  }
}

function plainBlock(value: Value, limit: WorkLimit): unknown {
  limit.spend(value.raw.text.length)
  limit.enter()
  const plain = value.raw.text.trimStart().startsWith('{') ? plainObject(value, limit) : plainArray(value, limit)
  limit.leave()
  return plain
}

function plainArray(value: Value, limit: WorkLimit): unknown[] {
  return Array.from(tokens(value.raw), element => plainValue(element, limit))
}

function plainObject(value: Value, limit: WorkLimit): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const [key, member] of objectMembers(value)) {
    if (Object.hasOwn(object, key)) continue
    // Assigning `__proto__` would set the prototype instead of a member.
    Object.defineProperty(object, key, {
      value: plainValue(member, limit),
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
  return object
}
