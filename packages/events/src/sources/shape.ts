import type { Problem } from '../problem.ts'

/** What an entry may consist of: a type of scalar, a list of one shape, or fields by name (`*`: any name). */
export type Shape = 'string' | 'number' | 'boolean' | 'any' | readonly [Shape] | { readonly [field: string]: Shape }

/** Every field that the shape does not know (a warning: upstream ignores it), and every value of another type (an error). */
export function problemsOf(value: unknown, shape: Shape, path = ''): Problem[] {
  if (value === undefined || value === null || shape === 'any') return []
  if (typeof shape === 'string')
    return typeof value === shape ? [] : [wrong(path, `must be a ${shape}, not ${describe(value)}`)]
  if (isList(shape)) {
    if (!Array.isArray(value)) return [wrong(path, `must be a list, not ${describe(value)}`)]
    return value.flatMap((item, i) => problemsOf(item, shape[0], `${path}[${i}]`))
  }
  if (typeof value !== 'object' || Array.isArray(value))
    return [wrong(path, `must have fields, not be ${describe(value)}`)]
  return Object.entries(value).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`
    const known = Object.hasOwn(shape, name) ? shape[name] : shape['*']
    return known === undefined
      ? [{ path: at, message: `unknown field "${name}"`, severity: 'warning' as const }]
      : problemsOf(field, known, at)
  })
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

const wrong = (path: string, message: string): Problem => ({ path, message, severity: 'error' })

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : JSON.stringify(value)
}
