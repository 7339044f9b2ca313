import { readFileSync } from 'node:fs'
import { parseJson } from '@tiphys/kube'
import type { Json, JsonObject } from '../schema/schema.ts'

/** A case that the Kubernetes libraries answered; oracle/ writes them. */
export interface PatchAnswer {
  type?: string
  object: JsonObject
  patch: Json
  result?: Json
  error?: string
}

export function readAnswers<T = PatchAnswer>(file: string): T[] {
  const text = readFileSync(new URL(`../../testdata/${file}`, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map(line => parseJson(line) as T)
}
