import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { ensureObject, type Fields, isPresent, listAt, optionalObjectAt, setIfAbsent } from '../fields.ts'
import {
  convertAutoscaler,
  DEFAULT_CPU_UTILIZATION,
  METRICS_ANNOTATION,
} from './horizontal-pod-autoscaler-conversion.ts'
import { validateAutoscaler, validateAutoscalerStatus } from './horizontal-pod-autoscaler-validation.ts'

const PERIOD_SECONDS = 15

function setDefaults(autoscaler: KubeObject): void {
  const spec = ensureObject(autoscaler, 'spec')
  setIfAbsent(spec, 'minReplicas', 1)
  if (autoscaler.apiVersion === 'autoscaling/v1') {
    if (autoscaler.metadata.annotations?.[METRICS_ANNOTATION] === undefined) {
      setIfAbsent(spec, 'targetCPUUtilizationPercentage', DEFAULT_CPU_UTILIZATION)
    }
    return
  }
  if (listAt(spec, 'metrics').length === 0) {
    const target = { type: 'Utilization', averageUtilization: DEFAULT_CPU_UTILIZATION }
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }]
  }
  const behavior = optionalObjectAt(spec, 'behavior')
  if (behavior !== undefined) setBehaviorDefaults(behavior)
}

function setBehaviorDefaults(behavior: Fields): void {
  const up = ensureObject(behavior, 'scaleUp')
  setIfAbsent(up, 'stabilizationWindowSeconds', 0)
  setIfAbsent(up, 'selectPolicy', 'Max')
  setPolicies(up, [
    { type: 'Pods', value: 4, periodSeconds: PERIOD_SECONDS },
    { type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS },
  ])
  const down = ensureObject(behavior, 'scaleDown')
  setIfAbsent(down, 'selectPolicy', 'Max')
  setPolicies(down, [{ type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS }])
}

function setPolicies(rules: Fields, policies: Fields[]): void {
  if (!isPresent(rules, 'policies')) rules.policies = policies
}

export const horizontalPodAutoscalerStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  setDefaults,
  validate: autoscaler => validateAutoscaler(convertAutoscaler(autoscaler, 'v2')),
  validateUpdate: (autoscaler, old) =>
    validateAutoscaler(convertAutoscaler(autoscaler, 'v2'), convertAutoscaler(old, 'v2')),
  validateStatusUpdate: validateAutoscalerStatus,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
  convert: convertAutoscaler,
}
