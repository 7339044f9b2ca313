import { jsonCopy } from '../json-value.ts'

/** A JSON object whose fields are read by name. Values have been decoded against their schema already, so that each of the
 *  readers below may trust the type and only has to supply the zero value of an absent field, as Go does. */
export type Fields = Record<string, unknown>

/** The object at `name`; an empty one, not attached to its parent, when it is absent. */
export function objectAt(parent: Fields | undefined, name: string): Fields {
  return (parent?.[name] as Fields | undefined | null) ?? {}
}

export function optionalObjectAt(parent: Fields | undefined, name: string): Fields | undefined {
  return (parent?.[name] as Fields | undefined | null) ?? undefined
}

/** The object at `name`, created when absent: for defaults below it. */
export function ensureObject(parent: Fields, name: string): Fields {
  const present = parent[name] as Fields | undefined | null
  if (present !== undefined && present !== null) return present
  const created: Fields = {}
  parent[name] = created
  return created
}

export function listAt(parent: Fields | undefined, name: string): Fields[] {
  return (parent?.[name] as Fields[] | undefined | null) ?? []
}

export function textsAt(parent: Fields | undefined, name: string): string[] {
  return (parent?.[name] as string[] | undefined | null) ?? []
}

export function numbersAt(parent: Fields | undefined, name: string): number[] {
  return (parent?.[name] as number[] | undefined | null) ?? []
}

export function textAt(parent: Fields | undefined, name: string): string {
  return (parent?.[name] as string | undefined | null) ?? ''
}

export function optionalTextAt(parent: Fields | undefined, name: string): string | undefined {
  return (parent?.[name] as string | undefined | null) ?? undefined
}

export function numberAt(parent: Fields | undefined, name: string): number {
  return Number(parent?.[name] ?? 0)
}

export function optionalNumberAt(parent: Fields | undefined, name: string): number | undefined {
  const value = parent?.[name]
  return value === undefined || value === null ? undefined : Number(value)
}

export function flagAt(parent: Fields | undefined, name: string): boolean {
  return (parent?.[name] as boolean | undefined | null) ?? false
}

export function optionalFlagAt(parent: Fields | undefined, name: string): boolean | undefined {
  return (parent?.[name] as boolean | undefined | null) ?? undefined
}

/** A map of strings: labels, annotations, resource lists, data. */
export function textMapAt(parent: Fields | undefined, name: string): Record<string, string> {
  return (parent?.[name] as Record<string, string> | undefined | null) ?? {}
}

export type IntOrString = number | string

export function intOrStringAt(parent: Fields | undefined, name: string): IntOrString | undefined {
  return (parent?.[name] as IntOrString | undefined | null) ?? undefined
}

export function isPresent(parent: Fields | undefined, name: string): boolean {
  const value = parent?.[name]
  return value !== undefined && value !== null
}

/** Sets a field whose Go type is a pointer: absent means unset, zero is a value. */
export function setIfAbsent(parent: Fields, name: string, value: unknown): void {
  if (!isPresent(parent, name)) parent[name] = value
}

/** Sets a field whose Go type is not a pointer: absent, empty, zero and false mean unset. */
export function setIfZero(parent: Fields, name: string, value: unknown): void {
  const present = parent[name]
  if (present === undefined || present === null || present === '' || present === 0 || present === false) {
    parent[name] = value
  }
}

export function copyOf<T>(value: T): T {
  return jsonCopy(value)
}

/** Go's semantic equality of API values: an absent field, null, an empty list and an empty map are the same. */
export function isSemanticallyEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (isEmptyValue(left) && isEmptyValue(right)) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return numbersAreEqual(left, right)
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, i) => isSemanticallyEqual(item, right[i]))
  }
  const leftFields = left as Fields
  const rightFields = right as Fields
  for (const name of new Set([...Object.keys(leftFields), ...Object.keys(rightFields)])) {
    if (!isSemanticallyEqual(leftFields[name], rightFields[name])) return false
  }
  return true
}

function numbersAreEqual(left: unknown, right: unknown): boolean {
  const isNumeric = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'
  // Loosely: a decoder may hold the same integer as a number here and as a BigInt there.
  return isNumeric(left) && isNumeric(right) && String(left) === String(right)
}

function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  return false
}
