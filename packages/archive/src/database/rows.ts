/** The rows of the tables in `tables.ts`, as they are read. */

export interface PackRow {
  id: number
  type: number
  first: number
  last: number
  used: number
  raw: number
  sum: number
  data: Uint8Array
}

export interface RecordRow {
  id: number
  kind: number
  at: number
  trace: number | null
  run: number | null
  object: number | null
  scope: number | null
  pack: number
  start: number
  size: number
  sum: number
}

export interface PayloadRow {
  hash: string
  pack: number
  start: number
  size: number
  sum: number
}

export interface TraceRow {
  id: number
  trace: string
  sum: number
}

export interface PartRow {
  id: number
  type: string
  namespace: string
  name: string
  part: string
  sum: number
}

export interface ScopeRow {
  id: number
  kind: string
  namespace: string
  sum: number
}

export interface ObjectRow {
  id: number
  version: string
  kind: string
  namespace: string
  name: string
  uid: string
  scope: number
  events: number
  writes: number
  first_at: number
  last_at: number
  last_verb: string | null
  is_deleted: number
  changed: number
  sum: number
}

export interface EventRow {
  id: number
  at: number
  trace: number
  source: number
  bus: number | null
  type: string
  change: string | null
  object: number | null
  version: string | null
  key: string | null
  replay_of: number | null
  scope: number
  verdict: number
  runs: number
  /** How many of them have failed and were not tried again. */
  failed_runs: number
  bytes: number
  rest_hash: string | null
  body_hash: string | null
  old_hash: string | null
  changed: number
  sum: number
}

export interface OutcomeRow {
  trace: number
  trigger_part: number
  state: number
  action: string | null
  attempt: number | null
  at: number
  reason: string | null
  message: string | null
  fingerprint: string | null
  object: number | null
  scope: number
  changed: number
  sum: number
}

export interface RunRow {
  id: number
  uid: string
  namespace: string
  name: string
  trace: number | null
  phase: string
  message: string | null
  action: string | null
  trigger_part: number | null
  template: number | null
  object: number | null
  scope: number
  at: number
  started_at: number | null
  finished_at: number | null
  progress: string | null
  steps: string
  fingerprint: string | null
  repeats: string | null
  changed: number
  sum: number
  /** How often it was begun. */
  attempt: number
  /** The time for which a CronWorkflow has made it. */
  scheduled_at: number | null
}

export interface StepRow {
  run: number
  step: string
  phase: string
  first: number
  last: number
  sum: number
}

export interface LogRow {
  run: number
  step: string
  container: string
  number: number
  record: number
  before: number
  ends: number
  bytes: number
  pack: number | null
  start: number | null
  sum: number
  pod: string | null
  upto: number | null
}

export interface WriteRow {
  id: number
  at: number
  trace: number | null
  object: number
  version: string
  verb: string
  outcome: string
  actor: string | null
  run: number | null
  scope: number
  sum: number
}

export interface ConditionRow {
  object: number
  condition: string
  status: string
  was: string | null
  reason: string
  message: string | null
  at: number
  trace: number | null
  scope: number
  record: number
  sum: number
}

export interface AuditRow {
  id: number
  at: number
  who: string
  did: string
  outcome: string
  target: string
  scope: number | null
  sum: number
}

export interface FlowRow {
  minute: number
  from_part: number
  to_part: number
  scope: number
  count: number
  errors: number
  last_at: number
  sum: number
}

export interface CountRow {
  minute: number
  name: string
  scope: number
  count: number
  sum: number
}
