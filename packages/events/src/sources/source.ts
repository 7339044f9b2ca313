import type { Env } from '@tiphys/env'
import type { DecisionRecord } from '@tiphys/journal/records'
import type { Client } from '@tiphys/kube'
import type { Memory } from '../bus/bus.ts'
import type { Event } from '../event.ts'
import type { Problem } from '../problem.ts'

/** A type of event source (`resource`, `webhook`, …). Adding one is one file that implements this, and its line in
 *  `sources/index.ts`. */
export interface SourceType<Spec = unknown> {
  /** The key in `spec` of the EventSource. */
  readonly type: string
  /** What is wrong with an entry; paths are relative to it. Also says which fields it does not know. */
  check(spec: Spec): readonly Problem[]
  /** Begins to watch. Nothing is thrown for what may change by itself: `host.report` says it. */
  start(spec: Spec, host: SourceHost): RunningSource
}

export interface RunningSource {
  /** Resolves when what was taken in is published or was refused. */
  stop(): Promise<void>
  /** Nothing that it has seen waits to be published. A source that cannot tell has none of this. */
  isIdle?(): boolean
  /** How far it is. A source that follows nothing has none of this. */
  progress?(): SourceProgress | undefined
}

export interface SourceProgress {
  /** Milliseconds since what it watches last gave a sign of life. */
  silenceMs: number
  /** The version up to which it has read. */
  resourceVersion: string | undefined
  /** How many objects it remembers. */
  remembered: number
  /** How many changes it has seen that are not on the bus yet. */
  waiting: number
}

/** An event as a source makes it. */
export type SourceEvent = Omit<Event, 'source' | 'subject' | 'type'>

/** What an entry of an EventSource lives in. */
export interface SourceHost {
  readonly env: Env
  readonly eventSource: { namespace: string; name: string; uid: string; annotations: Readonly<Record<string, string>> }
  /** The entry's name: the subject of its events. */
  readonly entry: string
  /** Acts as the EventSource's ServiceAccount. */
  readonly client: Client
  /** Resolves when the event is on stable storage, or the entry's filter has ended it; rejects when the bus does not take
   *  it, which the source must pass on (HTTP 503, no acknowledgement to a broker) or wait for. `source`, `subject` and
   *  `type` are filled in. */
  publish(event: SourceEvent): Promise<'stored' | 'duplicate' | 'filtered'>
  /** Told of every event that the entry's own filter ends, for the records: what it read and said, and why it could not, in a message. */
  filtered?(event: SourceEvent, grounds: Pick<DecisionRecord, 'inputs' | 'filters' | 'message'>): void
  /** What everybody may be told of a failure with an event. */
  tellable?(message: string, event: SourceEvent): string
  /** What this entry remembers. Deleted with the entry. */
  readonly memory: Memory
  /** Says how the entry is; on a transition it becomes a condition, a record and perhaps an Event. */
  report(health: SourceHealth): void
  /** The value of a key of a Secret or ConfigMap in the EventSource's namespace. */
  secret(ref: { name?: string; key: string }): Promise<string>
  configMap(ref: { name?: string; key: string }): Promise<string>
  /** Serves HTTP on a port together with the other entries that name it. */
  listen(route: HttpRoute): Promise<{ url: string; stop(): Promise<void> }>
}

export interface HttpRoute {
  port: number
  path: string
  method: string
  /** Bytes that are read at most; more gets 413 before it is read. */
  bodyLimit: number
  /** PEM. The first route of a port decides for all of them. */
  tls?: { certificate: string; key: string }
  /** The answer to a request that is refused; asked before the body is read. */
  authorize?(headers: HeaderValues): Promise<HttpAnswer | undefined>
  handle(request: IncomingWebhook): Promise<HttpAnswer>
}

export interface HttpAnswer {
  status: number
  body: string
  headers?: Record<string, string>
}

/** By canonical names: `Content-Type`. */
export type HeaderValues = Readonly<Record<string, readonly string[]>>

export interface IncomingWebhook {
  method: string
  url: URL
  headers: HeaderValues
  body: Buffer
}

export type SourceHealth =
  | { state: 'active' }
  /** Nothing is wrong here, but it cannot go on yet: the kind does not exist, the server is away. */
  | { state: 'waiting'; reason: string; message: string }
  | { state: 'failing'; reason: string; message: string }
