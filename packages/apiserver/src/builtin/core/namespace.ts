import type { Strategy } from '../../strategy.ts'
import { keepOldSpec, keepOldStatus, plainUnsupportedFieldText } from '../builtin-strategy.ts'
import { ensureObject, objectAt, setIfZero, textAt, textsAt } from '../fields.ts'
import { validateNamespace, validateNamespaceFinalize, validateNamespaceStatus } from './namespace-validation.ts'

export const namespaceStrategy: Strategy = {
  hasGeneration: false,
  nameRule: 'label',
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults(namespace) {
    const { name } = namespace.metadata
    if (name !== undefined && name !== '') {
      namespace.metadata.labels = { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': name }
    }
    setIfZero(ensureObject(namespace, 'status'), 'phase', 'Active')
  },
  prepareForCreate(namespace) {
    namespace.status = { phase: 'Active' }
    const spec = ensureObject(namespace, 'spec')
    const finalizers = textsAt(spec, 'finalizers')
    if (!finalizers.includes('kubernetes')) spec.finalizers = [...finalizers, 'kubernetes']
  },
  prepareForUpdate(namespace, old) {
    keepOldSpec(namespace, old)
    keepOldStatus(namespace, old)
  },
  prepareForStatusUpdate: keepOldSpec,
  hasNoGracePeriod: true,
  isHeldOnDelete: namespace => textsAt(objectAt(namespace, 'spec'), 'finalizers').length > 0,
  prepareForDeletion(namespace) {
    ensureObject(namespace, 'status').phase = 'Terminating'
  },
  validate: validateNamespace,
  validateStatusUpdate: validateNamespaceStatus,
  validateSubresourceUpdate: (subresource, namespace) =>
    subresource === 'finalize' ? validateNamespaceFinalize(namespace) : [],
  fieldNames: ['status.phase'],
  fields: namespace => ({ 'status.phase': textAt(objectAt(namespace, 'status'), 'phase') }),
  unsupportedFieldText: plainUnsupportedFieldText,
}
