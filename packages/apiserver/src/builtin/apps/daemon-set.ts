import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { ensureObject, isSemanticallyEqual, objectAt, setIfAbsent, setIfZero, textAt } from '../fields.ts'
import { setPodTemplateDefaults } from '../pod-template.ts'
import { templateWarnings } from '../pod-warnings.ts'
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from './workload-validation.ts'

/** How often the template changed, kept in an annotation since apps/v1 has no field for it. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

function setDefaults(daemonSet: KubeObject): void {
  const spec = ensureObject(daemonSet, 'spec')
  const strategy = ensureObject(spec, 'updateStrategy')
  setIfZero(strategy, 'type', 'RollingUpdate')
  if (textAt(strategy, 'type') === 'RollingUpdate') {
    const rollingUpdate = ensureObject(strategy, 'rollingUpdate')
    setIfAbsent(rollingUpdate, 'maxUnavailable', 1)
    setIfAbsent(rollingUpdate, 'maxSurge', 0)
  }
  setIfAbsent(spec, 'revisionHistoryLimit', 10)
  setPodTemplateDefaults(spec)
  if (daemonSet.metadata.annotations?.[TEMPLATE_GENERATION] === undefined) setTemplateGeneration(daemonSet, 0)
}

function templateGeneration(daemonSet: KubeObject): number {
  const text = daemonSet.metadata.annotations?.[TEMPLATE_GENERATION] ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : 0
}

function setTemplateGeneration(daemonSet: KubeObject, generation: number): void {
  daemonSet.metadata.annotations = {
    ...daemonSet.metadata.annotations,
    [TEMPLATE_GENERATION]: String(generation),
  }
}

export const daemonSetStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  setDefaults,
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
  validateStatusUpdate: validateDaemonSetStatus,
  warnings: (object, old) => templateWarnings(object, old),
  prepareForCreate(daemonSet) {
    dropStatus(daemonSet)
    setTemplateGeneration(daemonSet, Math.max(templateGeneration(daemonSet), 1))
  },
  prepareForUpdate(daemonSet, old) {
    keepOldStatus(daemonSet, old)
    const isSameTemplate = isSemanticallyEqual(objectAt(daemonSet, 'spec').template, objectAt(old, 'spec').template)
    setTemplateGeneration(daemonSet, templateGeneration(old) + (isSameTemplate ? 0 : 1))
  },
  prepareForStatusUpdate: keepOldSpec,
}
