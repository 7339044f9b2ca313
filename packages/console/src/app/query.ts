/** The query language as far as the page needs it: where terms begin and end, and which fields there are. What a query means
 *  is decided by the server. */

export interface Term {
  /** Undefined for words. */
  field: string | undefined
  isNegated: boolean
  text: string
  from: number
  to: number
}

export type ListName = 'events' | 'runs' | 'objects' | 'parked' | 'health' | 'audit'

/** Cuts a query into its terms; quotes keep blanks together. */
export function termsOf(query: string): Term[] {
  const terms: Term[] = []
  for (const { 0: text, index } of query.matchAll(/(?:"(?:\\.|[^"\\])*"?|[^\s"])+/g)) {
    const isNegated = text.startsWith('-')
    const body = isNegated ? text.slice(1) : text
    const field = /^([A-Za-z][\w-]*(?:\.[^\s:"]+)?):/.exec(body)?.[1]
    terms.push({ field, isNegated, text, from: index, to: index + text.length })
  }
  return terms
}

/** The same query with one more condition; an opposite one that was there goes. */
export function withTerm(query: string, field: string, value: string, isNegated = false): string {
  const written = /^[\w./@*-]+$/.test(value) ? value : `"${value.replaceAll(/[\\"]/g, '\\$&')}"`
  const added = `${isNegated ? '-' : ''}${field}:${written}`
  const kept = termsOf(query).filter(term => (isNegated ? term.text !== `${field}:${written}` : term.field !== field))
  return [...kept.map(({ text }) => text).filter(text => text !== added), added].join(' ')
}

export interface Field {
  name: string
  about: string
  /** Values that are always possible. */
  values?: readonly string[]
}

const field = (name: string, about: string, values?: readonly string[]): Field => ({
  name,
  about,
  ...(values && { values }),
})
const age = field('age', 'how long ago: <1h, >2d', ['<15m', '<1h', '<1d'])
const span = [age, field('since', 'not before: 2026-01-31T12:00Z'), field('until', 'before this time')]
const ns = field('ns', 'the namespace')
const PHASES = ['pending', 'running', 'suspended', 'succeeded', 'failed', 'error']
const VERDICTS = [
  'parked',
  'failed',
  'running',
  'waiting',
  'ran',
  'discarded',
  'superseded',
  'filtered',
  'pending',
  'unheard',
]

export const FIELDS: Readonly<Record<ListName, readonly Field[]>> = {
  events: [
    field('status', 'what came of it', VERDICTS),
    field('source', 'the EventSource'),
    field('type', 'of source, or of change', ['ADD', 'UPDATE', 'DELETE']),
    field('object', 'Kind/namespace/name'),
    field('kind', 'the kind of its object'),
    ns,
    field('name', 'the name of its object'),
    field('sensor', 'a Sensor that looked at it'),
    field('trigger', 'a trigger that looked at it'),
    field('run', 'a run that it started'),
    field('template', 'the template of such a run'),
    field('phase', 'the phase of such a run', PHASES),
    field('bus', 'the EventBus'),
    field('id', 'its id'),
    field('replayof', 'the event that it repeats'),
    field('key', 'events with one key are handled in order'),
    field('runs', 'how many runs it started', ['>0']),
    field('size', 'bytes of its payload', ['>1M']),
    ...span,
    field('label', 'a label of its object'),
    field('data.', 'a field of the payload: data.body.spec.size:>3'),
  ],
  runs: [
    field('status', 'its phase', PHASES),
    field('phase', 'its phase', PHASES),
    ns,
    field('name', 'its name'),
    field('run', 'its name or uid'),
    field('template', 'what it was made from'),
    field('trigger', 'the trigger that started it'),
    field('sensor', 'the Sensor that started it'),
    field('object', 'Kind/namespace/name'),
    field('kind', 'the kind of that object'),
    field('event', 'an event that led to it'),
    field('fingerprint', 'the error, without what varies'),
    field('duration', 'how long it took', ['>30s', '>5m']),
    field('attempt', 'how often it was begun', ['>1']),
    ...span,
  ],
  objects: [
    field('object', 'Kind/namespace/name'),
    field('kind', 'the kind'),
    ns,
    field('name', 'the name'),
    field('uid', 'the uid'),
    field('deleted', 'whether it is gone', ['yes', 'no']),
    field('condition', 'a condition that is not as it should be'),
    age,
  ],
  parked: [
    field('trigger', 'namespace/sensor/trigger'),
    field('sensor', 'the Sensor'),
    field('object', 'Kind/namespace/name'),
    field('kind', 'the kind of that object'),
    ns,
    field('action', 'the action’s key'),
    field('event', 'one of its events'),
    field('reason', 'why'),
    field('fingerprint', 'the error, without what varies'),
    age,
  ],
  health: [
    field('object', 'Kind/namespace/name'),
    field('kind', 'the kind'),
    ns,
    field('name', 'the name'),
    field('condition', 'the type of the condition'),
    field('status', 'True, False or Unknown', ['True', 'False', 'Unknown']),
    field('reason', 'the reason'),
    age,
  ],
  audit: [
    field('who', 'who did it'),
    field('did', 'replay, retry, discard, …', ['replay', 'retry', 'discard', 'stop', 'submit', 'fire']),
    field('outcome', 'whether it was allowed', ['allowed', 'refused']),
    field('target', 'Kind/namespace/name, event/ID, action/KEY'),
    ...span,
  ],
}

/** Other words for the same. */
export const ALIASES: readonly string[] = ['namespace', 'verdict', 'after', 'before', 'trace']
