import { asError } from '@tiphys/env'
import { compileJsonPath } from '@tiphys/expressions'
import { compileJq, decodeJq, encodeJq } from '@tiphys/expressions/jq'
import { type KubeObject, stringifyJson } from '@tiphys/kube'
import type { OutputSpec } from '../spec/workflow.ts'

/** What a resource template gives of the object it acted on; of one that is gone nothing but empty texts, as upstream. */
export function resourceOutputs(
  outputs: OutputSpec | undefined,
  object: KubeObject | undefined,
): { parameters: Record<string, string>; missing: Record<string, string> } {
  const parameters: Record<string, string> = {}
  const missing: Record<string, string> = {}
  for (const { name, valueFrom } of outputs?.parameters ?? []) {
    const { jsonPath, jqFilter, default: fallback } = valueFrom ?? {}
    if (jsonPath === undefined && jqFilter === undefined) continue
    if (object === undefined) {
      if (fallback === undefined) parameters[name] = ''
      continue
    }
    try {
      // What is not there is an empty text, as kubectl prints it, unless a default was written for it.
      const allowMissingKeys = fallback === undefined
      parameters[name] =
        jsonPath === undefined
          ? filtered(jqFilter ?? '', object)
          : compileJsonPath(jsonPath).print(object, { allowMissingKeys })
    } catch (thrown) {
      missing[name] = asError(thrown).message
    }
  }
  return { parameters, missing }
}

/** As `jq -r` prints it. */
function filtered(filter: string, object: KubeObject): string {
  const outputs = [...compileJq(filter).run(decodeJq(stringifyJson(object)))]
  return outputs
    .map(output => (typeof output === 'string' ? output : encodeJq(output)))
    .join('\n')
    .trim()
}
