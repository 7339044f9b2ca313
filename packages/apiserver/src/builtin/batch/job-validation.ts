import { asError } from '@tiphys/env'
import { parseCron } from '@tiphys/expressions/cron'
import { loadTimeZone } from '@tiphys/expressions/time-zone'
import { goQuote, type KubeObject } from '@tiphys/kube'
import {
  child,
  duplicate,
  type FieldError,
  index,
  invalid,
  key,
  notSupported,
  OMITTED_VALUE,
  required,
  tooLong,
  tooMany,
} from '../../field-error.ts'
import { internalForm } from '../core/internal-form.ts'
import { checkedBy, validateNonNegative, validateNonNegativeField, validateOneOf } from '../field-checks.ts'
import {
  copyOf,
  ensureObject,
  type Fields,
  flagAt,
  isPresent,
  isSemanticallyEqual,
  listAt,
  numbersAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textMapAt,
} from '../fields.ts'
import {
  isUsableSelector,
  selectorMatches,
  sortedLabels,
  sortedSelector,
  validateLabelSelector,
} from '../label-selector-validation.ts'
import { checkLabel, checkQualifiedName, checkSubdomain, HTTP_PATH_MISMATCH, isHttpPath } from '../names.ts'
import { FIELD_IS_IMMUTABLE, validateImmutableField } from '../object-meta.ts'
import { validatePodTemplate } from '../pod-template-validation.ts'

const MOST_INDEXED = 100_000
const FAILURE_ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore']

export function validateJob(job: KubeObject): FieldError[] {
  const spec = objectAt(job, 'spec')
  const errors = [...validateGeneratedSelector(job, spec), ...validateJobSpecWithSelector(spec)]
  const completions = optionalNumberAt(spec, 'completions') ?? 0
  if (textAt(spec, 'completionMode') === 'Indexed' && completions > 0) {
    const { name = '' } = job.metadata
    const longest = `${name}-${completions - 1}`
    if (checkLabel(longest).length > 0) {
      errors.push(invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`))
    }
  }
  return errors
}

function validateGeneratedSelector(job: KubeObject, spec: Fields): FieldError[] {
  const selector = optionalObjectAt(spec, 'selector')
  if (flagAt(spec, 'manualSelector') || selector === undefined) return []
  const { name = '', uid = '' } = job.metadata
  const expected = {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  }
  const labels = textMapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  const errors: FieldError[] = []
  for (const [label, value] of Object.entries(expected)) {
    const field = key('spec.template.metadata.labels', label)
    if (labels[label] === undefined) errors.push(required(field, `must be '${value}'`))
    else if (labels[label] !== value) errors.push(invalid(field, sortedLabels(labels), `must be '${value}'`))
  }
  if (!selectorMatches(selector, expected)) {
    errors.push(invalid('spec.selector', sortedSelector(selector), '`selector` not auto-generated'))
  }
  return errors
}

function validateJobSpecWithSelector(spec: Fields): FieldError[] {
  const errors = validateJobSpec(spec, 'spec')
  const selector = optionalObjectAt(spec, 'selector')
  if (selector === undefined) errors.push(required('spec.selector'))
  else errors.push(...validateLabelSelector(selector, 'spec.selector'))
  const labels = optionalObjectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  if (isUsableSelector(selector) && !selectorMatches(selector, (labels ?? {}) as Record<string, string>)) {
    const detail = '`selector` does not match template `labels`'
    errors.push(invalid('spec.template.metadata.labels', sortedLabels(labels), detail))
  }
  return errors
}

export function validateJobSpec(spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished']
  for (const name of [...counts, 'backoffLimitPerIndex', 'maxFailedIndexes']) {
    errors.push(...validateNonNegativeField(spec, name, field))
  }
  if (isPresent(spec, 'maxFailedIndexes') && !isPresent(spec, 'backoffLimitPerIndex')) {
    errors.push(required(child(field, 'backoffLimitPerIndex'), 'when maxFailedIndexes is specified'))
  }
  errors.push(...validateManagedBy(optionalTextAt(spec, 'managedBy'), child(field, 'managedBy')))
  errors.push(...validateCompletionMode(spec, field))
  if (isPresent(spec, 'podFailurePolicy')) errors.push(...validateFailurePolicy(spec, child(field, 'podFailurePolicy')))
  errors.push(...validateReplacementPolicy(spec, child(field, 'podReplacementPolicy')))
  errors.push(...validatePodTemplate(objectAt(spec, 'template'), child(field, 'template')))
  return [...errors, ...validateRestartPolicy(spec, `${field}.template.spec.restartPolicy`)]
}

function validateManagedBy(manager: string | undefined, field: string): FieldError[] {
  if (manager === undefined) return []
  const errors = validateDomainPrefixedPath(manager, field)
  if (manager.length > 63) errors.push(tooLong(field, 63))
  return errors
}

/** `example.com/path`, as controllers name themselves. */
export function validateDomainPrefixedPath(value: string, field: string): FieldError[] {
  if (value === '') return [required(field)]
  const slash = value.indexOf('/')
  const host = value.slice(0, slash)
  const path = value.slice(slash + 1)
  if (slash <= 0 || path === '') {
    return [invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  }
  const errors = checkedBy(checkSubdomain, host, field)
  if (!isHttpPath(path)) errors.push(invalid(field, path, HTTP_PATH_MISMATCH))
  return errors
}

function validateCompletionMode(spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const mode = optionalTextAt(spec, 'completionMode')
  const parallelism = optionalNumberAt(spec, 'parallelism')
  const completions = optionalNumberAt(spec, 'completions')
  const failed = optionalNumberAt(spec, 'maxFailedIndexes')
  if (mode !== undefined && !['NonIndexed', 'Indexed'].includes(mode)) {
    errors.push(notSupported(child(field, 'completionMode'), mode, ['NonIndexed', 'Indexed']))
  }
  if (mode === 'Indexed') {
    if (completions === undefined) errors.push(required(child(field, 'completions'), 'when completion mode is Indexed'))
    if (parallelism !== undefined && parallelism > MOST_INDEXED) {
      const detail = `must be less than or equal to ${MOST_INDEXED} when completion mode is Indexed`
      errors.push(invalid(child(field, 'parallelism'), parallelism, detail))
    }
    if (completions !== undefined && failed !== undefined && failed > completions) {
      errors.push(invalid(child(field, 'maxFailedIndexes'), failed, 'must be less than or equal to completions'))
    }
  } else if (mode === undefined || mode === 'NonIndexed') {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy']) {
      if (!isPresent(spec, name)) continue
      const shown = name === 'successPolicy' ? { Rules: [] } : optionalNumberAt(spec, name)
      errors.push(invalid(child(field, name), shown, 'requires indexed completion mode'))
    }
  }
  return errors
}

function validateReplacementPolicy(spec: Fields, field: string): FieldError[] {
  const policy = optionalTextAt(spec, 'podReplacementPolicy')
  if (policy === undefined) return []
  const supported = isPresent(spec, 'podFailurePolicy') ? ['Failed'] : ['Failed', 'TerminatingOrFailed']
  return supported.includes(policy) ? [] : [notSupported(field, policy, supported)]
}

function validateRestartPolicy(spec: Fields, field: string): FieldError[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy')
  if (policy === 'Always' || policy === '') return [required(field, 'valid values: "OnFailure", "Never"')]
  if (!['OnFailure', 'Never'].includes(policy)) return [notSupported(field, policy, ['OnFailure', 'Never'])]
  if (isPresent(spec, 'podFailurePolicy') && policy !== 'Never') {
    return [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')]
  }
  return []
}

const quotedList = (words: readonly string[]) => `[${words.map(word => goQuote(word)).join(' ')}]`

function validateFailurePolicy(spec: Fields, field: string): FieldError[] {
  const rules = listAt(objectAt(spec, 'podFailurePolicy'), 'rules')
  const errors = rules.length > 20 ? [tooMany(child(field, 'rules'), rules.length, 20)] : []
  const podSpec = objectAt(objectAt(spec, 'template'), 'spec')
  const names = [...listAt(podSpec, 'containers'), ...listAt(podSpec, 'initContainers')].map(each =>
    textAt(each, 'name'),
  )
  for (const [i, rule] of rules.entries()) {
    const at = index(child(field, 'rules'), i)
    const action = textAt(rule, 'action')
    if (action === '') errors.push(required(child(at, 'action'), `valid values: ${quotedList(FAILURE_ACTIONS)}`))
    else if (!FAILURE_ACTIONS.includes(action)) {
      errors.push(notSupported(child(at, 'action'), action, FAILURE_ACTIONS))
    } else if (action === 'FailIndex' && !isPresent(spec, 'backoffLimitPerIndex')) {
      errors.push(invalid(child(at, 'action'), action, 'requires the backoffLimitPerIndex to be set'))
    }
    const exitCodes = optionalObjectAt(rule, 'onExitCodes')
    if (exitCodes !== undefined) errors.push(...validateExitCodes(exitCodes, names, child(at, 'onExitCodes')))
    const conditions = listAt(rule, 'onPodConditions')
    for (const [j, pattern] of conditions.entries()) {
      const patternField = `${at}.onPodConditions[${j}]`
      errors.push(...checkedBy(checkQualifiedName, textAt(pattern, 'type'), child(patternField, 'type')))
      errors.push(...validateOneOf(pattern, 'status', ['False', 'True', 'Unknown'], patternField))
    }
    if (exitCodes !== undefined && conditions.length > 0) {
      const detail = 'specifying both OnExitCodes and OnPodConditions is not supported'
      errors.push(invalid(at, OMITTED_VALUE, detail))
    } else if (exitCodes === undefined && conditions.length === 0) {
      const detail = 'specifying one of OnExitCodes and OnPodConditions is required'
      errors.push(invalid(at, OMITTED_VALUE, detail))
    }
  }
  return errors
}

function validateExitCodes(exitCodes: Fields, names: string[], field: string): FieldError[] {
  const errors: FieldError[] = []
  const operator = textAt(exitCodes, 'operator')
  const values = numbersAt(exitCodes, 'values')
  const valuesField = child(field, 'values')
  if (operator === '') errors.push(required(child(field, 'operator'), `valid values: ${quotedList(['In', 'NotIn'])}`))
  else if (!['In', 'NotIn'].includes(operator)) {
    errors.push(notSupported(child(field, 'operator'), operator, ['In', 'NotIn']))
  }
  const container = optionalTextAt(exitCodes, 'containerName')
  if (container !== undefined && !names.includes(container)) {
    const detail = 'must be one of the container or initContainer names in the pod template'
    errors.push(invalid(child(field, 'containerName'), container, detail))
  }
  if (values.length === 0) errors.push(invalid(valuesField, values, 'at least one value is required'))
  else if (values.length > 255) errors.push(tooMany(valuesField, values.length, 255))
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0) {
      errors.push(invalid(index(valuesField, i), value, 'must not be 0 for the In operator'))
    }
    if (values.indexOf(value) < i) errors.push(duplicate(index(valuesField, i), value))
  }
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value)) {
    errors.push(invalid(valuesField, values, 'must be ordered'))
  }
  return errors
}

export function validateJobUpdate(job: KubeObject, old: KubeObject): FieldError[] {
  const spec = objectAt(job, 'spec')
  const oldSpec = objectAt(old, 'spec')
  const immutable = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy']
  return [
    ...validateJob(job),
    ...validateCompletionsChange(spec, oldSpec),
    ...validateImmutableField(sortedSelector(objectAt(spec, 'selector')), oldSpec.selector, 'spec.selector'),
    ...validateTemplateChange(job, old),
    ...immutable.flatMap(name => validateImmutableField(spec[name], oldSpec[name], child('spec', name))),
  ]
}

function validateCompletionsChange(spec: Fields, oldSpec: Fields): FieldError[] {
  const completions = optionalNumberAt(spec, 'completions')
  if (completions === optionalNumberAt(oldSpec, 'completions')) return []
  if (textAt(spec, 'completionMode') !== 'Indexed') {
    return [invalid('spec.completions', completions ?? null, FIELD_IS_IMMUTABLE)]
  }
  if (completions === undefined || completions === optionalNumberAt(spec, 'parallelism')) return []
  return [invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')]
}

/** While a job is suspended and has not started, where its pods run may still be decided. */
function validateTemplateChange(job: KubeObject, old: KubeObject): FieldError[] {
  const template = objectAt(objectAt(job, 'spec'), 'template')
  const allowed = copyOf(objectAt(objectAt(old, 'spec'), 'template'))
  const isUnstarted = !isPresent(objectAt(old, 'status'), 'startTime')
  if (flagAt(objectAt(old, 'spec'), 'suspend') && isUnstarted) takeSchedulingDirectives(allowed, template)
  if (isSemanticallyEqual(template, allowed)) return []
  return [invalid('spec.template', internalForm('PodTemplateSpec', template), FIELD_IS_IMMUTABLE)]
}

function takeSchedulingDirectives(into: Fields, from: Fields): void {
  const spec = ensureObject(into, 'spec')
  const source = objectAt(from, 'spec')
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    if (source[name] === undefined) delete spec[name]
    else spec[name] = copyOf(source[name])
  }
  const nodeAffinity = objectAt(source, 'affinity').nodeAffinity
  const affinity = { ...objectAt(spec, 'affinity'), nodeAffinity: copyOf(nodeAffinity) }
  if (nodeAffinity === undefined) delete affinity.nodeAffinity
  if (Object.keys(affinity).length > 0) spec.affinity = affinity
  else delete spec.affinity
  into.metadata = { ...objectAt(into, 'metadata'), ...pick(objectAt(from, 'metadata'), ['annotations', 'labels']) }
}

function pick(fields: Fields, names: string[]): Fields {
  return Object.fromEntries(names.map(name => [name, copyOf(fields[name])]))
}

export function validateCronJob(cronJob: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(cronJob, 'spec')
  const oldSpec = old === undefined ? undefined : objectAt(old, 'spec')
  const template = objectAt(objectAt(spec, 'jobTemplate'), 'spec')
  const errors = [
    ...validateSchedule(spec, oldSpec),
    ...validateNonNegativeField(spec, 'startingDeadlineSeconds', 'spec'),
  ]
  if (oldSpec === undefined || spec.timeZone !== oldSpec.timeZone) {
    errors.push(...validateTimeZone(optionalTextAt(spec, 'timeZone')))
  }
  errors.push(...validateOneOf(spec, 'concurrencyPolicy', ['Allow', 'Forbid', 'Replace'], 'spec'))
  errors.push(...validateJobSpec(template, 'spec.jobTemplate.spec'))
  if (isPresent(template, 'selector')) {
    errors.push(invalid('spec.jobTemplate.spec.selector', template.selector, '`selector` will be auto-generated'))
  }
  if (flagAt(template, 'manualSelector')) {
    errors.push(notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']))
  }
  errors.push(...validateNonNegativeField(spec, 'successfulJobsHistoryLimit', 'spec'))
  errors.push(...validateNonNegativeField(spec, 'failedJobsHistoryLimit', 'spec'))
  const { name = '' } = cronJob.metadata
  if (old === undefined && name.length > 52) {
    errors.push(invalid('metadata.name', name, 'must be no more than 52 characters'))
  }
  return errors
}

function validateSchedule(spec: Fields, oldSpec: Fields | undefined): FieldError[] {
  const schedule = textAt(spec, 'schedule')
  const field = 'spec.schedule'
  if (schedule === '') return [required(field)]
  const problem = problemOf(() => parseCron(schedule))
  const errors = problem === undefined ? [] : [invalid(field, schedule, problem)]
  if (!schedule.includes('TZ')) return errors
  if (oldSpec === undefined || !textAt(oldSpec, 'schedule').includes('TZ')) {
    errors.push(invalid(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'))
  } else if (isPresent(spec, 'timeZone')) {
    errors.push(invalid(field, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'))
  }
  return errors
}

function validateTimeZone(zone: string | undefined): FieldError[] {
  const field = 'spec.timeZone'
  if (zone === undefined) return []
  if (zone === '') return [invalid(field, zone, 'timeZone must be nil or non-empty string')]
  const isMalformed = zone
    .split('/')
    .some(part => part === '.' || part === '..' || !/^(?!-)[A-Za-z\d.\-_+]{1,14}$/.test(part))
  if (isMalformed) return [invalid(field, zone, `unknown time zone ${zone}`)]
  const errors: FieldError[] = []
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    errors.push(invalid(field, zone, detail))
  }
  // Go's own name for the machine's zone can be loaded; it is refused above.
  const problem = zone === 'Local' ? undefined : problemOf(() => loadTimeZone(zone))
  if (problem !== undefined) errors.push(invalid(field, zone, problem))
  return errors
}

function problemOf(parse: () => unknown): string | undefined {
  try {
    parse()
    return undefined
  } catch (thrown) {
    return asError(thrown).message
  }
}

export function validateJobStatus(job: KubeObject): FieldError[] {
  const status = objectAt(job, 'status')
  return ['active', 'succeeded', 'failed', 'ready', 'terminating'].flatMap(name =>
    validateNonNegative(optionalNumberAt(status, name) ?? 0, child('status', name)),
  )
}
