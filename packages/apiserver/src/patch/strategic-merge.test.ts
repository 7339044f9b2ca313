import { expect, test } from 'vitest'
import { builtinSchema } from '../builtin-schema.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { PatchFailure } from './patch-failure.ts'
import { applyStrategicMergePatch } from './strategic-merge.ts'

const pod = builtinSchema('io.k8s.api.core.v1.Pod')

const podWith = (containers: Json): JsonObject => ({ metadata: { name: 'x' }, spec: { containers } })
const patchPod = (containers: Json, patch: Json) => applyStrategicMergePatch(podWith(containers), patch, pod).spec

function refusal(patch: Json): [code: number, message: string] {
  try {
    applyStrategicMergePatch({ metadata: { finalizers: ['a'] }, spec: { containers: [{ name: 'a' }] } }, patch, pod)
  } catch (error) {
    if (error instanceof PatchFailure) return [error.code, error.message]
    throw error
  }
  throw new Error('the patch applied')
}

test('merges list items by their merge key', () => {
  expect(
    patchPod([{ name: 'a', image: '1' }, { name: 'b' }], { spec: { containers: [{ name: 'a', tty: true }] } }),
  ).toEqual({
    containers: [{ name: 'a', image: '1', tty: true }, { name: 'b' }],
  })
})

test('puts a new item where the patch lists it', () => {
  expect(patchPod([{ name: 'a' }], { spec: { containers: [{ name: 'new' }, { name: 'a' }] } })).toEqual({
    containers: [{ name: 'new' }, { name: 'a' }],
  })
})

test('orders items by $setElementOrder, and the others by their place in the object', () => {
  const patch = {
    spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }], containers: [{ name: 'c', image: '2' }] },
  }
  expect(patchPod([{ name: 'a' }, { name: 'b' }, { name: 'c' }], patch)).toEqual({
    containers: [{ name: 'b' }, { name: 'c', image: '2' }, { name: 'a' }],
  })
})

test('deletes and replaces by directive', () => {
  expect(patchPod([{ name: 'a' }, { name: 'b' }], { spec: { containers: [{ $patch: 'delete', name: 'a' }] } })).toEqual(
    {
      containers: [{ name: 'b' }],
    },
  )
  expect(patchPod([{ name: 'a' }], { spec: { containers: [{ name: 'b' }, { $patch: 'replace' }] } })).toEqual({
    containers: [{ name: 'b' }],
  })
  expect(
    applyStrategicMergePatch({ metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: 'delete' } } }, pod),
  ).toEqual({ metadata: { labels: {} } })
})

test('answers malformed directives with 400, lists of lists with 422, everything else with 500', () => {
  expect(refusal({ metadata: { $deleteFromPrimitiveList: ['a'] } })).toEqual([
    400,
    'invalid patch format of primitive list',
  ])
  expect(refusal({ spec: { $retainKeys: 'x' } })).toEqual([400, 'invalid patch format of retainKeys'])
  expect(refusal({ spec: { containers: [{ image: 'x' }] } })).toEqual([
    500,
    'map: map[image:x] does not contain declared merge key: name',
  ])
  expect(refusal({ spec: { $patch: 'nonsense' } })).toEqual([
    500,
    'unknown patch type: nonsense in map: map[$patch:nonsense]',
  ])
  expect(refusal([])).toEqual([400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'])
})

test('a list of 20,000 items is merged without delay', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `c${index}`)
  const merged = applyStrategicMergePatch(
    { metadata: { finalizers: names } },
    { metadata: { finalizers: [...names].reverse(), '$setElementOrder/finalizers': [...names].reverse() } },
    pod,
  )
  expect((merged.metadata as { finalizers: string[] }).finalizers[0]).toBe('c19999')
})
