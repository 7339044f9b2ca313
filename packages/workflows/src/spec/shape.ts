import type { Schema } from '../kinds/schema.ts'
import type { Problems } from './problem.ts'

interface Shape {
  type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  items?: Shape
  properties?: Readonly<Record<string, Shape>>
  additionalProperties?: Shape
}

const words = {
  object: 'is no object',
  array: 'is no list',
  string: 'is no text; write it in quotes',
  integer: 'is no whole number',
  boolean: 'is neither true nor false',
} as const

/** Whether a manifest has lists where lists belong, and so on. An API server has seen to it where it has our definitions; a file
 *  that is linted and Argo's own definitions have nobody who does. */
export function hasShape(value: unknown, schema: Schema, path: string, problems: Problems): boolean {
  const before = problems.list.length
  check(value, schema, path, problems)
  return problems.list.length === before
}

function check(
  value: unknown,
  { type, items, properties, additionalProperties }: Shape,
  path: string,
  problems: Problems,
): void {
  if (type === undefined || value === undefined) return
  if (!isOf(value, type)) {
    problems.add(path, words[type])
  } else if (Array.isArray(value)) {
    if (items !== undefined)
      for (const [index, item] of value.entries()) check(item, items, `${path}[${index}]`, problems)
  } else if (type === 'object' && (properties ?? additionalProperties) !== undefined) {
    for (const [key, field] of Object.entries(value as object)) {
      const shape = properties?.[key] ?? additionalProperties
      if (shape !== undefined) check(field, shape, `${path}.${key}`, problems)
    }
  }
}

function isOf(value: unknown, type: keyof typeof words): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
