import { getJson, isValidJson, parseJson } from '@tiphys/expressions/gjson'
import { setJson, setRawJson } from '@tiphys/expressions/sjson'
import type { TriggerEvent } from '../triggers/trigger.ts'
import type { Languages } from './languages.ts'

/** A parameter of a trigger: where a value comes from and where it goes, as manifests write it. */
export interface TriggerParameter {
  src?: ParameterSource
  /** A path of sjson. Empty in a payload: the value is all of it. */
  dest?: string
  operation?: '' | 'overwrite' | 'append' | 'prepend' | (string & {})
}

export interface ParameterSource {
  dependencyName?: string
  contextKey?: string
  contextTemplate?: string
  dataKey?: string
  dataTemplate?: string
  /** What is used where the event has nothing. */
  value?: string
  useRawData?: boolean
}

type Events = Readonly<Record<string, TriggerEvent>>
type Templates = Pick<Languages, 'template'>

/** Sets the values of parameters in a JSON text, one after the other. Throws an Error that says which one has no value. */
export function applyParameters(
  json: string,
  parameters: readonly TriggerParameter[],
  events: Events,
  languages: Templates,
): string {
  let result = json
  for (const { src = {}, dest = '', operation = '' } of parameters) {
    const resolved = resolveParameter(src, events, languages)
    if (!resolved) continue
    result = setValue(result, dest, combined(result, dest, operation, resolved), src.useRawData ?? false)
  }
  return result
}

/** The payload of a request: what the parameters make of nothing. A parameter without a destination is all of it. */
export function constructPayload(
  parameters: readonly TriggerParameter[],
  events: Events,
  languages: Templates,
): string | undefined {
  let payload = ''
  for (const { src = {}, dest = '' } of parameters) {
    const resolved = resolveParameter(src, events, languages)
    if (dest === '') {
      if (resolved) return resolved.value
    } else if (resolved) payload = setValue(payload, dest, resolved, src.useRawData ?? false)
  }
  return payload === '' ? undefined : payload
}

/** `isText`: it is set as a string even where raw data are asked for. */
interface Resolved {
  value: string
  isText: boolean
}

/** The text of an object may have such a key; nothing that a manifest is about has. */
const NO_PLACE = /(?:^|\.):?__proto__(?:\.|$)/

function setValue(json: string, dest: string, { value, isText }: Resolved, useRawData: boolean): string {
  if (NO_PLACE.test(dest)) throw new Error(`${JSON.stringify(dest)} is no place for a value`)
  return !isText && useRawData ? setRawJson(json, dest, value) : setJson(json, dest, value)
}

function combined(json: string, dest: string, operation: string, resolved: Resolved): Resolved {
  if (operation === '' || operation === 'overwrite') return resolved
  if (operation !== 'append' && operation !== 'prepend')
    throw new Error(`unsupported trigger parameter operation: ${operation}`)
  const current = getJson(json, dest)
  if (!current.exists) return resolved
  const before = current.string()
  return { value: operation === 'append' ? before + resolved.value : resolved.value + before, isText: true }
}

/** The value of a parameter. Undefined when it is about an event that is not there, as happens with `||` in conditions. */
export function resolveParameter(src: ParameterSource, events: Events, languages: Templates): Resolved | undefined {
  const { dependencyName = '', contextKey = '', contextTemplate = '', dataKey = '', dataTemplate = '', value } = src
  const otherwise = value === undefined ? undefined : { value, isText: true }
  const event = Object.hasOwn(events, dependencyName) ? events[dependencyName] : undefined
  if (!event) return otherwise
  const isOfData = dataKey !== '' || dataTemplate !== ''
  if (!isOfData && contextKey === '' && contextTemplate === '')
    return otherwise ?? { value: wholeEvent(event), isText: true }
  const [key, template] = isOfData ? [dataKey, dataTemplate] : [contextKey, contextTemplate]
  const found = find(isOfData ? event.data : JSON.stringify(event.context), key, template, languages)
  if (typeof found === 'object') return found
  if (otherwise) return otherwise
  const upstreams = new Error(`unable to resolve '${dependencyName}' parameter value. err: ${found}`)
  throw new Error(noValue(src, isOfData ? event.data : JSON.stringify(event.context), found), { cause: upstreams })
}

function noValue(
  { dependencyName, contextKey, contextTemplate, dataKey, dataTemplate }: ParameterSource,
  json: string,
  problem: string,
): string {
  const names = { dataTemplate, dataKey, contextTemplate, contextKey }
  const [asked = ''] = Object.entries(names).flatMap(([name, text]) =>
    text ? [`${name} ${JSON.stringify(text)}`] : [],
  )
  const where = dataKey || dataTemplate ? 'data' : 'context'
  const why = problem === NOTHING ? '' : ` (${problem})`
  return `the ${asked} finds no value in the event of ${dependencyName}${why}. ${topOf(json, where)}. Correct it, or set a default in src.value`
}

/** What there is at the top, so that a wrong path is seen at once. */
function topOf(json: string, where: string): string {
  const top = isValidJson(json) ? parseJson(json) : undefined
  const names =
    top?.type === 'JSON' && top.raw.trimStart().startsWith('{') ? Object.keys(JSON.parse(json) as object) : []
  if (names.length === 0) return `Its ${where} has no fields`
  return `Its ${where} has ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}`
}

const MOST_NAMES = 12
/** What upstream's failure says where the path leads nowhere. */
const NOTHING = '<nil>'

/** What the template or the key leads to, or in words why neither leads anywhere. */
function find(json: string, key: string, template: string, languages: Templates): Resolved | string {
  if (!isValidJson(json)) return 'event data is not valid JSON'
  let problem = ''
  if (template !== '') {
    try {
      const value = languages.template(template, parseJson(json).value())
      if (value !== '' && value !== '<no value>') return { value, isText: true }
      problem = `template evaluated to empty string or no value: ${template}`
    } catch (thrown) {
      problem = (thrown as Error).message
    }
  }
  if (key === '') return problem
  const found = getJson(json, key)
  if (!found.exists) return problem || NOTHING
  const isBlock = found.type === 'JSON' || found.type === 'Null'
  return { value: isBlock ? found.raw : found.string(), isText: found.type === 'String' }
}

/** The event as upstream writes it: its data are bytes there, hence in base64. */
const wholeEvent = ({ context, data }: TriggerEvent): string => {
  const { id, source, specversion, type, datacontenttype, subject, time } = context
  const inOrder = { id, source, specversion, type, datacontenttype, subject, time }
  return JSON.stringify({ context: inOrder, data: Buffer.from(data).toString('base64') })
}
