import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { copyOf, ensureObject, type Fields, isPresent, objectAt, setIfZero, textAt, textMapAt } from '../fields.ts'
import { setPersistentVolumeClaimSpecDefaults } from '../pod-template.ts'
import { roundUpResourceList } from '../quantity.ts'
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimUpdate,
} from './persistent-volume-claim-validation.ts'

export function setPersistentVolumeClaimDefaults(claim: Fields): void {
  const status = ensureObject(claim, 'status')
  setIfZero(status, 'phase', 'Pending')
  roundUpResourceList(textMapAt(status, 'capacity'))
  setPersistentVolumeClaimSpecDefaults(ensureObject(claim, 'spec'))
}

/** `dataSource` and `dataSourceRef` say the same for claims and snapshots: each fills in the other. */
function mirrorDataSources(spec: Fields): void {
  if (isPresent(spec, 'dataSource') && !isPresent(spec, 'dataSourceRef')) {
    spec.dataSourceRef = copyOf(spec.dataSource)
    return
  }
  if (isPresent(spec, 'dataSource') || !isPresent(spec, 'dataSourceRef')) return
  const reference = objectAt(spec, 'dataSourceRef')
  if (textAt(reference, 'namespace') !== '') return
  spec.dataSource = copyOf(reference)
}

// The older of the two fields knows claims and snapshots only; the real server drops anything else from it silently.
function dropForeignDataSource(spec: Fields): void {
  const source = objectAt(spec, 'dataSource')
  const group = textAt(source, 'apiGroup')
  const kind = textAt(source, 'kind')
  const isKnown =
    (group === '' && kind === 'PersistentVolumeClaim') ||
    (group === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot')
  if (!isKnown) delete spec.dataSource
}

export const persistentVolumeClaimStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults: setPersistentVolumeClaimDefaults,
  prepareForCreate(claim) {
    dropStatus(claim)
    claim.status = { phase: 'Pending' }
    dropForeignDataSource(ensureObject(claim, 'spec'))
    mirrorDataSources(ensureObject(claim, 'spec'))
  },
  prepareForUpdate(claim, old) {
    keepOldStatus(claim, old)
    mirrorDataSources(ensureObject(claim, 'spec'))
  },
  validate: validatePersistentVolumeClaim,
  validateUpdate: validatePersistentVolumeClaimUpdate,
  prepareForStatusUpdate: keepOldSpec,
}
