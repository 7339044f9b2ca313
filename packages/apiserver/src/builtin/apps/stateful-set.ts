import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { setPersistentVolumeClaimDefaults } from '../core/persistent-volume-claim.ts'
import { ensureObject, listAt, optionalObjectAt, setIfAbsent, setIfZero, textAt } from '../fields.ts'
import { setPodTemplateDefaults } from '../pod-template.ts'
import { templateWarnings } from '../pod-warnings.ts'
import { validateStatefulSet, validateStatefulSetStatus, validateStatefulSetUpdate } from './workload-validation.ts'

function setDefaults(statefulSet: KubeObject): void {
  const spec = ensureObject(statefulSet, 'spec')
  setIfZero(spec, 'podManagementPolicy', 'OrderedReady')
  const strategy = ensureObject(spec, 'updateStrategy')
  if (textAt(strategy, 'type') === '') {
    strategy.type = 'RollingUpdate'
    setIfAbsent(strategy, 'rollingUpdate', {})
  }
  const rollingUpdate = optionalObjectAt(strategy, 'rollingUpdate')
  if (textAt(strategy, 'type') === 'RollingUpdate' && rollingUpdate !== undefined) {
    setIfAbsent(rollingUpdate, 'partition', 0)
  }
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy')
  setIfZero(retention, 'whenDeleted', 'Retain')
  setIfZero(retention, 'whenScaled', 'Retain')
  setIfAbsent(spec, 'replicas', 1)
  setIfAbsent(spec, 'revisionHistoryLimit', 10)
  setPodTemplateDefaults(spec)
  for (const claim of listAt(spec, 'volumeClaimTemplates')) {
    setIfZero(claim, 'apiVersion', 'v1')
    setIfZero(claim, 'kind', 'PersistentVolumeClaim')
    setPersistentVolumeClaimDefaults(claim)
  }
}

export const statefulSetStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  setDefaults,
  nameRule: 'label',
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  validateStatusUpdate: validateStatefulSetStatus,
  warnings: (object, old) => templateWarnings(object, old),
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
