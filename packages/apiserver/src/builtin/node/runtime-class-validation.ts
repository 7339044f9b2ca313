import type { KubeObject } from '@tiphys/kube'
import { type FieldError, required } from '../../field-error.ts'
import { validateContainerResourceName, validateResourceRequirements } from '../core/resource-validation.ts'
import { validateTolerations } from '../core/scheduling-validation.ts'
import { checkedBy } from '../field-checks.ts'
import { listAt, objectAt, optionalObjectAt, textAt, textMapAt } from '../fields.ts'
import { validateLabels } from '../label-selector-validation.ts'
import { checkLabel } from '../names.ts'
import { validateImmutableField } from '../object-meta.ts'

export function validateRuntimeClass(runtimeClass: KubeObject): FieldError[] {
  const handler = textAt(runtimeClass, 'handler')
  const errors = handler === '' ? [required('handler')] : checkedBy(checkLabel, handler, 'handler')
  const overhead = optionalObjectAt(runtimeClass, 'overhead')
  if (overhead !== undefined) {
    const rules = { validateName: validateContainerResourceName, claimNames: [] }
    errors.push(...validateResourceRequirements({ limits: overhead.podFixed }, rules, 'overhead'))
  }
  const scheduling = objectAt(runtimeClass, 'scheduling')
  errors.push(...validateLabels(textMapAt(scheduling, 'nodeSelector'), 'scheduling.nodeSelector'))
  return [...errors, ...validateTolerations(listAt(scheduling, 'tolerations'), 'scheduling.tolerations')]
}

export function validateRuntimeClassUpdate(runtimeClass: KubeObject, old: KubeObject): FieldError[] {
  return validateImmutableField(textAt(runtimeClass, 'handler'), textAt(old, 'handler'), 'handler')
}
