import { type BuiltinStrategy, plainUnsupportedFieldText } from '../builtin-strategy.ts'

export const ipAddressStrategy: BuiltinStrategy = {
  hasGeneration: false,
  nameRule: 'path',
  allowUnconditionalUpdate: true,
  unsupportedFieldText: plainUnsupportedFieldText,
}
