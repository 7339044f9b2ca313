import type { KubeObject } from '@tiphys/kube'
import { type FieldError, index, invalid, required } from '../../field-error.ts'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { objectAt, textsAt } from '../fields.ts'
import { ipFamily, validateCidr } from '../ip-address.ts'
import { FIELD_IS_IMMUTABLE } from '../object-meta.ts'

const FIELD = 'spec.cidrs'
const rangesOf = (object: KubeObject) => textsAt(objectAt(object, 'spec'), 'cidrs')

function validateServiceCidr(serviceCidr: KubeObject): FieldError[] {
  const ranges = rangesOf(serviceCidr)
  if (ranges.length === 0) return [required(FIELD, 'at least one CIDR required')]
  if (ranges.length > 2) return [invalid(FIELD, { CIDRs: ranges }, 'may only hold up to 2 values')]
  const errors = ranges.flatMap((range, i) => validateCidr(range, index(FIELD, i)))
  const [first, second] = ranges.map(range => ipFamily(range.split('/')[0] ?? ''))
  if (first !== undefined && first === second) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
    errors.push(invalid(FIELD, ranges, detail))
  }
  return errors
}

/** A range never changes; a second one, of the other family, may be added. */
function validateServiceCidrUpdate(serviceCidr: KubeObject, old: KubeObject): FieldError[] {
  const ranges = rangesOf(serviceCidr)
  const oldRanges = rangesOf(old)
  const isExtended = oldRanges.length === 1 && ranges.length === 2
  if (oldRanges.length !== ranges.length && !isExtended) return [invalid(FIELD, ranges, FIELD_IS_IMMUTABLE)]
  const errors = oldRanges.flatMap((range, i) =>
    range === ranges[i] ? [] : [invalid(index(FIELD, i), ranges[i], FIELD_IS_IMMUTABLE)],
  )
  return isExtended ? [...errors, ...validateServiceCidr(serviceCidr)] : errors
}

export const serviceCidrStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  validate: validateServiceCidr,
  validateUpdate: validateServiceCidrUpdate,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
