import { formatDouble } from '../cel/number-text.ts'
import { compareStrings } from '../cel/text-order.ts'
import type { Pattern } from '../re2/pattern.ts'
import { GovaluateError } from './govaluate-error.ts'

const maxDepth = 400

/** A regular expression among the values. */
export class PatternValue {
  readonly pattern: Pattern

  constructor(pattern: Pattern) {
    this.pattern = pattern
  }
}

/** A parameter as the operators see it: all numbers are floats, and what is undefined is nil. */
export function operand(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : (value ?? null)
}

/** A value as Go's %v prints it. */
export function goText(value: unknown, depth = 0): string {
  checkDepth(depth)
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'number') return formatDouble(value)
  if (Array.isArray(value)) return `[${value.map(element => goText(element, depth + 1)).join(' ')}]`
  if (value instanceof PatternValue) return value.pattern.source
  if (typeof value === 'object') {
    const members = Object.entries(value).sort(([left], [right]) => compareStrings(left, right))
    return `map[${members.map(([key, member]) => `${key}:${goText(member, depth + 1)}`).join(' ')}]`
  }
  return String(value)
}

/** Go's reflect.DeepEqual for decoded JSON. */
export function deepEqual(left: unknown, right: unknown, depth = 0): boolean {
  checkDepth(depth)
  if (left === right) return true
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((element, index) => deepEqual(element, right[index], depth + 1))
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every(key => Object.hasOwn(right, key) && deepEqual(left[key], right[key], depth + 1))
  )
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof PatternValue)
}

function checkDepth(depth: number): void {
  if (depth > maxDepth) throw new GovaluateError(`the value is nested more than ${maxDepth} levels deep`)
}
