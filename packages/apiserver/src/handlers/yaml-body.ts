import { parseYaml } from '@tiphys/kube'
import type { Json } from '../schema/schema.ts'

/** The first document of a YAML body, as the server reads it. */
export async function readYamlBody(text: string): Promise<{ value: Json; problems: readonly string[] }> {
  const { value, duplicateKeys } = await parseYaml(text)
  return { value: value as Json, problems: duplicateKeys }
}
