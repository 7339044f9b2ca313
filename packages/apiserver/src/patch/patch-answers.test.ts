import { expect, test } from 'vitest'
import { builtinSchema } from '../builtin-schema.ts'
import { type PatchAnswer, readAnswers } from './answers.ts'
import { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts'
import { applyMergePatch } from './merge-patch.ts'
import { PatchFailure } from './patch-failure.ts'
import { applyStrategicMergePatch } from './strategic-merge.ts'

const kinds: Record<string, (answer: PatchAnswer) => unknown> = {
  'json-patch.jsonl': ({ object, patch }) => applyJsonPatch(object, { operations: patch as JsonPatchOperation[] }),
  'merge-patch.jsonl': ({ object, patch }) => applyMergePatch(object, patch),
  'strategic-merge.jsonl': ({ object, patch, type }) =>
    applyStrategicMergePatch(object, patch, builtinSchema(type as string)),
}

for (const [file, apply] of Object.entries(kinds)) {
  test(`${file}: every answer is the one of the Kubernetes libraries`, () => {
    const differences: unknown[] = []
    for (const answer of readAnswers(file)) {
      const before = JSON.stringify(answer, bigIntAsText)
      const actual = outcome(() => apply(answer))
      const expected = answer.error === undefined ? { result: answer.result } : { error: answer.error }
      if (!isDeepEqual(actual, expected)) differences.push({ ...answer, actual })
      expect(JSON.stringify(answer, bigIntAsText)).toBe(before)
    }
    expect(differences).toEqual([])
  })
}

function outcome(run: () => unknown): { result?: unknown; error?: string } {
  try {
    return { result: run() }
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error
    return { error: error.why }
  }
}

const isDeepEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a, sorted) === JSON.stringify(b, sorted)

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bigIntAsText(_key, value)
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}

function bigIntAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
