import { asError, type Env } from '@tiphys/env'
import { getJson, isValidJson } from '@tiphys/expressions/gjson'
import type { ScriptPool } from '@tiphys/expressions/script-pool'
import { type KubeObject, parseJson, stringifyJson } from '@tiphys/kube'
import type { Event } from '../event.ts'
import type { Problem } from '../problem.ts'
import { actionKey } from '../sensor/action.ts'
import { isMet } from '../sensor/condition.ts'
import { applyFilter, type DependencyFilter } from '../sensor/filter.ts'
import { createLanguages, type Languages } from '../sensor/languages.ts'
import { applyParameters, constructPayload, type TriggerParameter } from '../sensor/parameters.ts'
import { createTriggerTypes } from '../triggers/index.ts'
import { withParameters } from '../triggers/k8s-trigger.ts'
import { asObject, type ObjectSource } from '../triggers/object-source.ts'
import { generatedName } from '../triggers/provenance.ts'
import type { TriggerEvent } from '../triggers/trigger.ts'
import { contextOf, judge, transformed } from './evaluation.ts'
import { type Dependency, planSensor, type TriggerPlan } from './sensor-plan.ts'
import { specOf } from './trigger-runner.ts'

/** The event that is tried: one of the past, or one that somebody made up. */
export type RehearsedEvent = Pick<Event, 'id' | 'source' | 'subject' | 'type' | 'time' | 'data'>

/** What a Sensor would make of an event. */
export interface Rehearsal {
  /** What is wrong with the manifest; a trigger with an error would not run at all. */
  problems: readonly Problem[]
  dependencies: readonly RehearsedDependency[]
  triggers: readonly RehearsedTrigger[]
}

export interface RehearsedDependency {
  name: string
  /** `other`: it is about the events of another source or entry. */
  verdict: 'passed' | 'filtered' | 'failed' | 'other'
  /** The source and entry it is about. */
  about: string
  /** What decided, or went wrong. */
  by?: string
  message?: string
  /** The data after the transformation, when there is one. */
  transformed?: string
  /** Each by itself, whatever the others say. */
  filters: readonly RehearsedFilter[]
}

export interface RehearsedFilter {
  kind: 'exprs' | 'data' | 'context' | 'time' | 'script'
  /** The filter in one line. */
  text: string
  passed: boolean
  error?: string
  inputs: readonly { path: string; value?: string }[]
}

export interface RehearsedTrigger {
  name: string
  /** `k8s`, `http`, … */
  type: string
  /** `waits`: for events of the dependencies in `missing`. `broken`: what it would send cannot be made. */
  verdict: 'fires' | 'waits' | 'filtered' | 'broken'
  missing: readonly string[]
  /** What would be done, in words, and with what. */
  does?: string
  sends?: unknown
  /** Something that a rehearsal leaves out. */
  note?: string
  message?: string
}

export interface RehearsalHost {
  env: Env
  /** Runs jq and Lua. */
  scripts: Pick<ScriptPool, 'run'>
}

const LONGEST_INPUT = 500
const LONGEST_DATA = 64 * 1024

/** Says what a Sensor would make of an event, filter by filter, and what its triggers would send. Nothing is written, sent,
 *  recorded or read from the cluster: the Sensor may be one that exists nowhere yet. Never rejects because of the manifest
 *  or the event. */
export async function rehearse(
  sensor: KubeObject,
  event: RehearsedEvent,
  { env, scripts }: RehearsalHost,
): Promise<Rehearsal> {
  const types = createTriggerTypes()
  const plan = planSensor(sensor, types)
  const languages = createLanguages(env)
  const tried = await Promise.all(
    plan.dependencies.map(dependency => rehearseDependency(dependency, event, languages, scripts)),
  )
  const events: Record<string, TriggerEvent> = {}
  for (const { dependency, data } of tried)
    if (dependency.verdict === 'passed') events[dependency.name] = { context: contextOf(event), data }
  const key = (trigger: string) => actionKey(sensor.metadata.uid ?? '', trigger, [event])
  return {
    problems: [...plan.dependencyProblems, ...plan.triggerProblems, ...plan.warnings],
    dependencies: tried.map(({ dependency }) => dependency),
    triggers: plan.triggers.map(trigger =>
      rehearseTrigger(trigger, { events, languages, types, key: key(trigger.name) }),
    ),
  }
}

async function rehearseDependency(
  dependency: Dependency,
  event: RehearsedEvent,
  languages: Languages,
  scripts: Pick<ScriptPool, 'run'>,
): Promise<{ dependency: RehearsedDependency; data: string }> {
  const { name, eventSourceName, eventName, filters, transform } = dependency
  const about = `${eventSourceName}/${eventName}`
  if (eventSourceName !== event.source || eventName !== event.subject)
    return { dependency: { name, about, verdict: 'other', filters: [] }, data: event.data }
  const { evaluation, decision } = await judge(dependency, event, languages, scripts)
  const data = await transformed(event.data, transform, scripts).catch(() => undefined)
  const { by, message } = decision
  return {
    data: data ?? event.data,
    dependency: {
      name,
      about,
      verdict: evaluation.outcome,
      ...(by !== undefined && { by }),
      ...(message !== undefined && { message }),
      ...(transform && data !== undefined && { transformed: data.slice(0, LONGEST_DATA) }),
      filters: data === undefined ? [] : await rehearseFilters(filters ?? {}, { ...event, data }, languages, scripts),
    },
  }
}

/** Every filter alone, so that somebody sees all that is in the way and not only the first. */
async function rehearseFilters(
  filters: DependencyFilter,
  event: RehearsedEvent,
  languages: Languages,
  scripts: Pick<ScriptPool, 'run'>,
): Promise<RehearsedFilter[]> {
  const context = contextOf(event)
  const runner = {
    filter: async (program: string, input: string) =>
      (await scripts.run({ language: 'lua-filter', program, input })) === 'true',
  }
  const alone = async (
    kind: RehearsedFilter['kind'],
    text: string,
    filter: DependencyFilter,
    inputs: RehearsedFilter['inputs'],
  ): Promise<RehearsedFilter> => {
    const { passed, error } = await applyFilter(filter, undefined, { context, data: event.data }, languages, runner)
    return { kind, text, passed, ...(error !== undefined && { error }), inputs }
  }
  const read = (path: string) => {
    const found = isValidJson(event.data) ? getJson(event.data, path) : undefined
    return found?.exists ? { path, value: found.raw.slice(0, LONGEST_INPUT) } : { path }
  }
  return Promise.all([
    ...(filters.exprs ?? []).map(one =>
      alone(
        'exprs',
        one.expr,
        { exprs: [one] },
        (one.fields ?? []).map(({ name, path }) => ({
          ...read(path),
          path: name === path ? path : `${name} (${path})`,
        })),
      ),
    ),
    ...(filters.data ?? []).map(one => alone('data', dataText(one), { data: [one] }, [read(one.path)])),
    ...Object.entries(filters.context ?? {}).map(([name, wanted]) =>
      alone('context', `${name} = ${wanted}`, { context: { [name]: wanted } }, [
        { path: name, value: JSON.stringify(context[name as keyof typeof context]) },
      ]),
    ),
    ...(filters.time
      ? [
          alone(
            'time',
            `${filters.time.start} – ${filters.time.stop} ${filters.time.timezone ?? 'UTC'}`,
            { time: filters.time },
            [{ path: 'time', value: context.time }],
          ),
        ]
      : []),
    ...(filters.script ? [alone('script', filters.script, { script: filters.script }, [])] : []),
  ])
}

const dataText = ({
  path,
  comparator = '',
  value = [],
  template = '',
}: NonNullable<DependencyFilter['data']>[number]) =>
  `${path} ${comparator || '='} ${value.join(' or ')}${template === '' ? '' : ` after ${template}`}`

interface TriggerStage {
  events: Readonly<Record<string, TriggerEvent>>
  languages: Languages
  types: ReturnType<typeof createTriggerTypes>
  key: string
}

function rehearseTrigger(trigger: TriggerPlan, stage: TriggerStage): RehearsedTrigger {
  const { name, condition, dependencies, type } = trigger
  const present = new Set(Object.keys(stage.events))
  const missing = dependencies.map(each => each.name).filter(each => !present.has(each))
  const common = { name, type: type.type, missing }
  if (!dependencies.some(each => present.has(each.name))) return { ...common, verdict: 'filtered' }
  const isFiring = isMet(condition, present)
  try {
    return { ...common, verdict: isFiring ? 'fires' : 'waits', ...(isFiring && sendingOf(trigger, stage)) }
  } catch (thrown) {
    return { ...common, verdict: 'broken', message: asError(thrown).message }
  }
}

/** What the trigger would send, as far as the event decides it. */
function sendingOf(trigger: TriggerPlan, stage: TriggerStage): Pick<RehearsedTrigger, 'does' | 'sends' | 'note'> {
  const spec = specOf(trigger, stage, stage.types) as {
    source?: ObjectSource
    operation?: string
    parameters?: readonly TriggerParameter[]
    payload?: readonly TriggerParameter[]
  }
  const { parameters = [] } = spec
  if (trigger.type.type === 'k8s' || trigger.type.type === 'argoWorkflow') {
    const operation = spec.operation || (trigger.type.type === 'k8s' ? 'create' : 'submit')
    const given = spec.source?.resource
    if (given === undefined)
      return {
        does: `${operation} what its source says`,
        sends: spec.source,
        note: 'The object is read when the trigger fires, so its parameters are not set here.',
      }
    const object = named(withParameters(asObject(given, 'resource'), parameters, stage), stage.key)
    return {
      does: `${operation} ${object.kind} ${object.metadata.name ?? ''}`.trim(),
      sends: object,
      ...((spec as { liveObject?: boolean }).liveObject && {
        note: 'The parameters are set in the object as it is in the cluster then; here they are set in the manifest.',
      }),
    }
  }
  const set =
    parameters.length === 0
      ? spec
      : (parseJson(applyParameters(stringifyJson(spec), parameters, stage.events, stage.languages)) as typeof spec)
  const { parameters: _, payload, ...rest } = set
  const body = payload ? constructPayload(payload, stage.events, stage.languages) : undefined
  const { method = 'POST', url = '' } = rest as { method?: string; url?: string }
  return {
    does: trigger.type.type === 'http' ? `${method} ${url}` : trigger.type.type,
    sends: body === undefined ? rest : { ...rest, payload: isValidJson(body) ? parseJson(body) : body },
  }
}

/** The name that this very event would give it. */
function named(object: KubeObject, key: string): KubeObject {
  const { name, generateName, ...metadata } = object.metadata
  if (name || !generateName) return object
  return { ...object, metadata: { name: generatedName(generateName, key, 0), ...metadata } }
}
