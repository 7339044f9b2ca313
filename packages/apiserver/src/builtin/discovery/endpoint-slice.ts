import type { Strategy } from '../../strategy.ts'
import { isSemanticallyEqual, listAt, setIfAbsent } from '../fields.ts'
import { validateEndpointSlice, validateEndpointSliceUpdate } from './endpoint-slice-validation.ts'

export const endpointSliceStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  validate: slice => validateEndpointSlice(slice),
  validateUpdate: validateEndpointSliceUpdate,
  setDefaults(slice) {
    for (const port of listAt(slice, 'ports')) {
      setIfAbsent(port, 'name', '')
      setIfAbsent(port, 'protocol', 'TCP')
    }
  },
  generationChanges(slice, old) {
    const { metadata, ...content } = slice
    const { metadata: oldMetadata, ...oldContent } = old
    return !isSemanticallyEqual(content, oldContent) || !isSemanticallyEqual(metadata.labels, oldMetadata.labels)
  },
}
