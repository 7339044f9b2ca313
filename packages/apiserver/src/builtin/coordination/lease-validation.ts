import type { KubeObject } from '@tiphys/kube'
import { type FieldError, forbidden, invalid } from '../../field-error.ts'
import { objectAt, optionalNumberAt, textAt } from '../fields.ts'

export function validateLease(lease: KubeObject): FieldError[] {
  const spec = objectAt(lease, 'spec')
  const errors: FieldError[] = []
  const duration = optionalNumberAt(spec, 'leaseDurationSeconds')
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
  }
  const transitions = optionalNumberAt(spec, 'leaseTransitions')
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'))
  }
  if (textAt(spec, 'preferredHolder') !== '' && textAt(spec, 'strategy') === '') {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'))
  }
  return errors
}
