import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, invalid, notSupported } from '../../field-error.ts'
import { validateNonNegativeField } from '../field-checks.ts'
import { intOrStringAt, isPresent, objectAt, optionalObjectAt, optionalTextAt } from '../fields.ts'
import { validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts'
import { validateLabelSelector } from '../label-selector-validation.ts'

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget']

export function validatePodDisruptionBudget(budget: KubeObject): FieldError[] {
  const spec = objectAt(budget, 'spec')
  const errors: FieldError[] = []
  if (isPresent(spec, 'minAvailable') && isPresent(spec, 'maxUnavailable')) {
    const shown = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    }
    errors.push(invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const name of ['minAvailable', 'maxUnavailable']) {
    const value = intOrStringAt(spec, name)
    if (value === undefined) continue
    const field = child('spec', name)
    errors.push(...validateIntOrPercent(value, field), ...validateAtMostAll(value, field))
  }
  errors.push(...validateLabelSelector(optionalObjectAt(spec, 'selector'), 'spec.selector'))
  const policy = optionalTextAt(spec, 'unhealthyPodEvictionPolicy')
  if (policy !== undefined && !EVICTION_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES))
  }
  return errors
}

export function validatePodDisruptionBudgetStatus(budget: KubeObject): FieldError[] {
  const status = objectAt(budget, 'status')
  return ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'].flatMap(name =>
    validateNonNegativeField(status, name, 'status'),
  )
}
