import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { ensureObject, setIfAbsent, setIfZero } from '../fields.ts'
import { nameWarnings, templateWarnings } from '../pod-warnings.ts'
import { setJobSpecDefaults } from './job.ts'
import { validateCronJob } from './job-validation.ts'

export const cronJobStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  setDefaults(cronJob) {
    const spec = ensureObject(cronJob, 'spec')
    setIfZero(spec, 'concurrencyPolicy', 'Allow')
    setIfAbsent(spec, 'suspend', false)
    setIfAbsent(spec, 'successfulJobsHistoryLimit', 3)
    setIfAbsent(spec, 'failedJobsHistoryLimit', 1)
    setJobSpecDefaults(ensureObject(ensureObject(spec, 'jobTemplate'), 'spec'))
  },
  validate: cronJob => validateCronJob(cronJob),
  validateUpdate: validateCronJob,
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object.metadata.name ?? '', 'Pod names and hostnames') : []),
    ...templateWarnings(object, old, 'spec.jobTemplate.spec.template'),
  ],
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
