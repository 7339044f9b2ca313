import { asError } from '@tiphys/env'
import { getJson, isValidJson } from '@tiphys/expressions/gjson'
import type { ScriptPool } from '@tiphys/expressions/script-pool'
import type { DecisionRecord, Json, Recorder } from '@tiphys/journal/records'
import type { Event, EventContext } from '../event.ts'
import { recordedValue } from '../recorded-value.ts'
import type { Evaluation } from '../sensor/dispatcher.ts'
import { applyFilter, type FilterName, type FilterOutcome } from '../sensor/filter.ts'
import { contextName, filterLines, filterPaths } from '../sensor/filter-lines.ts'
import type { Languages } from '../sensor/languages.ts'
import { tellable } from './discretion.ts'
import type { Dependency } from './sensor-plan.ts'
import type { Decision } from './trail.ts'

/** What the manifest says of the program is wrong, or the program is: not only this event is concerned. */
export interface Judged {
  evaluation: Evaluation
  decision: Decision
  isProgramFailing: boolean
}

const LONGEST_OUTPUT = 4000

/** Transforms an event as a dependency says, and applies its filters. Never rejects. What `secretsIn` finds in the event is told in no
 *  failure. */
export async function judge(
  dependency: Dependency,
  event: Event,
  languages: Languages,
  scripts: Pick<ScriptPool, 'run'>,
  secretsIn: Recorder['secretsIn'] = () => undefined,
): Promise<Judged> {
  const { name, transform, filters, filtersLogicalOperator } = dependency
  let data: string
  try {
    data = await transformed(event.data, transform, scripts)
  } catch (thrown) {
    return failed(name, 'transform', tellable(asError(thrown).message, event, secretsIn), {})
  }
  const filter = { filter: (program: string, input: string) => isTrue(scripts, program, input) }
  const outcome = await applyFilter(
    filters,
    filtersLogicalOperator,
    { context: contextOf(event), data },
    languages,
    filter,
  )
  const inputs = inputsOf(dependency, outcome, { context: contextOf(event), data })
  const lines = filters ? filterLines(filters, outcome.verdicts ?? {}) : []
  const grounds = {
    ...(inputs.length > 0 && { inputs }),
    ...(lines.length > 0 && { filters: lines }),
    ...(isSet(transform) && { transform: { output: outputOf(data) } }),
    ...((lines.length > 0 || isSet(transform)) && { payload: event.data }),
  }
  const by = outcome.by ?? 'filters'
  if (outcome.error !== undefined) return failed(name, by, tellable(outcome.error, event, secretsIn), grounds)
  if (!outcome.passed) {
    return {
      evaluation: { dependency: name, outcome: 'filtered', by },
      decision: { dependency: name, verdict: 'filtered', by, ...grounds },
      isProgramFailing: false,
    }
  }
  return {
    evaluation: {
      dependency: name,
      outcome: 'passed',
      event: data === event.data ? event : made(data, event, secretsIn),
    },
    decision: { dependency: name, verdict: 'passed', ...grounds },
    isProgramFailing: false,
  }
}

function made(data: string, event: Event, secretsIn: Recorder['secretsIn']): Event {
  return secretsIn(event.data) ? { ...event, data, hides: true } : { ...event, data }
}

/** What a decision was made from. */
type Grounds = Pick<Decision, 'inputs' | 'filters' | 'transform' | 'payload'>

const isSet = (transform: Dependency['transform']): boolean => Boolean(transform?.jq || transform?.script)

/** A part of it could not be masked: it is kept whole, or not at all. */
function outputOf(data: string): Json {
  if (data.length > LONGEST_OUTPUT) return `(${data.length} characters)`
  try {
    return JSON.parse(data) as Json
  } catch {
    return data
  }
}

/** What sensors see of an event beside its data. */
export function contextOf({ id, source, type, subject, time }: Event): EventContext {
  return {
    id,
    source,
    specversion: '1.0',
    type,
    datacontenttype: 'application/json',
    subject,
    time: time.replace(/\.\d+(?=Z|[+-]\d\d:\d\d$)/, ''),
  }
}

function failed(dependency: string, by: string, message: string, grounds: Grounds): Judged {
  return {
    evaluation: { dependency, outcome: 'failed', error: new Error(`${by}: ${message}`) },
    decision: { dependency, verdict: 'failed', by, message, ...grounds },
    // A path that an event does not have says something of the event; anything else something of the manifest.
    isProgramFailing: !message.includes('does not exist'),
  }
}

/** jq wins when there are both, as upstream has it. */
export async function transformed(
  data: string,
  transform: Dependency['transform'],
  scripts: Pick<ScriptPool, 'run'>,
): Promise<string> {
  const { jq = '', script = '' } = transform ?? {}
  if (jq !== '') return scripts.run({ language: 'jq', program: jq, input: data })
  return script === '' ? data : scripts.run({ language: 'lua', program: script, input: data })
}

async function isTrue(scripts: Pick<ScriptPool, 'run'>, program: string, input: string): Promise<boolean> {
  return (await scripts.run({ language: 'lua-filter', program, input })) === 'true'
}

type Inputs = NonNullable<DecisionRecord['inputs']>

/** What the filters looked at that said something; when one could not be carried out, what that one looked at. */
function inputsOf(
  { filters }: Dependency,
  { by, verdicts = {} }: FilterOutcome,
  event: { context: EventContext; data: string },
): Inputs {
  if (!filters) return []
  const isAsked = (name: FilterName) => by === undefined || by === name || verdicts[name] !== undefined
  const pathsOf = (...names: FilterName[]) => names.filter(isAsked).flatMap(name => filterPaths(filters, name))
  const paths = isValidJson(event.data) ? pathsOf('data', 'exprs') : []
  const context = pathsOf('context', 'time')
  return [
    ...[...new Set(paths)].map(path => {
      const found = getJson(event.data, path)
      return found.exists ? { path, value: recordedValue(found.raw) } : { path }
    }),
    ...context.map(path => ({ path, value: event.context[contextName(path)] })),
  ]
}
