import type { Strategy } from '../../strategy.ts'
import { objectAt } from '../fields.ts'
import { setPodTemplateDefaults } from '../pod-template.ts'
import { validatePodTemplate } from '../pod-template-validation.ts'
import { podWarnings } from '../pod-warnings.ts'

export const podTemplateStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  validate: object => validatePodTemplate(objectAt(object, 'template'), 'template'),
  validateUpdate: object => validatePodTemplate(objectAt(object, 'template'), 'template'),
  warnings: (object, old) => (old === undefined ? podWarnings(objectAt(object, 'template'), 'template') : []),
  setDefaults: setPodTemplateDefaults,
}
