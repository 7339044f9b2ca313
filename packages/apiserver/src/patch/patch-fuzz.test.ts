import { seededRandom } from '@tiphys/env'
import { parseJson, stringifyJson } from '@tiphys/kube'
import { expect, test } from 'vitest'
import { applyPatch } from '../apply/apply-patch.ts'
import { trackUpdate } from '../apply/track-update.ts'
import { builtinSchema } from '../builtin-schema.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { StatusError } from '../status-error.ts'
import { applyJsonPatch, decodeJsonPatch } from './json-patch.ts'
import { applyMergePatch } from './merge-patch.ts'
import { applyStrategicMergePatch } from './strategic-merge.ts'

const schema = builtinSchema('io.k8s.api.core.v1.Pod')

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'metadata',
  'spec',
  'labels',
  'containers',
  'name',
  'finalizers',
  'ports',
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  '$deleteFromPrimitiveList/finalizers',
  '0',
  '',
]

test('patches and applies of every shape end with a result or a refusal, and leave the prototypes alone', () => {
  const { next: random } = seededRandom(7)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const value = (depth: number): Json => {
    if (depth === 0 || random() < 0.3) {
      return pick<Json>(['a', '', 'delete', 'replace', 'merge', 0, 1, -1.5, true, null, 9007199254740993n])
    }
    if (random() < 0.35) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth - 1))
    const members = Array.from(
      { length: Math.floor(random() * 5) },
      () => `${JSON.stringify(pick(KEYS))}:${stringifyJson(value(depth - 1))}`,
    )
    return parseJson(`{${members.join(',')}}`) as Json
  }
  const path = () =>
    Array.from({ length: Math.floor(random() * 4) }, () => `/${pick([...KEYS, '-', '-1', '~0', '~1'])}`).join('')
  const operation = (): Json => ({
    op: pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
    path: path(),
    from: path(),
    value: value(2),
  })
  const object = (depth: number): JsonObject => ({ metadata: {}, ...(value(depth) as JsonObject) })
  const kubeObject = () => ({ apiVersion: 'v1', kind: 'Pod', ...object(5), metadata: { name: 'x' } }) as never
  const tracking = { schema, manager: 'm', apiVersion: 'v1', subresource: '', now: '2026-01-01T00:00:00Z' }

  const attempts = [
    () => applyJsonPatch(object(4), decodeJsonPatch(Array.from({ length: 3 }, operation))),
    () => applyMergePatch(object(4), value(4)),
    () => applyStrategicMergePatch(object(5), value(5), schema),
    () => trackUpdate({ ...tracking, live: kubeObject(), next: kubeObject() }),
    () => applyPatch({ ...tracking, live: undefined, config: kubeObject(), force: false }),
    () =>
      applyPatch({
        ...tracking,
        live: kubeObject(),
        config: { apiVersion: 'v1', kind: 'Pod', metadata: {} },
        force: true,
      }),
  ]
  const before = snapshot()
  for (let round = 0; round < 4000; round++) {
    try {
      attempts[round % attempts.length]?.()
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
    }
  }
  expect(snapshot()).toEqual(before)
})

const snapshot = () =>
  [Object, Array, String, Function].map(type => Reflect.ownKeys(type.prototype).map(String).sort().join())
