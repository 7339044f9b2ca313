import type { Strategy } from '../../strategy.ts'
import { plainUnsupportedFieldText } from '../builtin-strategy.ts'
import { ensureObject, setIfZero, textAt, textMapAt } from '../fields.ts'
import { validateSecret, validateSecretUpdate } from './configuration-validation.ts'

export const secretStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  setDefaults(secret) {
    setIfZero(secret, 'type', 'Opaque')
    const plain = Object.entries(textMapAt(secret, 'stringData'))
    if (plain.length > 0) {
      const data = ensureObject(secret, 'data')
      for (const [name, text] of plain) data[name] = Buffer.from(text, 'utf8').toString('base64')
    }
    delete secret.stringData
  },
  validate: validateSecret,
  validateUpdate: validateSecretUpdate,
  fieldNames: ['type'],
  fields: secret => ({ type: textAt(secret, 'type') }),
  unsupportedFieldText: plainUnsupportedFieldText,
}
