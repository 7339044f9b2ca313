import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { setIfAbsent } from '../fields.ts'

export const storageClassStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults(storageClass) {
    setIfAbsent(storageClass, 'reclaimPolicy', 'Delete')
    setIfAbsent(storageClass, 'volumeBindingMode', 'Immediate')
  },
}
