import { nearest } from '@tiphys/env'
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
  const meant = nearest(name, Object.keys(known), Math.min(2, Math.floor(name.length / 3)))
  return meant === undefined ? '' : `, did you mean "${meant}"?`
}

function at(path: string, name: string): string {
  const step = /^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name)
  return path === '' ? step : `${path}.${step}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
