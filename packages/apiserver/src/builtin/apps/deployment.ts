import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { copyOf, ensureObject, isSemanticallyEqual, setIfAbsent, setIfZero, textAt } from '../fields.ts'
import { setPodTemplateDefaults } from '../pod-template.ts'
import { nameWarnings, templateWarnings } from '../pod-warnings.ts'
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from './workload-validation.ts'

function setDefaults(deployment: KubeObject): void {
  const spec = ensureObject(deployment, 'spec')
  setIfAbsent(spec, 'replicas', 1)
  const strategy = ensureObject(spec, 'strategy')
  setIfZero(strategy, 'type', 'RollingUpdate')
  if (textAt(strategy, 'type') === 'RollingUpdate') {
    const rollingUpdate = ensureObject(strategy, 'rollingUpdate')
    setIfAbsent(rollingUpdate, 'maxUnavailable', '25%')
    setIfAbsent(rollingUpdate, 'maxSurge', '25%')
  }
  setIfAbsent(spec, 'revisionHistoryLimit', 10)
  setIfAbsent(spec, 'progressDeadlineSeconds', 600)
  setPodTemplateDefaults(spec)
}

export const deploymentStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  setDefaults,
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatus,
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object.metadata.name ?? '', 'Pod names and hostnames') : []),
    ...templateWarnings(object, old),
  ],
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate(deployment, old) {
    keepOldSpec(deployment, old)
    if (old.metadata.labels === undefined) delete deployment.metadata.labels
    else deployment.metadata.labels = copyOf(old.metadata.labels)
  },
  generationChanges: (deployment, old) =>
    !isSemanticallyEqual(deployment.spec, old.spec) ||
    !isSemanticallyEqual(deployment.metadata.annotations, old.metadata.annotations),
}
