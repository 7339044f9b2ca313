import { floorSeconds } from '../time.ts'
import { CelError, CelList, CelMap, type CelValue, Duration, Optional, Timestamp, Uint } from '../value.ts'
import { type Implementation, overload } from './implementation.ts'

function isZero(value: CelValue): boolean {
  switch (typeof value) {
    case 'bigint':
      return value === 0n
    case 'number':
      return value === 0
    case 'string':
      return value === ''
    case 'boolean':
      return !value
    default:
  }
  if (value === null) return true
  if (value instanceof CelList || value instanceof CelMap) return isEmptyAggregate(value)
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof Duration) return value.nanos === 0n
  if (value instanceof Timestamp) return floorSeconds(value.nanos) === -62_135_596_800n
  return false
}

function isEmptyAggregate(value: CelList | CelMap): boolean {
  return value.size === 0
}

export const optionalOverloads: readonly (readonly [string, Implementation])[] = [
  overload('optional_of', (value: CelValue) => new Optional(value)),
  overload('optional_ofNonZeroValue', (value: CelValue) => (isZero(value) ? Optional.none : new Optional(value))),
  overload('optional_none', () => Optional.none),
  overload('optional_value', ({ value }: Optional) =>
    value === undefined ? new CelError('optional.none() dereference') : value,
  ),
  overload('optional_hasValue', ({ value }: Optional) => value !== undefined),
]
