import { parseCron } from '@tiphys/expressions/cron'
import { loadTimeZone } from '@tiphys/expressions/time-zone'
import type { KubeObject } from '@tiphys/kube'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import { allOf, type Condition, dependenciesOf, parseCondition } from '../sensor/condition.ts'
import type { DependencyFilter, LogicalOperator } from '../sensor/filter.ts'
import type { TriggerParameter } from '../sensor/parameters.ts'
import { type RetryPolicy, type RetryStrategy, retryPolicy } from '../sensor/retry-policy.ts'
import { triggerOf } from '../triggers/index.ts'
import type { TriggerPolicy, TriggerType } from '../triggers/trigger.ts'
import { dependencyProblems as problemsOfDependency, readDependency } from './dependency-check.ts'
import { parameterProblems } from './parameter-check.ts'
import { policyProblems } from './policy-check.ts'

export const KEY_ANNOTATION = 'tiphys.dev/key'
export const SERIALIZE_ANNOTATION = 'tiphys.dev/serialize'
export const COALESCE_ANNOTATION = 'tiphys.dev/coalesce'
export const ON_PARKED_ANNOTATION = 'tiphys.dev/on-parked'

/** What a Sensor waits for: the events of one entry of an EventSource, transformed and filtered. */
export interface Dependency {
  name: string
  eventSourceName: string
  eventName: string
  transform?: { jq?: string; script?: string }
  filters?: DependencyFilter
  filtersLogicalOperator?: LogicalOperator
}

/** What is done with events: a trigger, or the one for events that a trigger has failed with. */
export interface ActionPlan {
  name: string
  template: Readonly<Record<string, unknown>>
  /** Set in the template itself. */
  parameters: readonly TriggerParameter[]
  type: TriggerType
  retry: RetryPolicy
  policy?: TriggerPolicy
}

export interface TriggerPlan extends ActionPlan {
  condition: Condition
  dependencies: readonly Dependency[]
  /** Times at which events that wait for others are forgotten. */
  resets: readonly { next(after: number): number | undefined }[]
  /** Milliseconds between two attempts. */
  spacingMs: number
  deadLetter?: ActionPlan
  /** All of what decides how it runs, so that a change is seen. */
  fingerprint: string
}

/** What the annotations of a Sensor ask for. */
export interface SensorOptions {
  /** A path of gjson. */
  key: string | undefined
  waitsForCompletion: boolean
  coalesces: boolean
  blocksOnParked: boolean
}

export interface SensorPlan {
  options: SensorOptions
  dependencies: readonly Dependency[]
  triggers: readonly TriggerPlan[]
  /** Of dependencies, of triggers, and what is only worth a word; paths begin with `spec.` or name an annotation. */
  dependencyProblems: readonly Problem[]
  triggerProblems: readonly Problem[]
  warnings: readonly Problem[]
}

const UNIT_MS: Readonly<Record<string, number>> = { Second: 1000, Minute: 60_000, Hour: 3_600_000 }

/** Reads a Sensor. A trigger that cannot be carried out is a problem and is left out; the others stay. */
export function planSensor(sensor: KubeObject, types: ReadonlyMap<string, TriggerType>): SensorPlan {
  const spec = fieldsOf(sensor.spec)
  const { options, warnings } = readOptions(sensor.metadata.annotations ?? {})
  const { dependencies, problems: dependencyProblems } = readDependencies(spec.dependencies)
  const triggerProblems: Problem[] = []
  const triggers: TriggerPlan[] = []
  const given = Array.isArray(spec.triggers) ? (spec.triggers as unknown[]) : []
  if (given.length === 0) triggerProblems.push(error('spec.triggers', 'no triggers found'))
  for (const [i, trigger] of given.entries()) {
    const reader = new TriggerReader(fieldsOf(trigger), `spec.triggers[${i}]`, types)
    const plan = reader.readTrigger(dependencies)
    if (plan && triggers.some(({ name }) => name === plan.name))
      reader.problems.push(error(`spec.triggers[${i}].template.name`, `duplicate trigger name: ${plan.name}`))
    else if (plan) triggers.push({ ...plan, fingerprint: JSON.stringify([trigger, plan.dependencies, options]) })
    triggerProblems.push(...reader.problems.filter(({ severity }) => severity === 'error'))
    warnings.push(...reader.problems.filter(isRemark))
  }
  return { options, dependencies, triggers, dependencyProblems, triggerProblems, warnings }
}

/** Unknown fields are told by whoever knows upstream's schema. */
const isRemark = ({ severity, message }: Problem) => severity === 'warning' && !message.startsWith('unknown field')

function readOptions(annotations: Readonly<Record<string, string>>): { options: SensorOptions; warnings: Problem[] } {
  const warnings: Problem[] = []
  const is = (name: string, meaning: string, otherwise: string): boolean => {
    const value = annotations[name]
    if (value !== undefined && value !== meaning && value !== otherwise)
      warnings.push({
        path: name,
        message: `${value} is neither "${meaning}" nor "${otherwise}" and is ignored`,
        severity: 'warning',
      })
    return value === meaning
  }
  return {
    options: {
      key: annotations[KEY_ANNOTATION] || undefined,
      waitsForCompletion: is(SERIALIZE_ANNOTATION, 'completion', 'answer'),
      coalesces: is(COALESCE_ANNOTATION, 'latest', 'none'),
      blocksOnParked: is(ON_PARKED_ANNOTATION, 'block', 'continue'),
    },
    warnings,
  }
}

function readDependencies(given: unknown): { dependencies: Dependency[]; problems: Problem[] } {
  const problems: Problem[] = []
  const dependencies: Dependency[] = []
  const list = Array.isArray(given) ? (given as unknown[]) : []
  if (list.length === 0) problems.push(error('spec.dependencies', 'no event dependencies found'))
  for (const [i, item] of list.entries()) {
    const path = `spec.dependencies[${i}]`
    const dependency = readDependency(fieldsOf(item)) as Partial<Dependency>
    const { name, eventSourceName, eventName, filtersLogicalOperator = '' } = dependency
    const before = problems.length
    problems.push(...problemsOfDependency(item, path))
    for (const [field, value] of Object.entries({ name, eventSourceName, eventName }))
      if (typeof value !== 'string' || value === '') problems.push(error(`${path}.${field}`, 'must be specified'))
    if (dependencies.some(other => other.name === name))
      problems.push(error(`${path}.name`, `more than one dependency has the name ${name}`))
    if (!['', 'and', 'or'].includes(filtersLogicalOperator))
      problems.push(error(`${path}.filtersLogicalOperator`, `${filtersLogicalOperator} is neither "and" nor "or"`))
    if (problems.length === before) dependencies.push(dependency as Dependency)
  }
  return { dependencies, problems }
}

/** Reads one trigger and collects what is wrong with it. */
class TriggerReader {
  readonly problems: Problem[] = []
  readonly #trigger: Fields
  readonly #path: string
  readonly #types: ReadonlyMap<string, TriggerType>

  constructor(trigger: Fields, path: string, types: ReadonlyMap<string, TriggerType>) {
    this.#trigger = trigger
    this.#path = path
    this.#types = types
  }

  readTrigger(dependencies: readonly Dependency[]): Omit<TriggerPlan, 'fingerprint'> | undefined {
    const action = this.readAction(dependencies)
    const condition = this.#condition(dependencies)
    const resets = this.#resets()
    const spacingMs = this.#spacing()
    const deadLetter = this.#deadLetter(dependencies)
    if (!action || !condition || this.#hasErrors) return undefined
    const used = dependenciesOf(condition)
    return {
      ...action,
      condition,
      dependencies: dependencies.filter(({ name }) => used.has(name)),
      resets,
      spacingMs,
      ...(deadLetter && { deadLetter }),
    }
  }

  readAction(dependencies: readonly Dependency[]): ActionPlan | undefined {
    const template = fieldsOf(this.#trigger.template)
    const { name } = template
    if (typeof name !== 'string' || name === '') this.#error('template.name', 'trigger must define a name')
    const { policy, parameters: given } = this.#trigger
    const parameters = Array.isArray(given) ? (given as TriggerParameter[]) : []
    const read = triggerOf(template, this.#types)
    // What is set for every event is looked at then.
    for (const { path, message, severity, isLasting } of read.problems)
      if (severity !== 'error' || isLasting || !mayBeSet(path, parameters))
        this.problems.push({ path: `${this.#path}.template${path === '' ? '' : `.${path}`}`, message, severity })
    const names = dependencies.map(({ name }) => name)
    const type = 'type' in read ? read.type.type : ''
    for (const problem of [...parameterProblems(this.#trigger, type, names), ...policyProblems(policy)])
      if (!mayBeSet(problem.path.replace(/^template\./, ''), parameters))
        this.problems.push({ ...problem, path: `${this.#path}.${problem.path}` })
    const retry = this.#attempt('retryStrategy', () =>
      retryPolicy(this.#trigger.retryStrategy as RetryStrategy | null | undefined),
    )
    if (!('type' in read) || !retry || this.#hasErrors) return undefined
    return {
      name: name as string,
      template,
      parameters,
      type: read.type,
      retry,
      ...(policy !== undefined && policy !== null && { policy }),
    }
  }

  get #hasErrors(): boolean {
    return this.problems.some(({ severity }) => severity === 'error')
  }

  #condition(dependencies: readonly Dependency[]): Condition | undefined {
    const { conditions } = fieldsOf(this.#trigger.template)
    const names = dependencies.map(({ name }) => name)
    if (conditions !== undefined && conditions !== null && typeof conditions !== 'string') {
      this.#error('template.conditions', `must be a string such as "a && b", not ${JSON.stringify(conditions)}`)
      return undefined
    }
    if (!conditions) {
      const all = allOf(names)
      if (!all) this.#error('', 'has no dependency that could make it fire')
      return all
    }
    return this.#attempt('template.conditions', () => parseCondition(conditions, names))
  }

  #resets(): TriggerPlan['resets'] {
    const { conditionsReset } = fieldsOf(this.#trigger.template)
    if (conditionsReset === undefined || conditionsReset === null) return []
    if (!Array.isArray(conditionsReset)) {
      this.#error('template.conditionsReset', 'must be a list')
      return []
    }
    return conditionsReset.flatMap((item, i) => {
      const { cron, timezone } = fieldsOf(fieldsOf(item).byTime)
      const schedule = this.#attempt(`template.conditionsReset[${i}].byTime`, () =>
        parseCron(String(cron ?? ''), timezone ? { timeZone: loadTimeZone(String(timezone)) } : {}),
      )
      return schedule ? [schedule] : []
    })
  }

  #spacing(): number {
    const { rateLimit } = this.#trigger
    if (rateLimit === undefined || rateLimit === null) return 0
    const { unit = 'Second', requestsPerUnit } = fieldsOf(rateLimit)
    const unitMs = Object.hasOwn(UNIT_MS, String(unit)) ? UNIT_MS[String(unit)] : undefined
    if (unitMs === undefined) this.#error('rateLimit.unit', `${String(unit)} is none of Second, Minute and Hour`)
    if (typeof requestsPerUnit !== 'number' || requestsPerUnit <= 0)
      this.#error('rateLimit.requestsPerUnit', 'must be a number above 0')
    return (unitMs ?? 0) / (typeof requestsPerUnit === 'number' && requestsPerUnit > 0 ? requestsPerUnit : 1)
  }

  #deadLetter(dependencies: readonly Dependency[]): ActionPlan | undefined {
    const { dlqTrigger } = this.#trigger
    if (dlqTrigger === undefined || dlqTrigger === null) return undefined
    const reader = new TriggerReader(fieldsOf(dlqTrigger), `${this.#path}.dlqTrigger`, this.#types)
    const action = reader.readAction(dependencies)
    this.problems.push(...reader.problems)
    return action
  }

  #attempt<T>(path: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (thrown) {
      this.#error(path, (thrown as Error).message)
      return undefined
    }
  }

  #error(path: string, message: string): void {
    this.problems.push(error(path === '' ? this.#path : `${this.#path}.${path}`, message))
  }
}

/** Whether a parameter of the trigger writes what is at a path of its template, or something in it, or what it is in. The
 *  type of the trigger is not for a parameter to decide. */
function mayBeSet(path: string, parameters: readonly TriggerParameter[]): boolean {
  if (path === '') return false
  const wanted = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  return parameters.some(parameter => {
    const { dest } = fieldsOf(parameter)
    if (typeof dest !== 'string' || dest === '') return false
    const parts = dest.split('.').map(part => part.replace(/^:/, ''))
    return parts.every((part, i) => wanted[i] === undefined || part === wanted[i] || isSomeItem(part, wanted[i]))
  })
}

/** Lists can be written to at their end, and where something is found. */
const isSomeItem = (part: string, wanted: string | undefined): boolean =>
  /^\d+$/.test(wanted ?? '') && /^(?:-1$|#)/.test(part)

const error = (path: string, message: string): Problem => ({ path, message, severity: 'error' })
