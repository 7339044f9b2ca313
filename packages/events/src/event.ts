import type { ObjectRef } from '@tiphys/kube'

/** Something that happened, as it is on the bus: a CloudEvent with what Tiphys adds to it. */
export interface Event {
  /** 32 hexadecimal digits. Two events with one id are one event. */
  id: string
  /** Name of the EventSource. */
  source: string
  /** Name of the entry in it. */
  subject: string
  /** `resource`, `webhook`, … */
  type: string
  /** RFC 3339 with nanoseconds. */
  time: string
  /** The payload: JSON, in the words of whoever made it (numbers are never re-spelled). */
  data: string
  /** Events with one key are handled one at a time and in order. */
  key?: string
  /** The object it is about. */
  object?: ObjectRef & { uid?: string; resourceVersion?: string }
  /** The event that this one repeats. */
  replayOf?: string
  /** Who it is for: nobody else gets it. Everybody, when it is left out. */
  only?: { sensor?: string; trigger?: string }
  /** A transformation has made its data of a payload with secrets in it: what these are the event on the bus tells. */
  hides?: true
}

/** What a filter or a parameter sees beside the data. */
export interface EventContext {
  id: string
  source: string
  specversion: '1.0'
  type: string
  datacontenttype: 'application/json'
  subject: string
  /** RFC 3339 with seconds. */
  time: string
}
