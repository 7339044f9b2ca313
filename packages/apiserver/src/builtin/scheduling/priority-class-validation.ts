import type { KubeObject } from '@tiphys/kube'
import { type FieldError, forbidden } from '../../field-error.ts'
import { validateOneOf } from '../field-checks.ts'
import { flagAt, isPresent, numberAt } from '../fields.ts'
import { validateImmutableField } from '../object-meta.ts'

const HIGHEST_USER_PRIORITY = 1_000_000_000
export const SYSTEM_CLASSES: Record<string, number> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
}

export function validatePriorityClass(priorityClass: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const { name = '' } = priorityClass.metadata
  const value = numberAt(priorityClass, 'value')
  if (name.startsWith('system-')) {
    const problem = systemClassProblem(name, value, flagAt(priorityClass, 'globalDefault'))
    if (problem !== undefined) {
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`
      errors.push(forbidden('metadata.name', detail))
    }
  } else if (value > HIGHEST_USER_PRIORITY) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`
    errors.push(forbidden('value', detail))
  }
  if (!isPresent(priorityClass, 'preemptionPolicy')) return errors
  const policy = validateOneOf(priorityClass, 'preemptionPolicy', ['PreemptLowerPriority', 'Never'], '')
  return [...errors, ...policy.map(error => ({ ...error, field: 'preemptionPolicy' }))]
}

function systemClassProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const expected = SYSTEM_CLASSES[name]
  if (expected === undefined) return `${name} is not a known system priority class`
  if (expected !== value) return `value of ${name} PriorityClass must be ${expected}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

export function validatePriorityClassUpdate(priorityClass: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  if (numberAt(priorityClass, 'value') !== numberAt(old, 'value')) {
    errors.push(forbidden('value', 'may not be changed in an update.'))
  }
  return [
    ...errors,
    ...validateImmutableField(priorityClass.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy'),
  ]
}
