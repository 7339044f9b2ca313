import type { Problem } from '../problem.ts'
import { KNOWN_FIELDS } from './known-fields.generated.ts'

const API_VERSION = 'argoproj.io/v1alpha1'
const KINDS = ['EventBus', 'EventSource', 'Sensor']

/** Every field of an EventBus, EventSource or Sensor that Argo Events does not know, and would ignore. Objects of other
 *  kinds have none. */
export function unknownFields(manifest: unknown): Problem[] {
  if (!isObject(manifest) || manifest.apiVersion !== API_VERSION || !KINDS.includes(String(manifest.kind))) return []
  return [...walk(manifest, String(manifest.kind), '')]
}

function* walk(value: unknown, shape: string, path: string): Iterable<Problem> {
  if (shape === '') return
  if (shape.startsWith('[]')) {
    if (Array.isArray(value))
      for (const [i, item] of value.entries()) yield* walk(item, shape.slice(2), `${path}[${i}]`)
  } else if (shape.startsWith('{}')) {
    if (isObject(value))
      for (const [name, item] of Object.entries(value)) yield* walk(item, shape.slice(2), at(path, name))
  } else if (isObject(value)) yield* walkFields(value, shape, path)
}

function* walkFields(value: Readonly<Record<string, unknown>>, type: string, path: string): Iterable<Problem> {
  const known = KNOWN_FIELDS[type] ?? {}
  for (const [name, field] of Object.entries(value)) {
    if (Object.hasOwn(known, name)) yield* walk(field, known[name] as string, at(path, name))
    else {
      yield {
        path: at(path, name),
        message: `unknown field "${name}"${hintFor(name, type, known)}`,
        severity: 'warning',
      }
    }
  }
}

/** What is in the template of a trigger and belongs beside it is the mistake that upstream's own examples make. */
function hintFor(name: string, type: string, known: Readonly<Record<string, string>>): string {
  if (type === 'TriggerTemplate' && Object.hasOwn(KNOWN_FIELDS.Trigger ?? {}, name))
    return ': it has no effect here, it belongs beside "template"'
  const nearest = nearestOf(name, Object.keys(known))
  return nearest === undefined ? '' : `, did you mean "${nearest}"?`
}

function at(path: string, name: string): string {
  const step = /^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name)
  return path === '' ? step : `${path}.${step}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The known name that differs in case or in at most two letters. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const distances = known.map(candidate => ({
    candidate,
    distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()),
  }))
  const [best] = distances.sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.min(2, Math.floor(name.length / 3)) ? best.candidate : undefined
}

function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
