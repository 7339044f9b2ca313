import { goQuote, type KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import {
  ensureObject,
  type Fields,
  flagAt,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  setIfAbsent,
  setIfZero,
  textMapAt,
} from '../fields.ts'
import { setPodTemplateDefaults } from '../pod-template.ts'
import { nameWarnings, templateWarnings } from '../pod-warnings.ts'
import { validateJob, validateJobStatus, validateJobUpdate } from './job-validation.ts'

const UNLIMITED_BACKOFF = 2147483647

function setDefaults(job: KubeObject): void {
  const spec = ensureObject(job, 'spec')
  if (!isPresent(spec, 'completions') && !isPresent(spec, 'parallelism')) spec.completions = 1
  setIfAbsent(spec, 'parallelism', 1)
  setIfAbsent(spec, 'backoffLimit', isPresent(spec, 'backoffLimitPerIndex') ? UNLIMITED_BACKOFF : 6)
  const labels = textMapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  if (Object.keys(labels).length > 0 && Object.keys(job.metadata.labels ?? {}).length === 0) {
    job.metadata.labels = labels
  }
  setIfAbsent(spec, 'completionMode', 'NonIndexed')
  setIfAbsent(spec, 'suspend', false)
  setIfAbsent(spec, 'podReplacementPolicy', isPresent(spec, 'podFailurePolicy') ? 'Failed' : 'TerminatingOrFailed')
  setIfAbsent(spec, 'manualSelector', false)
  setJobSpecDefaults(spec)
}

/** What a Job and the job template of a CronJob have in common: the rest is left to the Job that is made of it. */
export function setJobSpecDefaults(spec: Fields): void {
  for (const rule of listAt(objectAt(spec, 'podFailurePolicy'), 'rules')) {
    for (const pattern of listAt(rule, 'onPodConditions')) setIfZero(pattern, 'status', 'True')
  }
  setPodTemplateDefaults(spec)
}

/** A job finds its pods by its own uid, unless the client asked to choose the selector itself. */
function generateSelector(job: KubeObject): void {
  const spec = ensureObject(job, 'spec')
  if (flagAt(spec, 'manualSelector')) return
  const { name = '', uid = '' } = job.metadata
  const labels = ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels')
  // A job without labels takes those of its template, with what is added to them here.
  const areShared = Object.keys(job.metadata.labels ?? {}).length === 0 || job.metadata.labels === labels
  setIfAbsent(labels, 'job-name', name)
  setIfAbsent(labels, 'batch.kubernetes.io/job-name', name)
  setIfAbsent(labels, 'controller-uid', uid)
  setIfAbsent(labels, 'batch.kubernetes.io/controller-uid', uid)
  setIfAbsent(ensureObject(ensureObject(spec, 'selector'), 'matchLabels'), 'batch.kubernetes.io/controller-uid', uid)
  if (areShared) job.metadata.labels = { ...textMapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels') }
}

export const jobStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  orphansDependentsByDefault: true,
  setDefaults,
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object.metadata.name ?? '', 'Pod names and hostnames') : []),
    ...templateWarnings(object, old),
  ],
  prepareForCreate(job) {
    generateSelector(job)
    dropStatus(job)
  },
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatus,
  fieldNames: ['status.successful'],
  fields: job => ({ 'status.successful': String(numberAt(objectAt(job, 'status'), 'succeeded')) }),
  unsupportedFieldText: field => `field label ${goQuote(field)} not supported for Job`,
}
