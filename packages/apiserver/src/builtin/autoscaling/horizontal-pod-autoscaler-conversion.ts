import type { KubeObject } from '@tiphys/kube'
import { jsonCopy } from '../../json-value.ts'
import {
  copyOf,
  ensureObject,
  type Fields,
  isPresent,
  listAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  textAt,
} from '../fields.ts'

export const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics'
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'
export const DEFAULT_CPU_UTILIZATION = 80

/** v1 knows one metric, the CPU utilization. Whatever else v2 has travels in annotations of the v1 form. */
export function convertAutoscaler(autoscaler: KubeObject, version: string): KubeObject {
  const converted = jsonCopy(autoscaler)
  if (autoscaler.apiVersion === `autoscaling/${version}`) return converted
  converted.apiVersion = `autoscaling/${version}`
  if (version === 'v1') toV1(converted)
  else toV2(converted)
  if (Object.keys(converted.metadata.annotations ?? {}).length === 0) delete converted.metadata.annotations
  return converted
}

function toV1(autoscaler: KubeObject): void {
  const spec = ensureObject(autoscaler, 'spec')
  const status = optionalObjectAt(autoscaler, 'status')
  const metrics = listAt(spec, 'metrics')
  const cpu = metrics.find(isCpuUtilization)
  if (cpu !== undefined) spec.targetCPUUtilizationPercentage = cpuUtilization(cpu)
  const annotations: Record<string, string> = { ...autoscaler.metadata.annotations }
  for (const name of [METRICS_ANNOTATION, CURRENT_METRICS, CONDITIONS, BEHAVIOR]) delete annotations[name]
  const others = metrics.filter(metric => !isCpuUtilization(metric)).map(metricToV1)
  if (others.length > 0) annotations[METRICS_ANNOTATION] = JSON.stringify(others)
  const current = listAt(status, 'currentMetrics')
  if (current.length > 0) annotations[CURRENT_METRICS] = JSON.stringify(current.map(currentMetricToV1))
  if (isPresent(spec, 'behavior')) annotations[BEHAVIOR] = JSON.stringify(spec.behavior)
  const conditions = listAt(status, 'conditions')
  if (conditions.length > 0) annotations[CONDITIONS] = JSON.stringify(conditions)
  autoscaler.metadata.annotations = annotations
  delete spec.metrics
  delete spec.behavior
  if (status === undefined) return
  const currentCpu = current.find(
    metric => textAt(metric, 'type') === 'Resource' && textAt(objectAt(metric, 'resource'), 'name') === 'cpu',
  )
  const utilization = optionalNumberAt(objectAt(objectAt(currentCpu, 'resource'), 'current'), 'averageUtilization')
  if (utilization !== undefined) status.currentCPUUtilizationPercentage = utilization
  delete status.currentMetrics
  delete status.conditions
}

function toV2(autoscaler: KubeObject): void {
  const spec = ensureObject(autoscaler, 'spec')
  const status = optionalObjectAt(autoscaler, 'status')
  const annotations: Record<string, string> = { ...autoscaler.metadata.annotations }
  const target = optionalNumberAt(spec, 'targetCPUUtilizationPercentage')
  const metrics = (parsed(annotations[METRICS_ANNOTATION]) as Fields[] | undefined)?.map(metricToV2) ?? []
  if (target !== undefined) metrics.push(cpuMetric(target))
  if (metrics.length === 0) metrics.push(cpuMetric(DEFAULT_CPU_UTILIZATION))
  spec.metrics = metrics
  delete spec.targetCPUUtilizationPercentage
  const behavior = parsed(annotations[BEHAVIOR]) as Fields | undefined
  if (behavior !== undefined && Object.keys(behavior).length > 0) spec.behavior = behavior
  const conditions = parsed(annotations[CONDITIONS])
  const current = parsed(annotations[CURRENT_METRICS]) as Fields[] | undefined
  for (const name of [METRICS_ANNOTATION, CURRENT_METRICS, CONDITIONS, BEHAVIOR]) delete annotations[name]
  autoscaler.metadata.annotations = annotations
  if (status === undefined) return
  if (conditions !== undefined) status.conditions = conditions
  if (current !== undefined) status.currentMetrics = current.map(currentMetricToV2)
  delete status.currentCPUUtilizationPercentage
}

// An annotation that a client broke is not an error: the server then goes without it.
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const cpuMetric = (averageUtilization: number): Fields => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

const cpuUtilization = (metric: Fields) =>
  optionalNumberAt(objectAt(objectAt(metric, 'resource'), 'target'), 'averageUtilization')

function isCpuUtilization(metric: Fields): boolean {
  return (
    textAt(metric, 'type') === 'Resource' &&
    textAt(objectAt(metric, 'resource'), 'name') === 'cpu' &&
    cpuUtilization(metric) !== undefined
  )
}

function withoutAbsent(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Each kind of metric under its own name: v1 has the target's value beside the name, v2 in `target` and `metric`. */
function metricToV1(metric: Fields): Fields {
  const converted: Fields = { type: metric.type }
  for (const name of ['resource', 'containerResource'] as const) {
    const source = optionalObjectAt(metric, name)
    if (source === undefined) continue
    const target = objectAt(source, 'target')
    converted[name] = withoutAbsent({
      name: source.name,
      targetAverageUtilization: target.averageUtilization,
      targetAverageValue: target.averageValue,
      container: source.container,
    })
  }
  const pods = optionalObjectAt(metric, 'pods')
  if (pods !== undefined) {
    converted.pods = withoutAbsent({
      metricName: objectAt(pods, 'metric').name,
      targetAverageValue: objectAt(pods, 'target').averageValue ?? '0',
      selector: objectAt(pods, 'metric').selector,
    })
  }
  const object = optionalObjectAt(metric, 'object')
  if (object !== undefined) {
    converted.object = withoutAbsent({
      target: copyOf(object.describedObject),
      metricName: objectAt(object, 'metric').name,
      targetValue: objectAt(object, 'target').value ?? '0',
      selector: objectAt(object, 'metric').selector,
      averageValue: objectAt(object, 'target').averageValue,
    })
  }
  const external = optionalObjectAt(metric, 'external')
  if (external !== undefined) {
    converted.external = withoutAbsent({
      metricName: objectAt(external, 'metric').name,
      metricSelector: objectAt(external, 'metric').selector,
      targetValue: objectAt(external, 'target').value,
      targetAverageValue: objectAt(external, 'target').averageValue,
    })
  }
  return converted
}

function metricToV2(metric: Fields): Fields {
  const converted: Fields = { type: metric.type }
  for (const name of ['resource', 'containerResource'] as const) {
    const source = optionalObjectAt(metric, name)
    if (source === undefined) continue
    const utilization = source.targetAverageUtilization
    const target = withoutAbsent({
      type: utilization === undefined ? 'AverageValue' : 'Utilization',
      averageValue: source.targetAverageValue,
      averageUtilization: utilization,
    })
    converted[name] = withoutAbsent({ name: source.name, container: source.container, target })
  }
  const pods = optionalObjectAt(metric, 'pods')
  if (pods !== undefined) {
    converted.pods = {
      metric: withoutAbsent({ name: pods.metricName, selector: pods.selector }),
      target: { type: 'AverageValue', averageValue: pods.targetAverageValue ?? '0' },
    }
  }
  const object = optionalObjectAt(metric, 'object')
  if (object !== undefined) {
    const isAverage = isPresent(object, 'averageValue')
    const value = isAverage && (object.targetValue ?? '0') === '0' ? undefined : (object.targetValue ?? '0')
    converted.object = {
      describedObject: copyOf(object.target),
      target: withoutAbsent({ type: isAverage ? 'AverageValue' : 'Value', value, averageValue: object.averageValue }),
      metric: withoutAbsent({ name: object.metricName, selector: object.selector }),
    }
  }
  const external = optionalObjectAt(metric, 'external')
  if (external !== undefined) {
    converted.external = {
      metric: withoutAbsent({ name: external.metricName, selector: external.metricSelector }),
      target: withoutAbsent({
        type: isPresent(external, 'targetValue') ? 'Value' : 'AverageValue',
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }),
    }
  }
  return converted
}

function currentMetricToV1(metric: Fields): Fields {
  const converted: Fields = { type: metric.type }
  for (const name of ['resource', 'containerResource', 'pods', 'object', 'external'] as const) {
    const source = optionalObjectAt(metric, name)
    if (source === undefined) continue
    const current = objectAt(source, 'current')
    const identity = objectAt(source, 'metric')
    const forms: Record<typeof name, Fields> = {
      resource: {
        name: source.name,
        currentAverageUtilization: current.averageUtilization,
        currentAverageValue: current.averageValue ?? '0',
      },
      containerResource: {
        name: source.name,
        currentAverageUtilization: current.averageUtilization,
        currentAverageValue: current.averageValue ?? '0',
        container: source.container,
      },
      pods: {
        metricName: identity.name,
        currentAverageValue: current.averageValue ?? '0',
        selector: identity.selector,
      },
      object: {
        target: copyOf(source.describedObject),
        metricName: identity.name,
        currentValue: current.value ?? '0',
        selector: identity.selector,
        averageValue: current.averageValue,
      },
      external: {
        metricName: identity.name,
        metricSelector: identity.selector,
        currentValue: current.value ?? '0',
        currentAverageValue: current.averageValue,
      },
    }
    converted[name] = withoutAbsent(forms[name])
  }
  return converted
}

function currentMetricToV2(metric: Fields): Fields {
  const converted: Fields = { type: metric.type }
  for (const name of ['resource', 'containerResource', 'pods', 'object', 'external'] as const) {
    const source = optionalObjectAt(metric, name)
    if (source === undefined) continue
    const identity = withoutAbsent({
      name: source.metricName,
      selector: name === 'external' ? source.metricSelector : source.selector,
    })
    const averageOnly = withoutAbsent({
      averageValue: source.currentAverageValue ?? '0',
      averageUtilization: source.currentAverageUtilization,
    })
    const forms: Record<typeof name, Fields> = {
      resource: { name: source.name, current: averageOnly },
      containerResource: { name: source.name, container: source.container, current: averageOnly },
      pods: { metric: identity, current: { averageValue: source.currentAverageValue ?? '0' } },
      object: {
        describedObject: copyOf(source.target),
        metric: identity,
        current: withoutAbsent({ value: source.currentValue ?? '0', averageValue: source.averageValue }),
      },
      external: {
        metric: identity,
        current: withoutAbsent({ value: source.currentValue ?? '0', averageValue: source.currentAverageValue }),
      },
    }
    converted[name] = forms[name]
  }
  return converted
}
