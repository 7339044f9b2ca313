import type { LogRecord, RunRecord, RunReference, StepRecord } from '@tiphys/journal/records'
import { storable, whole } from '../database/checksum.ts'
import type { EventRow, LogRow, RunRow, StepRow } from '../database/rows.ts'
import type { About, BatchRows } from './batch-rows.ts'
import { judge } from './event-rows.ts'
import { fingerprint } from './fingerprint.ts'
import type { Decoded } from './incoming.ts'
import { type Ledger, logKey } from './ledger.ts'
import { FAILED_PHASES, FINAL_PHASES, GONE_WELL } from './vocabulary.ts'

export function addRun(batch: BatchRows, record: RunRecord, id: number, trace: number | undefined): About {
  const isFirst = !batch.ledger.runs.has(storable(record.run.uid))
  const row = runRow(batch, record.run, id, trace, record.at)
  const wasFailed = FAILED_PHASES.includes(row.phase)
  const isAnotherAttempt = isBegunAgain(row, record)
  if (isAnotherAttempt) row.attempt++
  if (isAnotherAttempt) forgetFailures(batch, row)
  const isSuspended = record.isSuspended === true || countsOf(row)[SUSPENDED] !== undefined
  enterPhase(batch, row, record.phase === RUNNING && isSuspended ? SUSPENDED : storable(record.phase))
  // Without one there is none any more: a run that is tried again has not failed.
  const message = record.cause ? `${record.cause.step}: ${record.cause.message}` : record.message
  row.message = message === undefined ? null : storable(message)
  if (record.progress !== undefined) row.progress = storable(record.progress)
  if (record.startedAt !== undefined) row.started_at = whole(record.startedAt)
  row.finished_at = record.finishedAt === undefined ? null : whole(record.finishedAt)
  if (record.scheduledAt !== undefined) row.scheduled_at = whole(record.scheduledAt)
  if (record.repeats) row.repeats = storable(JSON.stringify(record.repeats))
  if (record.object) row.object = batch.register.object(record.object, id, record.at)?.id ?? null
  const wasLinked = row.template !== null
  if (record.template !== undefined)
    row.template = batch.register.part('template', {
      namespace: record.run.namespace,
      name: record.template,
      part: '',
    })
  const isLinked = row.action !== null
  if (record.action !== undefined) {
    row.action = storable(record.action)
    row.trigger_part = batch.ledger.actions.get(row.action) ?? row.trigger_part
  }
  const hasFailed = FAILED_PHASES.includes(row.phase)
  row.fingerprint = hasFailed ? fingerprint(record.template ?? '', row.phase, withoutItem(message)) : null
  row.changed = id
  if (row.trigger_part !== null && row.template !== null) {
    // Every attempt is one that may fail: otherwise more would have failed than there were.
    const count = wasLinked && !isAnotherAttempt ? 0 : 1
    const errors = hasFailed && (!wasFailed || isAnotherAttempt) ? 1 : 0
    if (count + errors > 0) batch.tally.flow(row.trigger_part, row.template, row.scope, record.at, { count, errors })
  }
  if (hasFailed && !wasFailed) batch.tally.count(record.at, 'run-errors', row.scope, 1)
  const others = otherEvents(batch, row)
  if (!isLinked)
    for (const event of others) {
      event.runs++
      if (wasFailed) event.failed_runs++
      judge(batch, event, record.at, id)
    }
  const event = row.trace === null ? undefined : batch.ledger.events.get(row.trace)
  if (hasFailed !== wasFailed)
    for (const each of event ? [event, ...others] : others) {
      each.failed_runs += hasFailed ? 1 : -1
      judge(batch, each, record.at, id)
    }
  return { run: row.id, scope: row.scope, isFirst, ...(row.object === null ? {} : { object: row.object }) }
}

/** What failed in one round of a loop, or at one attempt, failed in the same way in another: `apply(3:cache): …`. */
const withoutItem = (message = ''): string => message.replace(/^([^\s(:]+)\([^)]*\):/, '$1:')

/** It was over and goes on, or ended anew after it was begun anew. */
function isBegunAgain({ phase, started_at, finished_at }: RunRow, record: RunRecord): boolean {
  if (!FINAL_PHASES.includes(phase)) return false
  if (!FINAL_PHASES.includes(record.phase)) return true
  const { startedAt } = record
  if (startedAt === undefined || finished_at === null) return false
  return startedAt >= finished_at && whole(startedAt) !== started_at
}

/** The events that led to a run together with the one it is traced by. */
function otherEvents(batch: BatchRows, { action, trace }: RunRow): EventRow[] {
  const traces = action === null ? undefined : batch.ledger.joins.get(action)
  if (!traces) return []
  return traces.flatMap(other => (other === trace ? [] : (batch.ledger.events.get(other) ?? [])))
}

export function addStep(batch: BatchRows, record: StepRecord, id: number, trace: number | undefined): About {
  const run = runRow(batch, record.run, id, trace, record.at)
  const steps = batch.ledger.steps.get(run.id) ?? new Map<string, StepRow>()
  batch.ledger.steps.set(run.id, steps)
  const step = storable(record.step)
  const known = steps.get(step)
  const phase = stateOf(record, known)
  const counts = countsOf(run)
  const wasSuspended = counts[SUSPENDED] !== undefined
  const row: StepRow = known ?? { run: run.id, step, phase: FORGOTTEN, first: id, last: id, sum: 0 }
  if (DOING.has(record.type)) move(counts, row, phase)
  else row.phase = phase
  for (const earlier of record.replaces ?? []) {
    const replaced = steps.get(storable(earlier))
    if (!replaced || !FAILED_PHASES.includes(replaced.phase)) continue
    move(counts, replaced, RETRIED)
    batch.steps.add(replaced)
  }
  run.steps = JSON.stringify(counts)
  run.changed = id
  row.last = id
  steps.set(step, row)
  batch.steps.add(row)
  const isSuspended = counts[SUSPENDED] !== undefined
  if (isSuspended && run.phase === RUNNING) enterPhase(batch, run, SUSPENDED)
  // One that somebody suspended as a whole says so again: it has come further.
  else if (wasSuspended && !isSuspended && run.phase === SUSPENDED) enterPhase(batch, run, RUNNING)
  return { run: run.id, scope: run.scope, isFirst: known === undefined }
}

/** Types of nodes that do something, or wait: what `status.progress` counts. The others consist of these, or were never begun. */
const DOING = new Set(['Pod', 'Container', 'HTTP', 'Plugin', 'Suspend'])

const RUNNING = 'Running'
/** Waits to be resumed, by somebody or by the time: a step, or a run that has such a step or was suspended as a whole. */
const SUSPENDED = 'Suspended'
/** An attempt that failed, and was followed by another. */
const RETRIED = 'Retried'
/** A step that is counted nowhere: it is done again, or never was. */
const FORGOTTEN = ''

const countsOf = ({ steps }: RunRow) => JSON.parse(steps) as Record<string, number>

/** What a step counts as. That an attempt failed may be told again, by an engine that starts anew. */
function stateOf({ type, phase }: StepRecord, known: StepRow | undefined): string {
  if (type === 'Suspend' && phase === RUNNING) return SUSPENDED
  return known?.phase === RETRIED && FAILED_PHASES.includes(phase) ? RETRIED : storable(phase)
}

function move(counts: Record<string, number>, row: StepRow, phase: string): void {
  const bump = (of: string, by: number) => {
    const count = (Object.hasOwn(counts, of) ? (counts[of] as number) : 0) + by
    if (count > 0)
      Object.defineProperty(counts, of, { value: count, enumerable: true, configurable: true, writable: true })
    else delete counts[of]
  }
  if (row.phase !== FORGOTTEN) bump(row.phase, -1)
  bump(phase, 1)
  row.phase = phase
}

/** What has not gone well is done anew when a run is: it counts again when it begins. */
function forgetFailures(batch: BatchRows, run: RunRow): void {
  const counts = countsOf(run)
  for (const row of batch.ledger.steps.get(run.id)?.values() ?? []) {
    if (GONE_WELL.includes(row.phase)) continue
    delete counts[row.phase]
    row.phase = FORGOTTEN
    batch.steps.add(row)
  }
  run.steps = JSON.stringify(counts)
}

function enterPhase({ tally }: BatchRows, run: RunRow, phase: string): void {
  tally.count(0, `phase:${run.phase}`, run.scope, -1)
  run.phase = phase
  tally.count(0, `phase:${phase}`, run.scope, 1)
}

/** How many bytes its pod had printed at the end of a piece of output; null where that is not known. */
const endOf = ({ pod, offset, chunk }: LogRecord): number | null =>
  pod === undefined || offset === undefined ? null : whole(offset + chunk.bytes)

/** A piece of output with what it adds to what is there; undefined when that is nothing. An engine that starts anew reads a log from its
 *  start. */
export function withNewOutput({ logs }: Ledger, decoded: Decoded, record: LogRecord): Decoded | undefined {
  const last = logs.get(logKey(record.run.uid, record.step, record.container))
  const end = endOf(record)
  if (end === null || !last || last.upto === null || last.pod !== storable(record.pod ?? '')) return decoded
  const left = end - last.upto
  if (left <= 0) return undefined
  const { content } = decoded
  return content && left < content.length ? { ...decoded, content: content.subarray(content.length - left) } : decoded
}

export function addLog(
  batch: BatchRows,
  record: LogRecord,
  content: Buffer | undefined,
  id: number,
  trace: number | undefined,
): About {
  const run = runRow(batch, record.run, id, trace, record.at)
  const key = logKey(record.run.uid, record.step, record.container)
  const last = batch.ledger.logs.get(key)
  const place = content && batch.contents.add(content, id)
  const row: LogRow = {
    run: run.id,
    step: storable(record.step),
    container: storable(record.container),
    number: (last?.number ?? -1) + 1,
    record: id,
    before: last ? last.before + last.ends : 0,
    ends: content ? countLineEnds(content) : 0,
    bytes: content?.length ?? record.chunk.bytes,
    pack: place?.pack ?? null,
    start: place?.start ?? null,
    sum: 0,
    pod: record.pod === undefined ? null : storable(record.pod),
    upto: endOf(record),
  }
  batch.ledger.logs.set(key, row)
  batch.logs.push(row)
  // Whoever follows the run reads on.
  run.changed = id
  return { run: run.id, scope: run.scope }
}

export function runRow(batch: BatchRows, run: RunReference, id: number, trace: number | undefined, at: number): RunRow {
  const uid = storable(run.uid)
  let row = batch.ledger.runs.get(uid)
  if (!row) {
    const scope = batch.register.scope('Workflow.argoproj.io', run.namespace)
    row = {
      id,
      uid,
      namespace: storable(run.namespace),
      name: storable(run.name),
      trace: trace ?? null,
      phase: 'Pending',
      message: null,
      action: null,
      trigger_part: null,
      template: null,
      object: null,
      scope,
      at: whole(at),
      started_at: null,
      finished_at: null,
      progress: null,
      steps: '{}',
      fingerprint: null,
      repeats: null,
      changed: id,
      sum: 0,
      attempt: 1,
      scheduled_at: null,
    }
    batch.ledger.noteRun(row)
    batch.ledger.steps.set(id, new Map())
    batch.tally.count(0, 'runs', scope, 1)
    batch.tally.count(0, `phase:${row.phase}`, scope, 1)
    batch.tally.count(at, 'runs', scope, 1)
    const event = trace === undefined ? undefined : batch.ledger.events.get(trace)
    if (event) {
      event.runs++
      event.changed = id
      batch.events.add(event)
      // A Workflow does not know what its event was about, unless its record says so.
      row.object = event.object
    }
  }
  batch.runs.add(row)
  return row
}

function countLineEnds(content: Buffer): number {
  let count = 0
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) count++
  return count
}
