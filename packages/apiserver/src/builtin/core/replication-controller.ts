import type { Strategy } from '../../strategy.ts'
import { validateReplicationController } from '../apps/workload-validation.ts'
import { dropStatus, keepOldSpec, keepOldStatus, plainUnsupportedFieldText } from '../builtin-strategy.ts'
import { ensureObject, isPresent, numberAt, objectAt, setIfAbsent, textMapAt } from '../fields.ts'
import { setPodTemplateDefaults } from '../pod-template.ts'
import { nameWarnings, templateWarnings } from '../pod-warnings.ts'

export const replicationControllerStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  orphansDependentsByDefault: true,
  setDefaults(controller) {
    const spec = ensureObject(controller, 'spec')
    const labels = textMapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
    if (Object.keys(labels).length > 0) {
      if (Object.keys(textMapAt(spec, 'selector')).length === 0) spec.selector = { ...labels }
      if (Object.keys(controller.metadata.labels ?? {}).length === 0) controller.metadata.labels = { ...labels }
    }
    setIfAbsent(spec, 'replicas', 1)
    if (isPresent(spec, 'template')) setPodTemplateDefaults(spec)
  },
  validate: validateReplicationController,
  validateUpdate: validateReplicationController,
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object.metadata.name ?? '', 'Pod names and hostnames') : []),
    ...templateWarnings(object, old),
  ],
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
  fieldNames: ['status.replicas'],
  fields: controller => ({ 'status.replicas': String(numberAt(objectAt(controller, 'status'), 'replicas')) }),
  unsupportedFieldText: plainUnsupportedFieldText,
}
