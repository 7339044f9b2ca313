import { compilePattern, PatternError } from '@tiphys/expressions'
import { parseDuration } from '@tiphys/expressions/duration'
import { formatLabelSelector, type LabelOperator, parseLabelSelector, SelectorFailure } from '@tiphys/kube'
import type { Problem } from '../problem.ts'
import { problemsOf, type Shape } from './shape.ts'

/** An entry of `spec.resource` of an EventSource. */
export interface ResourceSpec {
  namespace?: string
  group?: string
  version?: string
  resource?: string
  eventTypes?: readonly string[]
  filter?: ResourceFilter
  metadata?: Readonly<Record<string, string>>
}

export interface ResourceFilter {
  prefix?: string
  labels?: readonly Selector[]
  fields?: readonly Selector[]
  /** RFC 3339. */
  createdBy?: string
  afterStart?: boolean
}

export interface Selector {
  key?: string
  operation?: string
  value?: string
}

export type ChangeType = 'ADD' | 'UPDATE' | 'DELETE'

/** What the annotations of an EventSource ask of its resource entries. */
export interface ResourceOptions {
  /** UPDATE only where more than status and bookkeeping has changed. */
  specOnly: boolean
  /** Every present object is delivered again after this time. */
  resyncMs: number | undefined
}

export const CHANGES_ANNOTATION = 'tiphys.dev/changes'
export const RESYNC_ANNOTATION = 'tiphys.dev/resync'

const SELECTOR: Shape = { key: 'string', operation: 'string', value: 'string' }
const SHAPE: Shape = {
  namespace: 'string',
  group: 'string',
  version: 'string',
  resource: 'string',
  eventTypes: ['string'],
  metadata: { '*': 'string' },
  filter: { prefix: 'string', labels: [SELECTOR], fields: [SELECTOR], createdBy: 'string', afterStart: 'boolean' },
}

const CHANGE_TYPES: readonly string[] = ['ADD', 'UPDATE', 'DELETE'] satisfies ChangeType[]
const LABEL_OPERATORS = new Set<string>(['=', '==', '!=', 'in', 'notin', 'exists', '!', 'gt', 'lt'])
/** Upstream takes no empty operator here, although its documentation says that it means equality. */
const FIELD_OPERATORS = new Set<string>(['=', '==', '!='])

export function checkResourceSpec(spec: ResourceSpec): readonly Problem[] {
  const shape = problemsOf(spec, SHAPE)
  if (shape.some(({ severity }) => severity === 'error')) return shape
  return [...shape, ...checkTarget(spec), ...checkFilter(spec.filter ?? {})]
}

function* checkTarget({ version, resource, eventTypes = [] }: ResourceSpec): Iterable<Problem> {
  if (!version) yield error('version', 'version must be specified')
  if (!resource) yield error('resource', 'resource must be specified')
  if (eventTypes.length === 0) yield error('eventTypes', 'event types must be specified')
  for (const [i, type] of eventTypes.entries())
    if (!CHANGE_TYPES.includes(type))
      yield error(`eventTypes[${i}]`, `unknown event type: ${type}, use ADD, UPDATE or DELETE`)
}

function* checkFilter({ labels, fields = [], createdBy }: ResourceFilter): Iterable<Problem> {
  try {
    labelSelectorOf(labels)
  } catch (thrown) {
    if (!(thrown instanceof SelectorFailure)) throw thrown
    yield error('filter.labels', thrown.message)
  }
  if (createdBy !== undefined && Number.isNaN(Date.parse(createdBy)))
    yield error('filter.createdBy', `${createdBy} is no RFC 3339 time`)
  for (const [i, { operation = '', value = '' }] of fields.entries()) {
    const path = `filter.fields[${i}]`
    if (!FIELD_OPERATORS.has(operation))
      yield warning(`${path}.operation`, `drops every event: "${operation}" is none of =, == and !=`)
    try {
      compilePattern(value)
    } catch (thrown) {
      if (!(thrown instanceof PatternError)) throw thrown
      yield warning(`${path}.value`, `drops every event: ${thrown.message}`)
    }
  }
}

/** The selector that the server is asked with; undefined for everything. Throws SelectorFailure. */
export function labelSelectorOf(labels: readonly Selector[] = []): string | undefined {
  if (labels.length === 0) return undefined
  const requirements = labels.map(({ key = '', operation = '', value = '' }) => {
    const operator = (operation === '' ? '=' : operation) as LabelOperator
    if (!LABEL_OPERATORS.has(operator))
      throw new SelectorFailure(`"${operator}" is not a valid label selector operator`)
    const isPresence = operator === 'exists' || operator === '!'
    if (isPresence && value !== '')
      throw new SelectorFailure(
        `values: Invalid value: ["${value}"]: values set must be empty for exists and does not exist`,
      )
    const values = isPresence ? [] : operator === 'in' || operator === 'notin' ? value.split(',') : [value]
    return { key, operator, values }
  })
  const text = formatLabelSelector({ requirements, nothing: false, matches: () => false })
  return formatLabelSelector(parseLabelSelector(text))
}

export function checkAnnotations(annotations: Readonly<Record<string, string>>): readonly Problem[] {
  const problems: Problem[] = []
  const changes = annotations[CHANGES_ANNOTATION]
  if (changes !== undefined && changes !== 'spec' && changes !== 'all')
    problems.push(warning(CHANGES_ANNOTATION, `${changes} is neither "spec" nor "all" and is ignored`))
  const resync = annotations[RESYNC_ANNOTATION]
  if (resync !== undefined && resyncOf(resync) === undefined)
    problems.push(warning(RESYNC_ANNOTATION, `${resync} is no duration of at least a second and is ignored`))
  return problems
}

export function optionsOf(annotations: Readonly<Record<string, string>>): ResourceOptions {
  return {
    specOnly: annotations[CHANGES_ANNOTATION] === 'spec',
    resyncMs: resyncOf(annotations[RESYNC_ANNOTATION] ?? ''),
  }
}

function resyncOf(text: string): number | undefined {
  try {
    const ms = Number(parseDuration(text) / 1_000_000n)
    return ms >= 1000 ? ms : undefined
  } catch {
    // Not a duration; `checkAnnotations` says so.
    return undefined
  }
}

const error = (path: string, message: string): Problem => ({ path, message, severity: 'error' })
const warning = (path: string, message: string): Problem => ({ path, message, severity: 'warning' })
