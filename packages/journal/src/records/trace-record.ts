/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined }

/** Something in a cluster, by name. */
export interface ObjectReference {
  apiVersion: string
  kind: string
  namespace?: string
  name: string
  uid?: string
}

/** A sensor's trigger, or a source's entry. */
export interface PartReference {
  namespace: string
  name: string
  part: string
}

export interface RunReference {
  namespace: string
  name: string
  uid: string
}

/** Content that is kept elsewhere. */
export interface ContentReference {
  /** Where: a chunk of a log store, or a position of a journal. */
  store: string
  key: string
  bytes: number
}

interface Common {
  v: 1
  /** When it happened, in milliseconds since the epoch. */
  at: number
  /** The id of the event that all this began with; empty when none did, but time or a person. */
  trace: string
}

/** An event was made. Its id is the trace. */
export interface EventRecord extends Common {
  kind: 'event'
  source: PartReference
  type: string
  /** The bus it is on, `namespace/name`. */
  bus?: string
  /** Where it is in the bus. */
  position?: number
  /** What it is about. */
  object?: ObjectReference
  /** The object's version that it tells of: with the uid this names the write that led to it. */
  resourceVersion?: string
  /** Events with one key are handled in order. */
  key?: string
  /** The filter of its own source ended it: it was on no bus. A decision says why. */
  isEnded?: true
  /** No Sensor of its bus depended on it when it was published. */
  isUnheard?: true
  /** The event that this one repeats. */
  replayOf?: string
  body?: Json
  bodyReference?: ContentReference
  [WRITTEN]?: string
}

/** Beside a payload, the text that it was read from. It is not stored itself, but the payload's numbers are as they are written there. */
export const WRITTEN = Symbol('written')

/** Beside a record of a run, what that run was given. It is not stored: the mask knows by it what nobody may read of what came of it. */
export const GIVEN = Symbol('given')

export interface Given {
  parameters?: readonly Parameter[]
  /** Values, or parts of values, that are secrets though nothing calls them so. */
  secrets?: readonly string[]
}

/** What a sensor made of an event, and from which inputs; or the source itself, with the verdicts `filtered` and `failed` of its own filter, and
 *  `repeated`: the event came again under its id, and once is enough. */
export interface DecisionRecord extends Common {
  kind: 'decision'
  /** The sensor's trigger, or the source's entry. */
  trigger: PartReference
  /** Empty where the source decides. */
  dependency: string
  verdict: 'passed' | 'filtered' | 'superseded' | 'joined' | 'waiting' | 'reset' | 'failed' | 'repeated'
  /** The events that were looked at together. */
  events: readonly string[]
  object?: ObjectReference
  /** What decided: a filter, a condition, a newer event. */
  by?: string
  inputs?: readonly { path: string; value?: Json }[]
  /** The filters of the dependency, or that of the source, as their manifest had them then. */
  filters?: readonly FilterVerdict[]
  transform?: {
    /** What the transformation made of the event; the inputs are of it. A text says how long it was when that is too much. */
    output: Json
  }
  message?: string
  /** What was looked at, before it was transformed. It is there for the mask, which takes it out. */
  payload?: string
}

/** What one filter said of an event. */
export interface FilterVerdict {
  by: 'exprs' | 'data' | 'context' | 'time' | 'script' | 'expression'
  /** The fields that it looks at. */
  paths?: readonly string[]
  /** The expression, the comparison with those fields, the hours, or how the script begins. */
  says: string
  /** Without it nobody asked, for another had decided already, or it could not be carried out. */
  passed?: boolean
}

/** One step on the way of an action to its receiver. */
export interface DeliveryRecord extends Common {
  kind: 'delivery'
  trigger: PartReference
  /** The action's key, the same for every attempt. */
  action: string
  events: readonly string[]
  outcome: 'started' | 'succeeded' | 'failed' | 'parked' | 'retried' | 'discarded'
  /** Counts from 1. */
  attempt: number
  durationMs?: number
  /** How long the attempt had waited before, because of the trigger's rate limit. */
  heldBackMs?: number
  object?: ObjectReference
  /** Why it failed, was parked or discarded. */
  reason?: string
  message?: string
}

/** A run changed its phase. */
export interface RunRecord extends Common {
  kind: 'run'
  run: RunReference
  phase: string
  message?: string
  /** Of one that failed: the step that it failed because of, and what that one says. */
  cause?: { step: string; message: string }
  /** What started it. */
  action?: string
  /** What it was made from: `WorkflowTemplate/name`, or the name of its entrypoint. */
  template?: string
  /** What the event that started it was about. */
  object?: ObjectReference
  parameters?: readonly Parameter[]
  outputs?: readonly Parameter[]
  /** Steps that are complete and steps that are known: `3/7`. */
  progress?: string
  /** Somebody has suspended it as a whole: nothing more of it begins. */
  isSuspended?: boolean
  /** The time for which a CronWorkflow has made it. */
  scheduledAt?: number
  /** The run that this one repeats. */
  repeats?: RunReference
  startedAt?: number
  finishedAt?: number
  [GIVEN]?: Given
}

export interface Parameter {
  name: string
  value?: string
}

/** A file or folder that a step was given or gave. Its content is elsewhere, and may be gone. */
export interface ArtifactReference {
  name: string
  /** Where it lies in the container. */
  path?: string
  /** What it is called as an output of the run. */
  globalName?: string
  /** What it is kept under, in the engine's own store unless another is named. */
  key?: string
  /** The endpoint and bucket that the manifest names. */
  store?: string
  /** Where it comes from, when it is not kept under a key. */
  from?: string
  bytes?: number
}

/** A step of a run changed its phase. */
export interface StepRecord extends Common {
  kind: 'step'
  run: RunReference
  /** The step's id, which is unique in its run. */
  step: string
  name: string
  /** `Pod`, `Steps`, `DAG`, `Retry`, … as in the node's status. */
  type: string
  phase: string
  attempt: number
  message?: string
  /** What a person calls it. */
  displayName?: string
  template?: string
  /** The step it belongs to. */
  parent?: string
  /** The steps that come after it. */
  children?: readonly string[]
  /** Of another attempt: what did something in the one before, which decides no longer. */
  replaces?: readonly string[]
  pod?: string
  exitCode?: number
  inputs?: readonly Parameter[]
  outputs?: readonly Parameter[]
  inputArtifacts?: readonly ArtifactReference[]
  outputArtifacts?: readonly ArtifactReference[]
  startedAt?: number
  finishedAt?: number
  [GIVEN]?: Given
}

/** A piece of a container's output was stored. */
export interface LogRecord extends Common {
  kind: 'log'
  run: RunReference
  step: string
  container: string
  /** The uid of the pod that printed it: a step of a run that is tried again has another one. */
  pod?: string
  chunk: ContentReference
  /** Where the chunk begins in the container's output. An engine that starts anew reads a log from its start, and records some of it a
   *  second time; the archive knows by this what is new. */
  offset?: number
}

/** An object was written: with the returned resourceVersion this is its provenance. */
export interface WriteRecord extends Common {
  kind: 'write'
  object: ObjectReference
  verb: 'create' | 'update' | 'patch' | 'apply' | 'delete'
  uid: string
  resourceVersion: string
  outcome: 'created' | 'changed' | 'unchanged' | 'deleted'
  /** Who the request was sent as. */
  as?: string
  action?: string
  run?: RunReference
  step?: string
  /** What was different between the object as it was read before and as the write left it; see `changesOf`. */
  diff?: readonly Change[]
  diffReference?: ContentReference
  [GIVEN]?: Given
}

/** One field that a write changed. */
export interface Change {
  path: string
  from?: Json
  to?: Json
}

/** A condition changed its status or reason. */
export interface HealthRecord extends Common {
  kind: 'health'
  object: ObjectReference
  condition: string
  status: 'True' | 'False' | 'Unknown'
  /** The status before, when there was one. */
  was?: 'True' | 'False' | 'Unknown'
  reason: string
  message?: string
}

/** A person, or something on a person's behalf, did something. */
export interface AuditRecord extends Common {
  kind: 'audit'
  who: string
  groups?: readonly string[]
  did:
    | 'replay'
    | 'retry'
    | 'discard'
    | 'stop'
    | 'terminate'
    | 'suspend'
    | 'resume'
    | 'fire'
    | 'submit'
    | 'resubmit'
    | 'delete'
    | 'import'
  target: ObjectReference | { event: string } | { action: string }
  outcome: 'allowed' | 'refused'
  reason?: string
}

/** Records are missing here. */
export interface GapRecord extends Common {
  kind: 'gap'
  dropped: number
  /** When the first and the last of them happened. */
  from: number
  to: number
  why: string
}

/** Everything that is recorded. A newer version may add kinds and fields: readers pass over what they do not know. */
export type TraceRecord =
  | EventRecord
  | DecisionRecord
  | DeliveryRecord
  | RunRecord
  | StepRecord
  | LogRecord
  | WriteRecord
  | HealthRecord
  | AuditRecord
  | GapRecord

/** What a reader does not know, as it was found. */
export interface UnknownRecord {
  kind: 'unknown'
  v: number
  at: number
  trace: string
  /** The kind it calls itself; empty when it is no record at all. */
  of: string
  content: Json
}

type WithoutCommon<R> = R extends TraceRecord ? Omit<R, 'v' | 'at'> & { at?: number } : never

/** A record as it is handed in; without a time it happened now. */
export type NewRecord = WithoutCommon<Exclude<TraceRecord, GapRecord>>

/** Every kind there is; the compiler sees that none is missing. */
const KINDS: Readonly<Record<TraceRecord['kind'], true>> = {
  event: true,
  decision: true,
  delivery: true,
  run: true,
  step: true,
  log: true,
  write: true,
  health: true,
  audit: true,
  gap: true,
}

export const VERSION = 1

export function encodeRecord(record: TraceRecord): string {
  return JSON.stringify(record)
}

/** Reads what was stored, by this version or another. Never throws. */
export function decodeRecord(data: Uint8Array | string): TraceRecord | UnknownRecord {
  const content = parse(typeof data === 'string' ? data : Buffer.from(data).toString())
  const { kind, v, at, trace } = isObject(content) ? content : {}
  const isReadable = typeof kind === 'string' && typeof at === 'number' && typeof trace === 'string'
  // The checks above are what every version keeps to; the kinds' own fields were typed when they were written.
  if (isReadable && v === VERSION && Object.hasOwn(KINDS, kind)) return content as unknown as TraceRecord
  return {
    kind: 'unknown',
    v: typeof v === 'number' ? v : 0,
    at: typeof at === 'number' ? at : 0,
    trace: typeof trace === 'string' ? trace : '',
    of: isReadable ? kind : '',
    content,
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

export function isObject(value: Json | undefined): value is { readonly [name: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
