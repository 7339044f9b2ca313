import type { KubeObject } from '@tiphys/kube'
import { parseApiVersion } from '@tiphys/kube'
import {
  type Fields,
  flagAt,
  intOrStringAt,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textMapAt,
} from '../fields.ts'
import { formatLabelSelector } from '../label-selector-validation.ts'
import { formatAge, formatDuration } from './age.ts'
import { containerImages, containerNames, formatLabels } from './cells.ts'
import { ageColumn, type Column, column, nameColumn, table } from './columns.ts'

const spec = (object: KubeObject) => objectAt(object, 'spec')
const status = (object: KubeObject) => objectAt(object, 'status')
const podSpec = (object: KubeObject) => objectAt(objectAt(spec(object), 'template'), 'spec')
const statusCount = (name: string, field: string) =>
  column(name, object => numberAt(status(object), field), { type: 'integer' })
const selector = (object: KubeObject) => formatLabelSelector(optionalObjectAt(spec(object), 'selector'))

const containers: Column[] = [
  column('Containers', object => containerNames(podSpec(object)), { wide: true }),
  column('Images', object => containerImages(podSpec(object)), { wide: true }),
]
const selectorColumn = column('Selector', selector, { wide: true })
const readyColumn = column(
  'Ready',
  object => `${numberAt(status(object), 'readyReplicas')}/${numberAt(spec(object), 'replicas')}`,
)
const replicaColumns = [
  column('Desired', object => numberAt(spec(object), 'replicas'), { type: 'integer' }),
  statusCount('Current', 'replicas'),
  statusCount('Ready', 'readyReplicas'),
]

export const deploymentColumns = table(
  nameColumn,
  readyColumn,
  column('Up-to-date', object => numberAt(status(object), 'updatedReplicas')),
  column('Available', object => numberAt(status(object), 'availableReplicas')),
  ageColumn,
  ...containers,
  selectorColumn,
)

export const replicaSetColumns = table(nameColumn, ...replicaColumns, ageColumn, ...containers, selectorColumn)

export const replicationControllerColumns = table(
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...containers,
  column('Selector', object => formatLabels(textMapAt(spec(object), 'selector')), { wide: true }),
)

export const statefulSetColumns = table(nameColumn, readyColumn, ageColumn, ...containers)

export const daemonSetColumns = table(
  nameColumn,
  statusCount('Desired', 'desiredNumberScheduled'),
  statusCount('Current', 'currentNumberScheduled'),
  statusCount('Ready', 'numberReady'),
  statusCount('Up-to-date', 'updatedNumberScheduled'),
  statusCount('Available', 'numberAvailable'),
  column('Node Selector', object => formatLabels(textMapAt(podSpec(object), 'nodeSelector'))),
  ageColumn,
  ...containers,
  selectorColumn,
)

export const controllerRevisionColumns = table(
  nameColumn,
  column('Controller', controllerName),
  column('Revision', object => numberAt(object, 'revision')),
  ageColumn,
)

function controllerName(object: KubeObject): string {
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return '<none>'
  const { group } = parseApiVersion(owner.apiVersion)
  return `${(group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`
}

export const podTemplateColumns = table(
  nameColumn,
  column('Containers', object => containerNames(objectAt(objectAt(object, 'template'), 'spec'))),
  column('Images', object => containerImages(objectAt(objectAt(object, 'template'), 'spec'))),
  column('Pod Labels', object => formatLabels(textMapAt(objectAt(objectAt(object, 'template'), 'metadata'), 'labels'))),
)

export const jobColumns = table(
  nameColumn,
  column('Status', jobStatus),
  column('Completions', completions),
  column('Duration', (job, now) => {
    const started = textAt(status(job), 'startTime')
    if (started === '') return ''
    const completed = textAt(status(job), 'completionTime')
    return formatDuration((completed === '' ? now : Date.parse(completed)) - Date.parse(started))
  }),
  ageColumn,
  ...containers,
  selectorColumn,
)

function completions(job: KubeObject): string {
  const succeeded = numberAt(status(job), 'succeeded')
  const wanted = optionalNumberAt(spec(job), 'completions')
  if (wanted !== undefined) return `${succeeded}/${wanted}`
  const parallelism = numberAt(spec(job), 'parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobStatus(job: KubeObject): string {
  const holds = (type: string) =>
    listAt(status(job), 'conditions').some(each => textAt(each, 'type') === type && textAt(each, 'status') === 'True')
  if (holds('Complete')) return 'Complete'
  if (holds('Failed')) return 'Failed'
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running'
}

const jobTemplate = (object: KubeObject) => objectAt(objectAt(spec(object), 'jobTemplate'), 'spec')
const jobPodSpec = (object: KubeObject) => objectAt(objectAt(jobTemplate(object), 'template'), 'spec')

export const cronJobColumns = table(
  nameColumn,
  column('Schedule', object => textAt(spec(object), 'schedule')),
  column('Timezone', object => optionalTextAt(spec(object), 'timeZone') ?? '<none>'),
  column('Suspend', suspended, { type: 'boolean' }),
  column('Active', object => listAt(status(object), 'active').length, { type: 'integer' }),
  column('Last Schedule', (object, now) => {
    const last = textAt(status(object), 'lastScheduleTime')
    return last === '' ? '<none>' : formatAge(last, now)
  }),
  ageColumn,
  column('Containers', object => containerNames(jobPodSpec(object)), { wide: true }),
  column('Images', object => containerImages(jobPodSpec(object)), { wide: true }),
  column('Selector', object => formatLabelSelector(optionalObjectAt(jobTemplate(object), 'selector')), { wide: true }),
)

// The column is declared as a boolean and filled with Go's word for it.
function suspended(object: KubeObject): string {
  if (!isPresent(spec(object), 'suspend')) return '<unset>'
  return flagAt(spec(object), 'suspend') ? 'True' : 'False'
}

export const podDisruptionBudgetColumns = table(
  nameColumn,
  column('Min Available', object => String(intOrStringAt(spec(object), 'minAvailable') ?? 'N/A')),
  column('Max Unavailable', object => String(intOrStringAt(spec(object), 'maxUnavailable') ?? 'N/A')),
  statusCount('Allowed Disruptions', 'disruptionsAllowed'),
  ageColumn,
)

export const horizontalPodAutoscalerColumns = table(
  nameColumn,
  column('Reference', object => {
    const target = objectAt(spec(object), 'scaleTargetRef')
    return `${textAt(target, 'kind')}/${textAt(target, 'name')}`
  }),
  column('Targets', metrics),
  column('MinPods', object => String(optionalNumberAt(spec(object), 'minReplicas') ?? '<unset>')),
  column('MaxPods', object => numberAt(spec(object), 'maxReplicas')),
  column('Replicas', object => numberAt(status(object), 'currentReplicas')),
  ageColumn,
)

function metrics(autoscaler: KubeObject): string {
  const specs = metricsOf(autoscaler)
  if (specs.length === 0) return '<none>'
  const current = listAt(status(autoscaler), 'currentMetrics')
  const texts = specs.map((metric, i) => formatMetric(metric, current[i], autoscaler))
  const shown = texts.slice(0, 2).join(', ')
  return texts.length > 2 ? `${shown} + ${texts.length - 2} more...` : shown
}

// v1 shows its one metric in a field of its own.
function metricsOf(autoscaler: KubeObject): Fields[] {
  const target = optionalNumberAt(spec(autoscaler), 'targetCPUUtilizationPercentage')
  if (target === undefined) return listAt(spec(autoscaler), 'metrics')
  return [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: target } } }]
}

function formatMetric(metric: Fields, now: Fields | undefined, autoscaler: KubeObject): string {
  const type = textAt(metric, 'type')
  const name = type.charAt(0).toLowerCase() + type.slice(1)
  const source = objectAt(metric, name)
  const target = objectAt(source, 'target')
  const current = optionalObjectAt(objectAt(now, name), 'current')
  const average = optionalTextAt(target, 'averageValue')
  if (name === 'resource' || name === 'containerResource') {
    const label = `${textAt(source, 'name')}: `
    if (average !== undefined) return `${label}${optionalTextAt(current, 'averageValue') ?? '<unknown>'}/${average}`
    const used =
      optionalNumberAt(current, 'averageUtilization') ??
      optionalNumberAt(status(autoscaler), 'currentCPUUtilizationPercentage')
    const wanted = optionalNumberAt(target, 'averageUtilization')
    return `${label}${used === undefined ? '<unknown>' : `${used}%`}/${wanted === undefined ? '<auto>' : `${wanted}%`}`
  }
  if (name === 'pods') return `${optionalTextAt(current, 'averageValue') ?? '<unknown>'}/${average ?? '0'}`
  if (average !== undefined) return `${optionalTextAt(current, 'averageValue') ?? '<unknown>'}/${average} (avg)`
  return `${optionalTextAt(current, 'value') ?? '<unknown>'}/${textAt(target, 'value')}`
}
