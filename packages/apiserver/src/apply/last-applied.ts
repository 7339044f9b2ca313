import { type KubeObject, parseJson } from '@tiphys/kube'
import { isObject, jsonCopy } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { difference, EMPTY, type FieldSet } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { compareText, quote } from './path-element.ts'
import { compare, namedFields, TypeMismatch } from './typed.ts'
import { typeErrors } from './validate.ts'

/** kubectl's client-side apply keeps what it applied last in this annotation. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const MOST_ANNOTATION_BYTES = 256 * 1024

export const lastApplied = (object: KubeObject): string => object.metadata.annotations?.[LAST_APPLIED] ?? ''

/** The fields that kubectl set by client-side apply and that still have the value it set: taking them over by
 *  server-side apply is no conflict. Undefined when the annotation says nothing usable. */
export function fieldsOfLastApplied(live: KubeObject, apiVersion: string, type: FieldType): FieldSet | undefined {
  const text = lastApplied(live)
  if (text === '') return undefined
  let applied: Json
  try {
    applied = parseJson(text) as Json
  } catch {
    return undefined // somebody else wrote the annotation; then it grants nothing
  }
  if (!isObject(applied) || applied.apiVersion !== apiVersion || typeErrors(applied, type).length > 0) return undefined
  try {
    const fields = namedFields(applied, type) ?? EMPTY
    const comparison = compare(applied, live as JsonObject, type)
    return difference(difference(fields, comparison?.changed ?? EMPTY), comparison?.removed ?? EMPTY)
  } catch (error) {
    if (error instanceof TypeMismatch) return undefined
    throw error
  }
}

/** Keeps the annotation true for clients that still apply on their side. */
export function refreshLastApplied(object: KubeObject, config: KubeObject): void {
  const applied = jsonCopy(config as JsonObject) as unknown as KubeObject
  const { annotations } = applied.metadata
  if (annotations !== undefined) delete annotations[LAST_APPLIED]
  const next: Record<string, string> = {
    ...object.metadata.annotations,
    [LAST_APPLIED]: `${writeSorted(applied as JsonObject)}\n`,
  }
  let bytes = 0
  for (const [key, value] of Object.entries(next)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  if (bytes > MOST_ANNOTATION_BYTES) delete next[LAST_APPLIED]
  object.metadata = { ...object.metadata, annotations: next }
}

/** JSON with sorted keys, as Go writes a map. */
function writeSorted(value: Json): string {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(',')}]`
  if (!isObject(value)) return String(value)
  const members = Object.keys(value)
    .sort(compareText)
    .map(key => `${quote(key)}:${writeSorted(value[key] as Json)}`)
  return `{${members.join(',')}}`
}
