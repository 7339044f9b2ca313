import { getJson } from '@tiphys/expressions/gjson'
import { type LabelRequirement, type LabelSelector, parseLabelSelector, stringifyJson } from '@tiphys/kube'

/** When a resource template is done. */
export interface Conditions {
  success: LabelSelector | undefined
  failure: LabelSelector | undefined
}

/** Conditions have the syntax of label selectors; their keys are gjson paths in the object. Throws a `SelectorFailure`. */
export const parseConditions = (success: string | undefined, failure: string | undefined): Conditions => ({
  success: success ? parseLabelSelector(success) : undefined,
  failure: failure ? parseLabelSelector(failure) : undefined,
})

/** `failed` when one requirement of the failure condition holds, `succeeded` when all of the success condition do. */
export function judge(
  { success, failure }: Conditions,
  object: unknown,
): { verdict: 'succeeded' | 'waiting' } | { verdict: 'failed'; by: string } {
  const json = stringifyJson(object)
  const broken = failure?.requirements.find(requirement => holds(requirement, json))
  if (broken) return { verdict: 'failed', by: describe(broken) }
  const isDone = (success?.requirements ?? []).every(requirement => holds(requirement, json))
  return { verdict: isDone ? 'succeeded' : 'waiting' }
}

function holds(requirement: LabelRequirement, json: string): boolean {
  const { key, operator, values } = requirement
  const { exists, ...found } = read(json, key)
  const [first = ''] = values
  switch (operator) {
    case 'exists':
      return exists
    case '!':
      return !exists
    case '=':
    case '==':
    case 'in':
      return exists && values.includes(found.text)
    case '!=':
    case 'notin':
      return !exists || !values.includes(found.text)
    case 'gt':
    case 'lt': {
      const [a, b] = [asInteger(found.text), asInteger(first)]
      if (!exists || a === undefined || b === undefined) return false
      return operator === 'gt' ? a > b : a < b
    }
  }
}

function read(json: string, path: string): { exists: boolean; text: string } {
  const result = getJson(json, path)
  return { exists: result.exists, text: result.exists ? result.string() : '' }
}

const asInteger = (text: string): bigint | undefined => (/^[+-]?\d+$/.test(text) ? BigInt(text) : undefined)

function describe({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key
  if (operator === '!') return `!${key}`
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${values.join(',')})`
  const sign = operator === 'gt' ? '>' : operator === 'lt' ? '<' : operator
  return `${key}${sign}${values[0] ?? ''}`
}
