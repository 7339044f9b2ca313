import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { objectAt, optionalObjectAt, textMapAt } from '../fields.ts'
import { setVolumeSourceDefaults } from '../pod-template.ts'
import { roundUpResourceList } from '../quantity.ts'
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from './storage-validation.ts'

export const volumeAttachmentStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: false,
  returnsDeletedObject: true,
  validate: validateVolumeAttachment,
  validateUpdate: validateVolumeAttachmentUpdate,
  setDefaults(attachment) {
    const inline = optionalObjectAt(objectAt(objectAt(attachment, 'spec'), 'source'), 'inlineVolumeSpec')
    if (inline === undefined) return
    roundUpResourceList(textMapAt(inline, 'capacity'))
    setVolumeSourceDefaults(inline)
  },
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
