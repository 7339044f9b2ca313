import type {
  AuditRecord,
  DecisionRecord,
  DeliveryRecord,
  GapRecord,
  HealthRecord,
  Json,
  ObjectReference,
  Parameter,
  PartReference,
  RunReference,
  StepRecord,
  TraceRecord,
  UnknownRecord,
  WriteRecord,
} from '@tiphys/journal/records'
import type { Query } from './query/query.ts'

/** What somebody may see. A row is shown when one of the grants covers what it is about:
 *
 *  | row                                   | is about                                                                  |
 *  | ------------------------------------- | ------------------------------------------------------------------------- |
 *  | event, its decisions and deliveries   | the event's object; without one, the EventSource it came from             |
 *  | run, step, log                        | the run: `Workflow.argoproj.io` in its namespace                          |
 *  | write, health, object                 | the object                                                                |
 *  | audit                                 | its target: an object, else `Sensor.argoproj.io`/`EventSource.argoproj.io` of any namespace |
 *
 *  Applied in the database, not row by row. Left out: everything is seen. Without grants: nothing is. */
export interface Scope {
  grants: readonly Grant[]
}

export interface Grant {
  /** `Kind.group` as kubectl writes it: `Deployment.apps`, `Pod`, `Workflow.argoproj.io`; `*` for every kind. */
  kind: string
  /** `*` for all namespaces and for what has none. The namespace of cluster-scoped objects is the empty string. */
  namespaces: readonly string[] | '*'
}

/** What is asked for: text in the language of `parseQuery`, or what it made of it. Empty: everything. */
export interface Selection {
  query?: string | Query
  scope?: Scope
}

/** Which part of a list. A list is ordered newest first unless told otherwise; a cursor stays valid however much is added. */
export interface PageRequest {
  /** 50 unless told, at most 1000. */
  limit?: number
  /** Continue behind this row: `next` of the page before, or any row's `cursor`. */
  after?: string
  /** What comes before this row, towards the list's start; the rows are still in the list's order. */
  before?: string
  order?: 'newest' | 'oldest'
  /** Leave out so many rows first. With `after` as an anchor this is random access that does not move under inserts. One call leaves
   *  out no more than 50,000 rows, and 4,000 of those that a filter finds: see `Page.skipped`. */
  skip?: number
}

export interface Page<T> {
  items: readonly Row<T>[]
  /** Give it as `after` for what follows; undefined at the end. */
  next?: string
  /** Give it as `before` for what comes before; undefined when the page is empty. */
  previous?: string
  /** How many rows there are in the whole list. */
  total: Total
  /** The search stopped before it had looked at everything, because no index helps with its filters (of `data.…` every payload is
   *  read): `next` goes on from there, and may be set although the page is not full. */
  partial?: { scanned: number; backTo: number }
  /** So many of the rows to skip were passed, and the page ends there: `next` goes on with what is left of `skip`. */
  skipped?: number
}

/** Exact where that is cheap, else a lower bound. */
export interface Total {
  count: number
  exact: boolean
}

/** An item, and its place in the list. */
export type Row<T> = T & { cursor: string }

/** How an event has ended so far: the worst of what its triggers say.
 *
 *  | verdict      | meaning                                                                |
 *  | ------------ | ---------------------------------------------------------------------- |
 *  | `parked`     | a delivery was given up and waits for a person                         |
 *  | `failed`     | a decision or an attempt failed, and nothing has succeeded after it    |
 *  | `running`    | a delivery has started and is not over                                 |
 *  | `waiting`    | it waits for other events                                              |
 *  | `ran`        | everything it triggered was accepted                                   |
 *  | `discarded`  | a person gave the delivery up                                          |
 *  | `superseded` | a newer event of its key took its place                                |
 *  | `filtered`   | every sensor that looked at it turned it away, or its own source did   |
 *  | `pending`    | nobody has looked at it yet                                            |
 *  | `unheard`    | no sensor depended on it when it came: nothing comes of it             | */
export type Verdict =
  | 'parked'
  | 'failed'
  | 'running'
  | 'waiting'
  | 'ran'
  | 'discarded'
  | 'superseded'
  | 'filtered'
  | 'pending'
  | 'unheard'

/** An event as a list shows it. */
export interface EventItem {
  /** Its id, which is the trace id of all that followed. */
  id: string
  at: number
  source: PartReference
  /** Left out of one that the filter of its own source ended: it was on none, and cannot be sent again. */
  bus?: string
  /** `resource`, `webhook`, … */
  type: string
  /** What happened to the object: `ADD`, `UPDATE`, `DELETE`. */
  change?: string
  object?: ObjectReference
  key?: string
  replayOf?: string
  verdict: Verdict
  /** How many runs it started. */
  runs: number
  /** Of the payload. */
  bytes: number
}

export interface EventDetail extends EventItem {
  resourceVersion?: string
  /** The payload; left out when it has more bytes than were asked for, see `payload`. */
  body?: Json
  isBodyCut: boolean
}

/** What one sensor's trigger has made of one event so far. */
export interface Outcome {
  trigger: PartReference
  state: Verdict
  action?: string
  attempt?: number
  at: number
  reason?: string
  message?: string
}

/** A run as a list shows it. */
export interface RunItem {
  run: RunReference
  /** The event it began with; empty or the run's own uid when a person or the time started it. */
  trace: string
  phase: string
  message?: string
  action?: string
  trigger?: PartReference
  template?: string
  object?: ObjectReference
  progress?: string
  /** How often it was begun: 2 after it was retried once. */
  attempt: number
  /** The run that it was resubmitted from. */
  repeats?: RunReference
  /** When it was first heard of. */
  at: number
  /** The time for which a CronWorkflow has made it. */
  scheduledAt?: number
  startedAt?: number
  finishedAt?: number
  /** Those that do something, as `progress` counts them; not those that consist of others. Beside the phases of steps there are
   *  `Suspended`, and `Retried`: an attempt that failed, and was followed by another. */
  steps: { total: number; byPhase: Readonly<Record<string, number>> }
  /** Of the error, when it failed: runs with one fingerprint failed in the same way. */
  fingerprint?: string
}

export interface RunDetail extends RunItem {
  parameters: readonly Parameter[]
  outputs: readonly Parameter[]
  /** In the order in which they were first heard of, each as it is now. */
  steps: RunItem['steps'] & { items: readonly StepDetail[] }
  /** When it entered each phase. */
  history: readonly { at: number; phase: string; message?: string }[]
  writes: readonly WriteItem[]
  /** The deepest step that failed: where to look first. */
  culprit?: { step: string; lastLines: readonly string[] }
}

export interface StepDetail extends Omit<StepRecord, 'v' | 'kind' | 'trace' | 'run' | 'at'> {
  /** When it was first heard of, and when it last changed. */
  at: number
  changedAt: number
  logs: readonly LogSummary[]
}

export interface LogSummary {
  container: string
  bytes: number
  lines: number
}

/** A part of a container's output. */
export interface LogPart {
  /** Number of the first line, counted from 1. */
  from: number
  lines: readonly string[]
  /** How many lines there are so far. */
  total: number
  bytes: number
  /** Chunks whose content was not there any more when the archive came to read it. */
  missing: number
}

/** A write with its place in the archive. Its `diff` is left out when it has more than 64 KiB; `write` gives the whole. */
export interface WriteItem extends Omit<WriteRecord, 'v' | 'kind'> {
  id: number
}

/** A kind of thing that Tiphys has seen or written. */
export interface KindItem {
  apiVersion: string
  /** `Kind.group` */
  kind: string
  objects: number
  lastAt: number
}

export interface ObjectItem {
  object: ObjectReference
  events: number
  writes: number
  firstAt: number
  lastAt: number
  lastVerb?: WriteRecord['verb']
  /** The newest condition that is not as it should be. */
  condition?: { condition: string; status: string; reason: string; message?: string; at: number }
  isDeleted: boolean
}

/** Everything about one object, as `explain` needs it. */
export interface ObjectHistory extends ObjectItem {
  /** Newest first. */
  changes: readonly Provenance[]
  conditions: readonly HealthItem[]
  /** The newest event about it, with what its triggers made of it. */
  lastEvent?: EventItem & { outcomes: readonly Outcome[] }
  /** The newest from every other entry of a source that has told of it lately, newest first. */
  otherEvents: readonly (EventItem & { outcomes: readonly Outcome[] })[]
  /** Runs that its events started and that have not ended. */
  runs: readonly RunItem[]
  /** The newest run of it, when that one has failed. */
  failedRun?: RunItem
}

/** A write, and why it was made. */
export interface Provenance {
  write: WriteItem
  event?: EventItem
  run?: RunItem
  step?: { id: string; name: string }
}

/** Deliveries that were given up for the same reason. */
export interface ParkedGroup {
  fingerprint: string
  count: number
  /** Only the newest were counted; there are older ones. */
  isAtLeast?: boolean
  firstAt: number
  lastAt: number
  trigger: PartReference
  /** Of the newest. */
  reason?: string
  message?: string
}

export interface ParkedItem extends Outcome {
  action: string
  fingerprint: string
  events: readonly string[]
  object?: ObjectReference
  /** Of the first of its events. */
  key?: string
}

export type HealthItem = Omit<HealthRecord, 'v' | 'kind'>
export type AuditItem = Omit<AuditRecord, 'v' | 'kind'>
export type GapItem = Omit<GapRecord, 'v' | 'kind'>
export type Decision = Omit<DecisionRecord, 'v' | 'kind'>
export type Delivery = Omit<DeliveryRecord, 'v' | 'kind'>

/** The whole chain of one event. */
export interface Trace {
  /** Undefined when its records are gone or were never made: what followed is shown all the same. */
  event?: EventDetail
  id: string
  outcomes: readonly Outcome[]
  decisions: readonly Decision[]
  deliveries: readonly Delivery[]
  runs: readonly RunDetail[]
  writes: readonly WriteItem[]
  /** The write that made this event happen. */
  cause?: Provenance
  /** Events that came of the writes; with their own chains as far as `depth` goes. */
  effects: readonly { write: number; event: EventItem; trace?: Trace }[]
  /** Events that repeat this one. */
  replays: readonly EventItem[]
  /** Events that led to the same actions: a trigger waited for all of them. */
  together: readonly EventItem[]
  /** Something was left out because there is too much of it. */
  isCut: boolean
}

/** Something in the graph of causes. */
export type Node =
  | { type: 'event'; id: string; at: number; event: EventItem }
  | { type: 'run'; id: string; at: number; run: RunItem }
  | { type: 'write'; id: string; at: number; write: WriteItem }
  | { type: 'object'; id: string; at: number; object: ObjectReference }

/** What an ancestor or descendant is sought of. */
export type Subject = { event: string } | { run: string } | { object: ObjectReference }

export interface Relatives {
  nodes: readonly Node[]
  /** `from` led to `to`; ids of nodes. */
  links: readonly { from: string; to: string }[]
  isCut: boolean
}

/** One thing found by a search. */
export interface Hit {
  type: 'event' | 'decision' | 'delivery' | 'run' | 'step' | 'log' | 'write' | 'health' | 'audit'
  at: number
  trace: string
  /** What it is called. */
  title: string
  /** A few words around what was found; plain text. */
  excerpt: string
  event?: string
  run?: RunReference
  step?: string
  container?: string
  /** Of a log. */
  line?: number
  object?: ObjectReference
}

/** One node of the overview: `source`, `bus`, `sensor`, `trigger`, `template` or `kind`. */
export interface FlowNode {
  id: string
  column: 'source' | 'bus' | 'sensor' | 'trigger' | 'template' | 'kind'
  namespace: string
  name: string
  /** Its newest condition that is not as it should be. */
  condition?: ObjectItem['condition']
  /** Deliveries that wait, have started or are tried again, and those that are parked; of sensors and triggers. */
  backlog: number
  parked: number
  lastAt: number
}

export interface FlowEdge {
  from: string
  to: string
  count: number
  errors: number
  /** Per second, over the window. */
  rate: number
  errorShare: number
  lastAt: number
  /** The list behind it, in the query language. */
  query: string
}

export interface Flow {
  from: number
  to: number
  nodes: readonly FlowNode[]
  edges: readonly FlowEdge[]
}

/** What is under way and what went wrong, in numbers. */
export interface Counters {
  events: number
  runs: number
  parked: number
  runsByPhase: Readonly<Record<string, number>>
  eventsByVerdict: Readonly<Record<string, number>>
  /** One entry a minute, oldest first. */
  minutes: readonly { at: number; events: number; errors: number; runs: number; failedRuns: number }[]
}

/** What needs somebody's attention, the most urgent first. */
export interface Attention {
  type: 'parked' | 'condition' | 'failing' | 'gap'
  title: string
  detail: string
  count: number
  at: number
  object?: ObjectReference
  fingerprint?: string
  /** The list behind it. */
  query?: string
}

export type FollowTopic = 'events' | 'runs' | 'health' | 'audit'

/** What is new since a cursor. An item that changed comes again, as it is now. */
export interface FollowBatch {
  items: readonly (
    | { type: 'event'; item: Row<EventItem> }
    | { type: 'run'; item: Row<RunItem> }
    | { type: 'health'; item: Row<HealthItem> }
    | { type: 'audit'; item: Row<AuditItem> }
  )[]
  /** Where to go on after an interruption. */
  cursor: string
  /** More came than is sent: reload the list. */
  isCut: boolean
}

export interface Completion {
  value: string
  /** How many of the newest rows have it. */
  count: number
}

export interface Retention {
  /** Drops what is older than so many milliseconds. */
  maxAgeMs?: number
  /** Keeps so many events, and what belongs to them. */
  maxEvents?: number
  /** Keeps the database below so many bytes. */
  maxBytes?: number
}

export interface RetentionResult {
  events: number
  records: number
  bytesBefore: number
  bytesAfter: number
}

export interface ArchiveStatus {
  database: 'sqlite' | 'postgres'
  /** File, or the server's address without credentials. */
  place: string
  schema: number
  /** The last journal record that is in the database, and the journal's head. */
  position: number
  head: number
  /** Records that are not in the database yet. */
  lag: number
  /** Milliseconds since the oldest of those was seen waiting; 0 when there are none. */
  lagMs: number
  state: 'following' | 'behind' | 'waiting' | 'stopped'
  /** Why it waits: the last error of the database. */
  problem?: string
  bytes: number
  records: number
  events: number
  runs: number
  oldestAt?: number
  newestAt?: number
  gaps: readonly GapItem[]
  /** What is kept; everything when it is left out. */
  retention?: Retention
  /** Records of a kind or version that this one does not know; kept, and exported. */
  unknown: number
}

export interface VerifyReport {
  rows: number
  damaged: readonly { table: string; id: string; why: string }[]
  /** Links that lead nowhere although what they name should be there. */
  dangling: readonly { table: string; id: string; why: string }[]
}

/** The history of everything, in a database: what happened, why, and what came of it.
 *
 *  Follows the journal of records. It may lag, and says how far; it does not lose, and stores nothing twice. A query sees
 *  everything that was stored when it began. Every method rejects with a `Failure`; an unknown id gives `undefined`, and so
 *  does one that the scope does not cover. */
export interface Archive {
  /** Fields: see `EVENT_FIELDS` of `query/fields.ts`. Unknown fields reject with `query-invalid`. */
  events(selection?: Selection, page?: PageRequest): Promise<Page<EventItem>>
  /** Those that a sensor has looked at; the verdict of each is that of its triggers alone. */
  sensorEvents(
    sensor: { namespace: string; name: string },
    selection?: Pick<Selection, 'scope'>,
    page?: PageRequest,
  ): Promise<Page<EventItem>>
  event(id: string, options?: { scope?: Scope; maxBytes?: number }): Promise<EventDetail | undefined>
  /** The payload, whole, as JSON text: its numbers as they were written, which those of `body` are not when they have many digits. */
  payload(id: string, options?: { scope?: Scope }): Promise<Buffer | undefined>
  /** The chain of an event; `depth` (0) says how many generations of caused events come with their own chains. */
  trace(id: string, options?: { scope?: Scope; depth?: number }): Promise<Trace | undefined>

  runs(selection?: Selection, page?: PageRequest): Promise<Page<RunItem>>
  /** By uid, or the newest of that name. */
  run(
    run: { uid: string } | { namespace: string; name: string },
    options?: { scope?: Scope },
  ): Promise<RunDetail | undefined>
  /** Runs counted by template, object or error fingerprint. */
  runGroups(by: 'template' | 'object' | 'fingerprint' | 'phase', selection?: Selection): Promise<readonly RunGroup[]>
  log(
    of: { run: string; step: string; container: string },
    options?: { scope?: Scope; from?: number; lines?: number; tail?: boolean },
  ): Promise<LogPart | undefined>

  kinds(selection?: Selection): Promise<readonly KindItem[]>
  objects(selection?: Selection, page?: PageRequest): Promise<Page<ObjectItem>>
  object(object: ObjectReference, options?: { scope?: Scope; limit?: number }): Promise<ObjectHistory | undefined>
  writes(selection?: Selection, page?: PageRequest): Promise<Page<Provenance>>
  write(id: number, options?: { scope?: Scope }): Promise<WriteItem | undefined>

  parked(selection?: Selection): Promise<readonly ParkedGroup[]>
  parkedItems(selection?: Selection & { fingerprint?: string }, page?: PageRequest): Promise<Page<ParkedItem>>

  /** The newest condition of each object and type, the bad ones first. */
  health(selection?: Selection): Promise<readonly HealthItem[]>
  healthHistory(selection?: Selection, page?: PageRequest): Promise<Page<HealthItem>>
  audit(selection?: Selection, page?: PageRequest): Promise<Page<AuditItem>>

  /** Full text over names, payloads, messages and logs, newest first. All words must be there; `word*` matches beginnings, a
   *  text in quotes the words in that order. */
  search(
    text: string,
    options?: { scope?: Scope; types?: readonly Hit['type'][] },
    page?: PageRequest,
  ): Promise<Page<Hit>>

  flow(options?: { scope?: Scope; windowMs?: number }): Promise<Flow>
  counters(options?: { scope?: Scope; minutes?: number }): Promise<Counters>
  attention(options?: { scope?: Scope }): Promise<readonly Attention[]>

  ancestors(of: Subject, options?: { scope?: Scope; limit?: number }): Promise<Relatives>
  descendants(of: Subject, options?: { scope?: Scope; limit?: number }): Promise<Relatives>

  /** What is new, at most ten batches a second, until the signal is aborted. Starts at the cursor of a batch or a page's row;
   *  without one, now. */
  follow(
    topics: readonly { topic: FollowTopic; selection?: Selection }[],
    cursor: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<FollowBatch>

  /** Values of a field that begin so, the most frequent first. */
  complete(
    field: string,
    prefix: string,
    options?: { scope?: Scope; of?: 'events' | 'runs' | 'objects' },
  ): Promise<readonly Completion[]>

  /** Everything, or what belongs to the traces of a selection's events, as JSON lines: one record each, payloads and logs
   *  included, so that `import` rebuilds it elsewhere. */
  export(selection?: Selection): AsyncIterable<string>
  /** Takes JSON lines of `export`. What is there already is left alone. */
  import(lines: AsyncIterable<string> | Iterable<string>): Promise<{ records: number; skipped: number }>
  /** A copy that can be opened, made while everything goes on. SQLite only. */
  backup(file: string): Promise<void>
  /** Drops the oldest until the limits hold, and gives the space back. */
  retain(retention: Retention): Promise<RetentionResult>
  /** Reads everything and compares the checksums. */
  verify(): Promise<VerifyReport>
  status(): Promise<ArchiveStatus>
  /** Known without asking it. */
  readonly database: 'sqlite' | 'postgres'

  /** Resolves when the database is open; rejects with the reason when it could not be, although it is tried again (`isPatient`). */
  opened(): Promise<void>
  /** Resolves with true when everything up to the journal's present head is in the database; without patience (it has it unless told)
   *  with false while nothing can be stored. */
  caughtUp(options?: { isPatient?: boolean }): Promise<boolean>
  close(): Promise<void>
}

export interface RunGroup {
  /** What they have in common. */
  key: string
  /** Of the template or object, where it has one. */
  namespace?: string
  count: number
  /** Only the newest runs were counted; there are older ones. */
  isAtLeast?: boolean
  byPhase: Readonly<Record<string, number>>
  lastAt: number
  /** A message of the newest. */
  message?: string
}

/** A record as it is exported: with the bytes it refers to. */
export interface ExportedRecord {
  record: TraceRecord | UnknownRecord['content']
  /** Of a log record: the output, base64. */
  content?: string
}
