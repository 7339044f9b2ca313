import { type NumberTexts, numberPath, stringifyJson } from '@tiphys/kube'
import { jsonCopy } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import type { JsonPatchOperation } from './json-patch.ts'

/** Where the numbers of a JSON patch end up that are not written as digits alone. What is appended to a list, moved or copied
 *  is not followed: a number there is read as what it is. */
export function textsOfOperations(operations: readonly JsonPatchOperation[], numberTexts: NumberTexts): NumberTexts {
  if (numberTexts === undefined) return undefined
  const found = new Map<string, string>()
  for (const [path, text] of numberTexts) {
    const [index = '', member, ...rest] = path.split('\0')
    const target = operations[Number(index)]?.path
    if (member !== 'value' || typeof target !== 'string') continue
    found.set(numberPath([...pointerSteps(target), ...rest]), text)
  }
  return found
}

const pointerSteps = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))

const MARK = '\u0000'

/** JSON with these numbers as they were written. */
export function writeWithTexts(value: JsonObject, numberTexts: NumberTexts): string {
  if (numberTexts === undefined) return stringifyJson(value)
  const marked = jsonCopy(value)
  for (const [path, text] of numberTexts) mark(marked, path.split('\0'), text)
  return stringifyJson(marked).replace(/"\\u0000([^"]*)"/g, '$1')
}

function mark(root: Json, steps: readonly string[], text: string): void {
  const [last = '', ...way] = steps.toReversed()
  let at: Json | undefined = root
  for (const step of way.toReversed()) at = memberOf(at, step)
  const container = at as Record<string, Json> | undefined
  if (typeof memberOf(container, last) === 'number') (container as Record<string, Json>)[last] = `${MARK}${text}`
}

/** Of an object, or of a list by its index. */
function memberOf(value: Json | undefined, step: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return (value as Record<string, Json>)[step]
}
