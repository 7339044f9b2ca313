import { readFileSync } from 'node:fs'
import type { KubeObject, ManagedFieldsEntry, StatusCause } from '@tiphys/kube'
import { expect, test } from 'vitest'
import { builtinKindSchema } from '../builtin-schema.ts'
import { jsonCopy } from '../json-value.ts'
import { readAnswers } from '../patch/answers.ts'
import { decode } from '../schema/decode.ts'
import type { JsonObject, Schema } from '../schema/schema.ts'
import { StatusError } from '../status-error.ts'
import { applyPatch } from './apply-patch.ts'
import { statusResetFields, withoutStatusFields } from './reset-fields.ts'
import { trackUpdate } from './track-update.ts'

interface Sequence {
  kind: string
  steps: Step[]
}

interface Step {
  op: 'update' | 'apply'
  manager: string
  subresource?: string
  force?: boolean
  object: KubeObject
  live?: KubeObject
  managedFields?: ManagedFieldsEntry[]
  error?: string
  causes?: StatusCause[]
}

const widget = JSON.parse(readFileSync(new URL('../../testdata/widget.json', import.meta.url), 'utf8')) as Schema

const schemas: Record<string, Schema | undefined> = {
  ConfigMap: builtinKindSchema('', 'v1', 'ConfigMap'),
  Service: builtinKindSchema('', 'v1', 'Service'),
  Pod: builtinKindSchema('', 'v1', 'Pod'),
  Deployment: builtinKindSchema('apps', 'v1', 'Deployment'),
  Widget: widget,
  Loose: undefined,
}

for (const kind of Object.keys(schemas)) {
  test(`${kind}: every sequence of updates and applies ends as in the Kubernetes libraries`, () => {
    const differences: unknown[] = []
    for (const sequence of readAnswers<Sequence>('apply.jsonl')) {
      if (sequence.kind !== kind) continue
      const difference = replay(sequence)
      if (difference !== undefined) differences.push(difference)
    }
    expect(differences).toEqual([])
  })
}

function replay({ kind, steps }: Sequence): unknown {
  const schema = schemas[kind]
  let live: KubeObject | undefined
  for (const [number, step] of steps.entries()) {
    const actual = take(step, number, live, schema)
    const { error, causes = [], managedFields } = step
    const object = step.op === 'update' ? undefined : step.live
    const expected = error === undefined ? { object, managedFields } : refusal(error, causes)
    const show = schema?.go === undefined ? textInAnyOrder : text
    if (show(actual) !== show(expected)) return { number, step: text(step), actual: text(actual), live: text(live) }
    if (error === undefined) live = stored(step)
  }
  return undefined
}

/** What the next step finds. */
function stored({ op, object, live, managedFields }: Step): KubeObject {
  const next = jsonCopy((op === 'update' ? object : live) as JsonObject) as unknown as KubeObject
  next.metadata.uid = 'u'
  if (managedFields === undefined) delete next.metadata.managedFields
  else next.metadata.managedFields = managedFields
  return next
}

function take(step: Step, number: number, live: KubeObject | undefined, schema: Schema | undefined): unknown {
  const { op, manager, subresource = '', object, force = false } = step
  const tracking = {
    live,
    schema,
    manager,
    subresource,
    apiVersion: object.apiVersion,
    now: `2026-01-01T00:00:${String(number).padStart(2, '0')}Z`,
    resetFields: subresource === '' ? withoutStatusFields : statusResetFields,
  }
  const before = text(live)
  try {
    if (op === 'update') return { object: undefined, managedFields: trackUpdate({ ...tracking, next: object }) }
    const applied = applyPatch({ ...tracking, config: object, force })
    const result =
      schema?.go === undefined ? applied.object : decode(applied.object as JsonObject, schema, 'Ignore').value
    return { object: result, managedFields: applied.managedFields }
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    return refusal(thrown.message, thrown.details?.causes ?? [])
  } finally {
    expect(text(live)).toBe(before)
  }
}

/** The Kubernetes libraries list several errors and causes in any order. */
function refusal(error: string, causes: StatusCause[]): unknown {
  return { error: error.split('\n').sort(), causes: causes.map(cause => JSON.stringify(sorted(cause))).sort() }
}

/** Objects without an order; fieldsV1 as it is written. */
const text = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => (key === 'fieldsV1' ? JSON.stringify(part) : sorted(part)))

/** The real server writes the fieldsV1 of custom resources in the order of their text, which nobody can rely on. */
const textInAnyOrder = (value: unknown): string => JSON.stringify(value, (_key, part: unknown) => sorted(part))

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
