import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { ensureObject, setIfAbsent } from '../fields.ts'
import { setPodTemplateDefaults } from '../pod-template.ts'
import { nameWarnings, templateWarnings } from '../pod-warnings.ts'
import { validateReplicaSet, validateReplicaSetStatus, validateReplicaSetUpdate } from './workload-validation.ts'

export const replicaSetStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  setDefaults(replicaSet) {
    const spec = ensureObject(replicaSet, 'spec')
    setIfAbsent(spec, 'replicas', 1)
    setPodTemplateDefaults(spec)
  },
  validate: validateReplicaSet,
  validateUpdate: validateReplicaSetUpdate,
  validateStatusUpdate: validateReplicaSetStatus,
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object.metadata.name ?? '', 'Pod names and hostnames') : []),
    ...templateWarnings(object, old),
  ],
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
