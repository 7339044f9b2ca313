import {
  type DecisionRecord,
  type EventRecord,
  type Json,
  type ObjectReference,
  type PartReference,
  type Recorder,
  WRITTEN,
} from '@tiphys/journal/records'
import type { Event } from '../event.ts'
import type { Action } from '../sensor/action.ts'
import type { TriggerOutcome } from '../triggers/trigger.ts'

/** Larger payloads are on the bus alone; the record says where. With what else it tells it must not be larger than a record may be. */
const LONGEST_BODY = 2 ** 20 - 2 ** 14

/** Writes down every hop of an event, each with the event's id as its trace. */
export interface Trail {
  /** `bus`: its name, in the same namespace. */
  published(event: Event, namespace: string, bus: string): void
  /** The source itself ended it, as `decision` says, before it was on a bus. */
  ended(event: Event, namespace: string, decision: Decision): void
  decided(event: Event, trigger: PartReference, decision: Decision): void
  joined(action: Action, trigger: PartReference): void
  delivered(action: Action, trigger: PartReference, delivery: Delivery): void
  wrote(action: Action, as: string, written: NonNullable<TriggerOutcome['written']>): void
}

export type Decision = Pick<
  DecisionRecord,
  'dependency' | 'verdict' | 'by' | 'inputs' | 'filters' | 'transform' | 'message' | 'payload'
>

export interface Delivery {
  outcome: 'started' | 'succeeded' | 'failed' | 'parked' | 'retried' | 'discarded'
  attempt: number
  /** When it happened, in milliseconds since the epoch; now, when it is left out. */
  at?: number
  durationMs?: number
  heldBackMs?: number
  reason?: string
  message?: string
}

/** The entry of a source, and the bus that it publishes to. */
export interface PublishedBy {
  namespace: string
  bus: string
  source: string
  entry: string
}

/** `isHeard`: whether a Sensor depends on such events. */
export function createTrail(recorder: Recorder, isHeard: (by: PublishedBy) => boolean): Trail {
  const common = (action: Action) => {
    const events = Object.values(action.events)
    const object = events.find(event => event.object)?.object
    return {
      trace: traceOf(action),
      action: action.key,
      events: events.map(({ id }) => id),
      ...(object && { object: referenceTo(object) }),
    }
  }
  const made = (event: Event, namespace: string, fate: Pick<EventRecord, 'bus' | 'isUnheard' | 'isEnded'>): void => {
    const { id, source, subject, type, key, object, replayOf, data } = event
    const isLarge = data.length > LONGEST_BODY
    recorder.record({
      kind: 'event',
      trace: id,
      source: { namespace, name: source, part: subject },
      type,
      ...fate,
      ...(key !== undefined && { key }),
      ...(object && { object: referenceTo(object) }),
      ...(object?.resourceVersion !== undefined && { resourceVersion: object.resourceVersion }),
      ...(replayOf !== undefined && { replayOf }),
      ...(isLarge
        ? fate.bus !== undefined && { bodyReference: { store: 'bus', key: id, bytes: Buffer.byteLength(data) } }
        : { body: parsed(data), [WRITTEN]: data }),
    })
  }
  const decided = ({ id, object }: Event, trigger: PartReference, decision: Decision): void =>
    recorder.record({
      kind: 'decision',
      trace: id,
      trigger,
      events: [id],
      ...(object && { object: referenceTo(object) }),
      ...decision,
    })
  return {
    published(event, namespace, bus) {
      const isUnheard = !isHeard({ namespace, bus, source: event.source, entry: event.subject })
      made(event, namespace, { bus: `${namespace}/${bus}`, ...(isUnheard && { isUnheard }) })
    },
    ended(event, namespace, decision) {
      made(event, namespace, { isEnded: true })
      decided(event, { namespace, name: event.source, part: event.subject }, decision)
    },
    decided,
    joined(action, trigger) {
      const { trace, events } = common(action)
      recorder.record({ kind: 'decision', trace, trigger, dependency: '', verdict: 'joined', events, by: 'conditions' })
    },
    delivered(action, trigger, delivery) {
      recorder.record({ kind: 'delivery', ...common(action), trigger, ...delivery })
    },
    wrote(action, as, written) {
      const trace = traceOf(action)
      for (const { verb, uid = '', resourceVersion = '', apiVersion, kind, namespace, name, diff } of written)
        recorder.record({
          kind: 'write',
          trace,
          object: { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), ...(uid !== '' && { uid }) },
          verb: isVerb(verb) ? verb : 'update',
          uid,
          resourceVersion,
          outcome: verb === 'create' ? 'created' : verb === 'delete' ? 'deleted' : 'changed',
          as,
          action: action.key,
          ...(diff && { diff }),
        })
    },
  }
}

/** The event that all of it is traced by: the first that the action is for. */
export function traceOf({ events }: Pick<Action, 'events'>): string {
  const [first] = Object.values(events)
  return first?.id ?? ''
}

function referenceTo({ apiVersion, kind, namespace, name, uid }: NonNullable<Event['object']>): ObjectReference {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) }
}

const VERBS = ['create', 'update', 'patch', 'apply', 'delete'] as const
const isVerb = (verb: string): verb is (typeof VERBS)[number] => (VERBS as readonly string[]).includes(verb)

function parsed(data: string): Json {
  try {
    return JSON.parse(data) as Json
  } catch {
    return data
  }
}
