import type { EventRecord } from '@tiphys/journal/records'
import { storable, whole } from '../database/checksum.ts'
import type { EventRow } from '../database/rows.ts'
import type { About, BatchRows } from './batch-rows.ts'
import type { Decoded } from './incoming.ts'
import { busPart } from './ledger.ts'
import type { Part } from './payload.ts'
import { verdictCount } from './tally.ts'
import { FAILED_PHASES, isBad, VERDICT_NUMBERS } from './vocabulary.ts'

export function addEvent(
  batch: BatchRows,
  record: EventRecord,
  { payload }: Decoded,
  id: number,
  trace: number,
): About {
  const { change, version, uid } = payload ?? {}
  const object =
    record.object && batch.register.object({ ...(uid === undefined ? {} : { uid }), ...record.object }, id, record.at)
  if (object) {
    object.events++
    if (change === 'DELETE') object.is_deleted = 1
  }
  const scope = object?.scope ?? batch.register.scope('EventSource.argoproj.io', record.source.namespace)
  const source = batch.register.part('source', record.source)
  const bus = record.isEnded ? null : batch.register.part('bus', busPart(record.bus, record.source.namespace))
  // Those that were told of before it.
  const runs = batch.ledger.runsOf(trace)
  const failed = runs.filter(({ phase }) => FAILED_PHASES.includes(phase)).length
  const row: EventRow = {
    id,
    at: whole(record.at),
    trace,
    source,
    bus,
    type: storable(record.type),
    change: storable(change),
    object: object?.id ?? null,
    version: storable(record.resourceVersion ?? version),
    key: storable(record.key),
    replay_of: record.replayOf === undefined ? null : batch.register.trace(record.replayOf).id,
    scope,
    verdict: worst(batch, trace, failed, record.isUnheard ? VERDICT_NUMBERS.unheard : VERDICT_NUMBERS.pending),
    runs: runs.length,
    failed_runs: failed,
    bytes: payload?.bytes ?? record.bodyReference?.bytes ?? 0,
    rest_hash: addPayload(batch, payload?.rest, id),
    body_hash: addPayload(batch, payload?.body, id),
    old_hash: addPayload(batch, payload?.oldBody, id),
    changed: id,
    sum: 0,
  }
  batch.ledger.events.set(trace, row)
  batch.events.add(row)
  countEvent(batch, row, 1)
  if (bus !== null) batch.tally.flow(source, bus, scope, record.at, { count: 1 })
  return { scope, ...(object ? { object: object.id } : {}) }
}

/** An event is as badly off as the worst of its triggers and the runs that they have started. */
export function judge(batch: BatchRows, event: EventRow, at: number, id: number): void {
  const verdict = worst(batch, event.trace, event.failed_runs, Math.min(event.verdict, VERDICT_NUMBERS.pending))
  event.changed = id
  batch.events.add(event)
  if (verdict === event.verdict) return
  if (isBad(verdict) && !isBad(event.verdict)) batch.tally.count(at, 'errors', event.scope, 1)
  batch.tally.count(0, verdictCount(event.verdict), event.scope, -1)
  batch.tally.count(0, verdictCount(verdict), event.scope, 1)
  event.verdict = verdict
}

/** `least`: what is true of it while nothing else is. */
function worst(batch: BatchRows, trace: number, failedRuns: number, least: number): number {
  let worst = failedRuns > 0 ? VERDICT_NUMBERS.failed : least
  for (const { state } of batch.ledger.outcomes.get(trace) ?? []) worst = Math.max(worst, state)
  return worst
}

function addPayload(batch: BatchRows, part: Part | undefined, id: number): string | null {
  if (!part) return null
  const known = batch.ledger.payloads.get(part.hash)
  if (known) {
    batch.used.set(known.pack, id)
  } else {
    const row = { hash: part.hash, ...batch.contents.add(part.content, id), sum: 0 }
    batch.ledger.payloads.set(part.hash, row)
    batch.payloads.push(row)
  }
  return part.hash
}

function countEvent(batch: BatchRows, { verdict, scope, at }: EventRow, by: number): void {
  batch.tally.count(0, 'events', scope, by)
  batch.tally.count(0, verdictCount(verdict), scope, by)
  batch.tally.count(at, 'events', scope, by)
}
