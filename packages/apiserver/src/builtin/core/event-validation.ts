import type { KubeObject } from '@tiphys/kube'
import { type FieldError, invalid, required } from '../../field-error.ts'
import { checkedBy } from '../field-checks.ts'
import { isPresent, numberAt, objectAt, optionalObjectAt, textAt } from '../fields.ts'
import { checkQualifiedName, checkSubdomain } from '../names.ts'
import { validateImmutableField } from '../object-meta.ts'

const MISMATCH = 'does not match event.namespace'

/** Events in core's form: the older API asks for little. */
export function validateCoreEvent(event: KubeObject): FieldError[] {
  return validateCommon(event, 'reportingComponent')
}

function validateCommon(event: KubeObject, reporterField: string): FieldError[] {
  const namespace = event.metadata.namespace ?? ''
  const involved = textAt(objectAt(event, 'involvedObject'), 'namespace')
  const errors: FieldError[] = []
  const mismatch = invalid('involvedObject.namespace', involved, MISMATCH)
  if (!isPresent(event, 'eventTime')) {
    const isMatched = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved
    if (!isMatched) errors.push(mismatch)
  } else {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch)
    errors.push(...validateReport(event, reporterField))
  }
  return [...errors, ...checkedBy(checkSubdomain, namespace, 'namespace')]
}

function validateReport(event: KubeObject, reporterField: string): FieldError[] {
  const errors: FieldError[] = []
  const reporter = textAt(event, 'reportingComponent')
  if (reporter === '') errors.push(required(reporterField))
  errors.push(...checkedBy(checkQualifiedName, reporter, reporterField))
  for (const [name, limit] of [
    ['reportingInstance', 128],
    ['action', 128],
    ['reason', 128],
  ] as const) {
    const value = textAt(event, name)
    if (value === '') errors.push(required(name))
    if (value.length > limit) errors.push(invalid(name, '', `can have at most ${limit} characters`))
  }
  if (textAt(event, 'message').length > 1024) errors.push(invalid('message', '', 'can have at most 1024 characters'))
  return errors
}

/** Events in the form of events.k8s.io, given as core has them: everything must be said, nothing deprecated. */
export function validateNewEvent(event: KubeObject): FieldError[] {
  const errors = [...validateCommon(event, 'reportingController'), ...validateSeries(event)]
  if (!isPresent(event, 'eventTime')) errors.push(required('eventTime'))
  const type = textAt(event, 'type')
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`))
  if (isPresent(event, 'firstTimestamp')) errors.push(invalid('firstTimestamp', '', 'needs to be unset'))
  if (isPresent(event, 'lastTimestamp')) errors.push(invalid('lastTimestamp', '', 'needs to be unset'))
  if (numberAt(event, 'count') !== 0) errors.push(invalid('count', '', 'needs to be unset'))
  const source = objectAt(event, 'source')
  if (textAt(source, 'component') !== '' || textAt(source, 'host') !== '') {
    errors.push(invalid('source', '', 'needs to be unset'))
  }
  return errors
}

function validateSeries(event: KubeObject): FieldError[] {
  const series = optionalObjectAt(event, 'series')
  if (series === undefined) return []
  const errors: FieldError[] = []
  if (numberAt(series, 'count') < 2) errors.push(invalid('series.count', '', 'should be at least 2'))
  if (!isPresent(series, 'lastObservedTime')) errors.push(required('series.lastObservedTime'))
  return errors
}

const IMMUTABLE: readonly [stored: string, shown: string][] = [
  ['involvedObject', 'involvedObject'],
  ['reason', 'reason'],
  ['message', 'message'],
  ['source', 'source'],
  ['firstTimestamp', 'firstTimestamp'],
  ['lastTimestamp', 'lastTimestamp'],
  ['count', 'count'],
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
]

export function validateNewEventUpdate(event: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...validateCommon(event, 'reportingController'),
    ...IMMUTABLE.flatMap(([stored, shown]) => validateImmutableField(event[stored], old[stored], shown)),
  ]
}
