import { readFileSync } from 'node:fs'
import type { StatusCause } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { validateObjectMeta } from '../builtin/object-meta.ts'
import { builtinKindSchema } from '../builtin-schema.ts'
import { type FieldError, toCause } from '../field-error.ts'
import { decode } from '../schema/decode.ts'
import type { Json, Schema } from '../schema/schema.ts'
import type { CustomResourceDefinition } from './crd.ts'
import { crdStrategy } from './crd-strategy.ts'

/** What kube-apiserver 1.36.3 answered to these CustomResourceDefinitions. */
interface Answers {
  creates: { name: string; crd: CustomResourceDefinition; answer: Answer }[]
  updates: {
    name: string
    old: Pick<CustomResourceDefinition, 'spec' | 'status'>
    crd: CustomResourceDefinition
    answer: Answer
  }[]
}

interface Answer {
  code: number
  causes?: StatusCause[]
  spec?: CustomResourceDefinition['spec']
  status?: CustomResourceDefinition['status']
  warnings?: string[]
}

const file = new URL('./testdata/crd-answers.json', import.meta.url)
const answers = JSON.parse(readFileSync(file, 'utf8')) as Answers
const schema = builtinKindSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition') as Schema

const read = (crd: unknown): CustomResourceDefinition =>
  decode(structuredClone(crd) as Json, schema).value as unknown as CustomResourceDefinition

// An empty map or list is left out here, and printed by the real server (see conformance/DIFFERENCES.md).
const leftOut = (message = '') =>
  message.replaceAll('"Properties":{}', '"Properties":null').replace('Invalid value: []:', 'Invalid value: null:')
const sorted = (causes: readonly StatusCause[]) =>
  causes.map(({ field, message, reason }) => `${field}|${reason}|${leftOut(message)}`).sort()

function outcome(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldError[],
  code: number,
) {
  if (errors.length > 0) return { code: 422, causes: sorted(errors.map(toCause)) }
  const { spec, status } = read(crd)
  return { code, spec, status, warnings: (crdStrategy.warnings?.(crd, old) ?? []).sort() }
}

const expected = ({ causes = [], code, spec, status, warnings = [] }: Answer) =>
  code === 422 ? { code, causes: sorted(causes) } : { code, spec, status, warnings: [...warnings].sort() }

describe('a new CRD, as the real server answers', () => {
  it.each(answers.creates)('$name', ({ crd, answer }) => {
    const created = read(crd)
    crdStrategy.setDefaults?.(created)
    crdStrategy.prepareForCreate?.(created)
    const errors = [
      ...validateObjectMeta(created.metadata, { namespaced: false }),
      ...(crdStrategy.validate?.(created) ?? []),
    ]
    expect(outcome(created, undefined, errors, 201)).toEqual(expected(answer))
  })
})

describe('a changed CRD, as the real server answers', () => {
  it.each(answers.updates)('$name', ({ crd, old, answer }) => {
    const changed = read(crd)
    const before = read({ ...crd, ...old })
    crdStrategy.setDefaults?.(changed)
    crdStrategy.prepareForUpdate?.(changed, before)
    const errors = crdStrategy.validateUpdate?.(changed, before) ?? []
    expect(outcome(changed, before, errors, 200)).toEqual(expected(answer))
  })
})
