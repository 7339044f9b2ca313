import { bytesOf, LuaFunction, LuaLimitError, LuaTable, type LuaValue, textOf, toText } from './value.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** An event as Argo Events shows it to scripts: nulls and arrays in arrays are left out. */
export function tableOf(fields: { [key: string]: Json }): LuaTable {
  const table = new LuaTable()
  for (const [key, field] of Object.entries(fields)) {
    if (field === null) continue
    table.set(bytesOf(key), Array.isArray(field) ? listOf(field) : valueOf(field))
  }
  return table
}

function listOf(items: Json[]): LuaTable {
  const table = new LuaTable()
  for (const item of items) if (item !== null && !Array.isArray(item)) table.append(valueOf(item))
  return table
}

function valueOf(value: boolean | number | string | { [key: string]: Json }): LuaValue {
  if (typeof value === 'string') return bytesOf(value)
  return typeof value === 'object' ? tableOf(value) : value
}

/** Why a result is no JSON. The message is Go's. */
export class NotJsonError extends Error {}

const maxDepth = 500
const maxSize = 2 * 1024 * 1024

/** A table with items is an array, as is one whose metatable says so; any other is an object. */
export function jsonOf(value: LuaValue, depth = 0, size = { left: maxSize }): Json {
  size.left -= typeof value === 'string' ? value.length + 1 : 1
  if (size.left < 0) throw new LuaLimitError(`the result is larger than ${maxSize} bytes`)
  if (depth > maxDepth) throw new NotJsonError(`the result is nested more than ${maxDepth} levels deep`)
  if (value === undefined) return null
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw new NotJsonError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)
  }
  if (typeof value === 'boolean') return value
  if (value instanceof LuaFunction) throw new NotJsonError('json: unsupported type: lua.LGFunction')
  const { length } = value
  if (length > 0 || value.metatable?.get('__is_array') === true)
    return Array.from({ length }, (_item, at) => jsonOf(value.array[at], depth + 1, size))
  const fields = Object.create(null) as { [key: string]: Json }
  for (let entry = value.next(undefined); entry !== undefined; entry = value.next(entry[0]))
    fields[textOf(toText(entry[0]))] = jsonOf(entry[1], depth + 1, size)
  return fields
}

/** JSON with sorted keys, as Go writes it. */
export function stringify(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(stringify).join(',')}]`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map(key => `${JSON.stringify(key)}:${stringify(value[key] as Json)}`).join(',')}}`
}
