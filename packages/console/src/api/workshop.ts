/** What a Sensor would make of an event, as the event engine says it; nothing was done. */
export interface Rehearsal {
  problems: readonly { path: string; message: string; severity: 'error' | 'warning' }[]
  dependencies: readonly RehearsedDependency[]
  triggers: readonly RehearsedTrigger[]
}

export interface RehearsedDependency {
  name: string
  /** `other`: it is about the events of another source or entry. */
  verdict: 'passed' | 'filtered' | 'failed' | 'other'
  about: string
  by?: string
  message?: string
  /** The data after the transformation, when there is one. */
  transformed?: string
  filters: readonly {
    kind: string
    text: string
    passed: boolean
    error?: string
    inputs: readonly { path: string; value?: string }[]
  }[]
}

export interface RehearsedTrigger {
  name: string
  type: string
  verdict: 'fires' | 'waits' | 'filtered' | 'broken'
  missing: readonly string[]
  does?: string
  /** From the engine a value, to the page YAML. */
  sends?: unknown
  note?: string
  message?: string
}

/** Something that is wrong with a manifest. */
export interface LintFinding {
  /** Counted from 1. */
  line: number
  message: string
  severity: 'error' | 'warning'
}

/** A bus, and who reads it. */
export interface BusReport {
  namespace: string
  name: string
  /** Why it cannot be used. */
  trouble?: string
  state?: 'healthy' | 'full' | 'unreachable'
  events?: number
  bytes?: number
  /** The consumer that holds a full bus up. */
  slowest?: string
  /** Position of the last event. */
  head?: number
}

/** What the engine has counted of a source, a sensor or a bus since it started. */
export interface Figures {
  kind: 'EventSource' | 'Sensor' | 'EventBus'
  namespace: string
  name: string
  /** Of a source: entries that watch or listen. */
  running?: number
  /** Of a source: events that are on the bus. */
  sent?: number
  /** Of a sensor: actions that were carried out. */
  done?: number
  /** Of a source: events that were not taken; of a sensor: attempts. */
  failed?: number
  filtered?: number
  /** Of a source: events that came again under their id, and were dropped. */
  repeated?: number
  /** Of a source: from seeing a change to having it stored; of a sensor: one attempt of an action. 99 of 100 were quicker. */
  slowestMs?: number
  /** Of a sensor: events that its triggers have not handled yet. */
  backlog?: number
  parked?: number
  /** Of a bus. */
  events?: number
  bytes?: number
  /** Of a bus: the position of its last event. */
  head?: number
  /** Of each entry of a source, and of each trigger of a sensor. */
  parts?: readonly PartFigures[]
}

/** How far an entry or a trigger is. */
export interface PartFigures {
  name: string
  /** Of an entry: events that are on the bus. */
  sent?: number
  /** Of a trigger: actions that were carried out. */
  done?: number
  /** Of an entry that watches: since the server last said something. */
  silenceMs?: number
  /** Changes that were seen and are not on the bus yet. */
  waiting?: number
  /** Objects whose last state is remembered. */
  remembered?: number
  /** The resourceVersion up to which it has read. */
  version?: number
  /** Of a trigger: the position on the bus up to which everything is handled. */
  position?: number
  backlog?: number
  parked?: number
}
