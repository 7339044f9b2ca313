import { asError } from '@tiphys/env'
import { getJson, isValidJson } from '@tiphys/expressions/gjson'
import type { ScriptPool } from '@tiphys/expressions/script-pool'
import type { DecisionRecord } from '@tiphys/journal/records'
import type { Event, EventContext } from '../event.ts'
import type { Evaluation } from '../sensor/dispatcher.ts'
import { applyFilter } from '../sensor/filter.ts'
import type { Languages } from '../sensor/languages.ts'
import type { Dependency } from './sensor-plan.ts'
import type { Decision } from './trail.ts'

/** What the manifest says of the program is wrong, or the program is: not only this event is concerned. */
export interface Judged {
  evaluation: Evaluation
  decision: Decision
  isProgramFailing: boolean
}

const LONGEST_INPUT = 200

/** Transforms an event as a dependency says, and applies its filters. Never rejects. */
export async function judge(
  dependency: Dependency,
  event: Event,
  languages: Languages,
  scripts: Pick<ScriptPool, 'run'>,
): Promise<Judged> {
  const { name, transform, filters, filtersLogicalOperator } = dependency
  let data: string
  try {
    data = await transformed(event.data, transform, scripts)
  } catch (thrown) {
    return failed(name, 'transform', asError(thrown).message, [])
  }
  const filter = { filter: (program: string, input: string) => isTrue(scripts, program, input) }
  const outcome = await applyFilter(
    filters,
    filtersLogicalOperator,
    { context: contextOf(event), data },
    languages,
    filter,
  )
  const inputs = inputsOf(dependency, outcome.by, data)
  if (outcome.error !== undefined) return failed(name, outcome.by ?? 'filters', outcome.error, inputs)
  if (!outcome.passed) {
    const by = outcome.by ?? 'filters'
    return {
      evaluation: { dependency: name, outcome: 'filtered', by },
      decision: { dependency: name, verdict: 'filtered', by, ...(inputs.length > 0 && { inputs }) },
      isProgramFailing: false,
    }
  }
  const passed = inputsOf(dependency, undefined, data)
  return {
    evaluation: { dependency: name, outcome: 'passed', event: data === event.data ? event : { ...event, data } },
    decision: { dependency: name, verdict: 'passed', ...(passed.length > 0 && { inputs: passed }) },
    isProgramFailing: false,
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

function failed(dependency: string, by: string, message: string, inputs: Inputs): Judged {
  return {
    evaluation: { dependency, outcome: 'failed', error: new Error(`${by}: ${message}`) },
    decision: { dependency, verdict: 'failed', by, message, ...(inputs.length > 0 && { inputs }) },
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

/** What the filters looked at: of the one that decided, or of all. */
function inputsOf({ filters }: Dependency, by: string | undefined, data: string): Inputs {
  if (!filters || !isValidJson(data)) return []
  const { data: dataFilters = [], exprs = [] } = filters
  const paths = [
    ...(by === undefined || by === 'data' ? dataFilters.map(({ path }) => path) : []),
    ...(by === undefined || by === 'exprs' ? exprs.flatMap(({ fields = [] }) => fields.map(({ path }) => path)) : []),
  ]
  return [...new Set(paths)].map(path => {
    const found = getJson(data, path)
    return found.exists ? { path, value: shortened(found.raw) } : { path }
  })
}

function shortened(raw: string): string | number | boolean | null {
  if (raw.length > LONGEST_INPUT) return `${raw.slice(0, LONGEST_INPUT)}…`
  try {
    const value = JSON.parse(raw) as unknown
    return typeof value === 'object' && value !== null ? raw : (value as string | number | boolean | null)
  } catch {
    return raw
  }
}
