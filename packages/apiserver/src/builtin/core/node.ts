import type { Strategy } from '../../strategy.ts'
import { keepOldSpec, keepOldStatus, plainUnsupportedFieldText } from '../builtin-strategy.ts'
import {
  copyOf,
  ensureObject,
  flagAt,
  isPresent,
  objectAt,
  optionalObjectAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts'
import { roundUpResourceList } from '../quantity.ts'
import { validateNode, validateNodeUpdate } from './node-validation.ts'

export const nodeStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  setDefaults(node) {
    const status = optionalObjectAt(node, 'status')
    if (status !== undefined) {
      if (!isPresent(status, 'allocatable') && isPresent(status, 'capacity'))
        status.allocatable = copyOf(status.capacity)
      roundUpResourceList(textMapAt(status, 'capacity'))
      roundUpResourceList(textMapAt(status, 'allocatable'))
    }
    const spec = ensureObject(node, 'spec')
    const range = textAt(spec, 'podCIDR')
    const [first] = textsAt(spec, 'podCIDRs')
    // The single range is the older field: where the two differ it wins.
    if (range !== '' && first !== range) spec.podCIDRs = [range]
    else if (range === '' && first !== undefined) spec.podCIDR = first
  },
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: validateNodeUpdate,
  fieldNames: ['spec.unschedulable'],
  fields: node => ({ 'spec.unschedulable': String(flagAt(objectAt(node, 'spec'), 'unschedulable')) }),
  unsupportedFieldText: plainUnsupportedFieldText,
}
