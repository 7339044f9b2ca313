import { asError } from '@tiphys/env'
import { compileJsonPath } from '@tiphys/expressions'
import { compileJq, decodeJq, encodeJq } from '@tiphys/expressions/jq'
import { type KubeObject, stringifyJson } from '@tiphys/kube'
import type { OutputSpec } from '../spec/workflow.ts'

/** What a resource template gives of the object it acted on. */
export function resourceOutputs(
  outputs: OutputSpec | undefined,
  object: KubeObject,
): { parameters: Record<string, string>; missing: Record<string, string> } {
  const parameters: Record<string, string> = {}
  const missing: Record<string, string> = {}
  for (const { name, valueFrom } of outputs?.parameters ?? []) {
    const { jsonPath, jqFilter } = valueFrom ?? {}
    if (jsonPath === undefined && jqFilter === undefined) continue
    try {
      parameters[name] = jsonPath === undefined ? filtered(jqFilter ?? '', object) : selected(jsonPath, object)
    } catch (thrown) {
      missing[name] = asError(thrown).message
    }
  }
  return { parameters, missing }
}

const selected = (path: string, object: KubeObject): string => compileJsonPath(path).print(object)

/** As `jq -r` prints it. */
function filtered(filter: string, object: KubeObject): string {
  const outputs = [...compileJq(filter).run(decodeJq(stringifyJson(object)))]
  return outputs
    .map(output => (typeof output === 'string' ? output : encodeJq(output)))
    .join('\n')
    .trim()
}
