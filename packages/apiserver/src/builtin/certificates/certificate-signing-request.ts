import type { User } from '../../request/api-request.ts'
import type { Strategy } from '../../strategy.ts'
import { keepOldSpec, keepOldStatus, plainUnsupportedFieldText } from '../builtin-strategy.ts'
import { copyOf, ensureObject, objectAt, textAt } from '../fields.ts'
import { validateCertificateSigningRequest } from './certificate-signing-request-validation.ts'

export const certificateSigningRequestStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  prepareForCreate(request, requester) {
    // Who asks is the server's to say.
    const spec = ensureObject(request, 'spec')
    for (const name of ['username', 'uid', 'groups', 'extra']) delete spec[name]
    if (requester) Object.assign(spec, requesterFields(requester))
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

const requesterFields = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups: [...groups],
  ...(extra === undefined ? {} : { extra: copyOf(extra) }),
})
