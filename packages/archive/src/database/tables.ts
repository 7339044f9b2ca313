import type { ColumnType, Table } from './database.ts'

/** What the newest schema has. The numbered migrations in `migrations.ts` make it; a test compares the two. */
function table<C extends Record<string, ColumnType>>(name: string, key: readonly (keyof C & string)[], columns: C) {
  return { name, key, columns } satisfies Table
}

export const META = table('meta', ['name'], { name: 'text', value: 'text', sum: 'int' })

/** Compressed content: records, or payloads and pieces of logs, beside each other. */
export const PACKS = table('packs', ['id'], {
  id: 'int',
  /** 0 records, 1 payloads and logs */
  type: 'int',
  /** The first and the last record in it; of contents, those they came with. */
  first: 'int',
  last: 'int',
  /** The last record that needs it. */
  used: 'int',
  raw: 'int',
  sum: 'int',
  data: 'blob',
})

/** One row for each record: what it belongs to and where its text is. */
export const RECORDS = table('records', ['id'], {
  id: 'int',
  kind: 'int',
  at: 'int',
  trace: 'int',
  run: 'int',
  object: 'int',
  scope: 'int',
  pack: 'int',
  start: 'int',
  size: 'int',
  sum: 'int',
})

export const PAYLOADS = table('payloads', ['hash'], {
  hash: 'text',
  pack: 'int',
  start: 'int',
  size: 'int',
  sum: 'int',
})

export const TRACES = table('traces', ['id'], { id: 'int', trace: 'text', sum: 'int' })

/** Names that are repeated often: sources, buses, triggers, templates. */
export const PARTS = table('parts', ['id'], {
  id: 'int',
  type: 'text',
  namespace: 'text',
  name: 'text',
  part: 'text',
  sum: 'int',
})

export const SCOPES = table('scopes', ['id'], { id: 'int', kind: 'text', namespace: 'text', sum: 'int' })

export const OBJECTS = table('objects', ['id'], {
  id: 'int',
  version: 'text',
  kind: 'text',
  namespace: 'text',
  name: 'text',
  uid: 'text',
  scope: 'int',
  events: 'int',
  writes: 'int',
  first_at: 'int',
  last_at: 'int',
  last_verb: 'text',
  is_deleted: 'int',
  changed: 'int',
  sum: 'int',
})

export const EVENTS = table('events', ['id'], {
  id: 'int',
  at: 'int',
  trace: 'int',
  source: 'int',
  bus: 'int',
  type: 'text',
  change: 'text',
  object: 'int',
  version: 'text',
  key: 'text',
  replay_of: 'int',
  scope: 'int',
  verdict: 'int',
  runs: 'int',
  failed_runs: 'int',
  bytes: 'int',
  /** Of the payload without these two, of its `body` and its `oldBody`. */
  rest_hash: 'text',
  body_hash: 'text',
  old_hash: 'text',
  changed: 'int',
  sum: 'int',
})

export const OUTCOMES = table('outcomes', ['trace', 'trigger_part'], {
  trace: 'int',
  trigger_part: 'int',
  state: 'int',
  action: 'text',
  attempt: 'int',
  at: 'int',
  reason: 'text',
  message: 'text',
  fingerprint: 'text',
  object: 'int',
  scope: 'int',
  changed: 'int',
  sum: 'int',
})

export const RUNS = table('runs', ['id'], {
  id: 'int',
  uid: 'text',
  namespace: 'text',
  name: 'text',
  trace: 'int',
  phase: 'text',
  message: 'text',
  action: 'text',
  trigger_part: 'int',
  template: 'int',
  object: 'int',
  scope: 'int',
  at: 'int',
  started_at: 'int',
  finished_at: 'int',
  progress: 'text',
  steps: 'text',
  fingerprint: 'text',
  repeats: 'text',
  changed: 'int',
  sum: 'int',
  attempt: 'int',
  scheduled_at: 'int',
})

export const STEPS = table('steps', ['run', 'step'], {
  run: 'int',
  step: 'text',
  phase: 'text',
  first: 'int',
  last: 'int',
  sum: 'int',
})

export const LOGS = table('logs', ['run', 'step', 'container', 'number'], {
  run: 'int',
  step: 'text',
  container: 'text',
  number: 'int',
  record: 'int',
  /** Line ends before it and in it. */
  before: 'int',
  ends: 'int',
  bytes: 'int',
  /** Null when the content was gone. */
  pack: 'int',
  start: 'int',
  sum: 'int',
  /** The uid of the pod that printed it, and how many bytes that had printed at its end; null where that is not known. */
  pod: 'text',
  upto: 'int',
})

export const WRITES = table('writes', ['id'], {
  id: 'int',
  at: 'int',
  trace: 'int',
  object: 'int',
  version: 'text',
  verb: 'text',
  outcome: 'text',
  actor: 'text',
  run: 'int',
  scope: 'int',
  sum: 'int',
})

export const CONDITIONS = table('conditions', ['object', 'condition'], {
  object: 'int',
  condition: 'text',
  status: 'text',
  was: 'text',
  reason: 'text',
  message: 'text',
  at: 'int',
  trace: 'int',
  scope: 'int',
  record: 'int',
  sum: 'int',
})

export const AUDITS = table('audits', ['id'], {
  id: 'int',
  at: 'int',
  who: 'text',
  did: 'text',
  outcome: 'text',
  target: 'text',
  scope: 'int',
  sum: 'int',
})

/** How much went from one part to another in a minute. */
export const FLOWS = table('flows', ['minute', 'from_part', 'to_part', 'scope'], {
  minute: 'int',
  from_part: 'int',
  to_part: 'int',
  scope: 'int',
  count: 'int',
  errors: 'int',
  last_at: 'int',
  sum: 'int',
})

/** Numbers per minute, and of all that is there (minute 0). */
export const COUNTS = table('counts', ['minute', 'name', 'scope'], {
  minute: 'int',
  name: 'text',
  scope: 'int',
  count: 'int',
  sum: 'int',
})

export const ALL_TABLES: readonly Table[] = [
  META,
  PACKS,
  RECORDS,
  PAYLOADS,
  TRACES,
  PARTS,
  SCOPES,
  OBJECTS,
  EVENTS,
  OUTCOMES,
  RUNS,
  STEPS,
  LOGS,
  WRITES,
  CONDITIONS,
  AUDITS,
  FLOWS,
  COUNTS,
]
