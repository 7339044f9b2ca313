import type { Strategy } from '../../strategy.ts'
import { ensureObject, setIfAbsent, textsAt } from '../fields.ts'
import { validateCsiDriver, validateCsiDriverUpdate } from './storage-validation.ts'

export const csiDriverStrategy: Strategy = {
  // The real server starts these at no generation and counts the changes only.
  hasGeneration: false,
  allowUnconditionalUpdate: false,
  returnsDeletedObject: true,
  validate: validateCsiDriver,
  validateUpdate: validateCsiDriverUpdate,
  setDefaults(driver) {
    const spec = ensureObject(driver, 'spec')
    setIfAbsent(spec, 'attachRequired', true)
    setIfAbsent(spec, 'podInfoOnMount', false)
    setIfAbsent(spec, 'storageCapacity', false)
    setIfAbsent(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType')
    if (textsAt(spec, 'volumeLifecycleModes').length === 0) spec.volumeLifecycleModes = ['Persistent']
    setIfAbsent(spec, 'requiresRepublish', false)
    setIfAbsent(spec, 'seLinuxMount', false)
  },
}
