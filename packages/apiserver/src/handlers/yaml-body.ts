import { parseYaml } from '@tiphys/kube'
import type { Json } from '../schema/schema.ts'
import { badRequest } from '../status-error.ts'
import type { ParsedBody } from './body.ts'

/** The first document of a YAML body, as the server reads it. */
export async function readYamlBody(text: string): Promise<ParsedBody> {
  try {
    const { value, duplicateKeys } = await parseYaml(text)
    return { value: value as Json, problems: duplicateKeys }
  } catch (thrown) {
    throw badRequest((thrown as Error).message)
  }
}
