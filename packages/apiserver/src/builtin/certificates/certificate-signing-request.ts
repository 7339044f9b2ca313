import { type BuiltinStrategy, keepOldSpec, keepOldStatus, plainUnsupportedFieldText } from '../builtin-strategy.ts'
import { ensureObject, objectAt, textAt } from '../fields.ts'
import { validateCertificateSigningRequest } from './certificate-signing-request-validation.ts'

export const certificateSigningRequestStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  prepareForCreate(request) {
    // Who asks is the server's to say: the registry fills these in from the authenticated user afterwards.
    const spec = ensureObject(request, 'spec')
    for (const name of ['username', 'uid', 'groups', 'extra']) delete spec[name]
    request.status = {}
  },
  prepareForUpdate(request, old) {
    keepOldSpec(request, old)
    keepOldStatus(request, old)
  },
  prepareForStatusUpdate: keepOldSpec,
  validate: validateCertificateSigningRequest,
  fieldNames: ['spec.signerName'],
  fields: request => ({ 'spec.signerName': textAt(objectAt(request, 'spec'), 'signerName') }),
  unsupportedFieldText: plainUnsupportedFieldText,
}
