import type { KubeObject } from '@tiphys/kube'
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
} from '../../field-error.ts'
import { type Fields, isSemanticallyEqual, listAt, objectAt, textAt, textMapAt, textsAt } from '../fields.ts'
import { ipFamily, validateCidr } from '../ip-address.ts'
import { validateLabelName } from '../label-selector-validation.ts'
import { checkLabelValue } from '../names.ts'
import { internalForm } from './internal-form.ts'
import { validateResourceQuantity } from './resource-validation.ts'
import { TAINT_EFFECTS } from './scheduling-validation.ts'

export function validateNode(node: KubeObject): FieldError[] {
  const ranges = textsAt(objectAt(node, 'spec'), 'podCIDRs')
  const errors = [...validateTaints(node), ...validateNodeResources(node)]
  errors.push(...ranges.flatMap((range, i) => validateCidr(range, index('spec.podCIDRs', i))))
  const families = new Set(ranges.map(range => ipFamily(range.split('/')[0] ?? '')))
  if (ranges.length > 1 && (families.size < 2 || ranges.length > 2)) {
    errors.push(invalid('spec.podCIDRs', ranges, 'may specify no more than one CIDR for each IP family'))
  }
  return errors
}

export function validateNodeUpdate(node: KubeObject, old: KubeObject): FieldError[] {
  const errors = validateNodeResources(node)
  const addresses = listAt(objectAt(node, 'status'), 'addresses')
  for (const [i, address] of addresses.entries()) {
    if (addresses.slice(0, i).some(other => isSemanticallyEqual(other, address))) {
      errors.push(duplicate(index('status.addresses', i), address))
    }
  }
  const spec = objectAt(node, 'spec')
  const oldSpec = objectAt(old, 'spec')
  const oldRanges = textsAt(oldSpec, 'podCIDRs')
  if (oldRanges.length > 0 && !isSemanticallyEqual(textsAt(spec, 'podCIDRs'), oldRanges)) {
    const detail = 'node updates may not change podCIDR except from "" to valid'
    errors.push(forbidden('spec.podCIDRs', detail))
  }
  const oldProvider = textAt(oldSpec, 'providerID')
  if (oldProvider !== '' && oldProvider !== textAt(spec, 'providerID')) {
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'))
  }
  return [...errors, ...validateTaints(node)]
}

function validateNodeResources(node: KubeObject): FieldError[] {
  return ['capacity', 'allocatable'].flatMap(name =>
    Object.entries(textMapAt(objectAt(node, 'status'), name)).flatMap(([resource, quantity]) =>
      validateResourceQuantity(resource, quantity, `status.${name}.${resource}`),
    ),
  )
}

function validateTaints(node: KubeObject): FieldError[] {
  const field = 'metadata.taints'
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, taint] of listAt(objectAt(node, 'spec'), 'taints').entries()) {
    const at = index(field, i)
    errors.push(...validateTaint(taint, at))
    const id = `${textAt(taint, 'effect')}/${textAt(taint, 'key')}`
    if (seen.has(id)) {
      errors.push({
        ...duplicate(at, internalForm('Taint', taint)),
        detail: 'taints must be unique by key and effect pair',
      })
    }
    seen.add(id)
  }
  return errors
}

function validateTaint(taint: Fields, field: string): FieldError[] {
  const errors = validateLabelName(textAt(taint, 'key'), child(field, 'key'))
  const value = textAt(taint, 'value')
  const reasons = checkLabelValue(value)
  if (reasons.length > 0) errors.push(invalid(child(field, 'value'), value, reasons.join(';')))
  const effect = textAt(taint, 'effect')
  if (effect === '') errors.push(required(child(field, 'effect')))
  else if (!TAINT_EFFECTS.includes(effect)) errors.push(notSupported(child(field, 'effect'), effect, TAINT_EFFECTS))
  return errors
}
