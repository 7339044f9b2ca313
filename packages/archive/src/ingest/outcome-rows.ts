import type { DecisionRecord, DeliveryRecord, PartReference } from '@tiphys/journal/records'
import { storable, whole } from '../database/checksum.ts'
import type { OutcomeRow } from '../database/rows.ts'
import type { About, BatchRows } from './batch-rows.ts'
import { judge } from './event-rows.ts'
import { fingerprint } from './fingerprint.ts'
import { busPart } from './ledger.ts'
import { openCount } from './tally.ts'
import { isBad, isOpen, VERDICT_NUMBERS } from './vocabulary.ts'

export function addDecision(batch: BatchRows, record: DecisionRecord, id: number): About {
  // That it came again says nothing of what became of it.
  if (record.verdict === 'repeated') {
    const known = batch.ledger.events.get(batch.register.trace(record.trace).id)
    return { scope: known?.scope ?? batch.register.scope('EventSource.argoproj.io', record.trigger.namespace) }
  }
  const trigger = batch.register.part('trigger', record.trigger)
  let scope: number | undefined
  for (const event of eventsOf(record)) {
    if (event === '') continue
    const trace = batch.register.trace(event).id
    const outcome = outcomeRow(batch, trace, trigger, record.trigger, id, record.at)
    if (event === record.trace) scope = outcome.scope
    const state = DECIDED[record.verdict] ?? VERDICT_NUMBERS.pending
    // Once something was sent, what a sensor thinks of the event again does not matter; and of several dependencies that
    // look at one event, one that turns it away does not undo what another made of it.
    const isLess = state < outcome.state && (record.verdict === 'filtered' || record.verdict === 'superseded')
    const isWaiting = outcome.state === VERDICT_NUMBERS.waiting
    if (outcome.attempt !== null || (isLess && !(record.verdict === 'superseded' && isWaiting))) continue
    settle(batch, trace, outcome, { state, isDelivery: false, at: record.at, id })
    outcome.reason = storable(record.by)
    outcome.message = storable(record.message)
    if (state === VERDICT_NUMBERS.failed)
      outcome.fingerprint = fingerprint(partName(record.trigger), record.by, record.message)
  }
  // A source that ends an event by its own filter is no sensor, and the event was on no bus.
  if (record.by === 'filter.expression') return scope === undefined ? {} : { scope }
  const sensor = batch.register.part('sensor', { ...record.trigger, part: '' })
  const handed = `${record.trace}\n${sensor}`
  if (!batch.handed.has(handed)) {
    batch.handed.add(handed)
    const errors = record.verdict === 'failed' ? 1 : 0
    batch.tally.flow(busOfEvent(batch, record.trace, record.trigger.namespace), sensor, scope ?? 0, record.at, {
      count: 1,
      errors,
    })
  }
  return scope === undefined ? {} : { scope }
}

export function addDelivery(batch: BatchRows, record: DeliveryRecord, id: number): About {
  const trigger = batch.register.part('trigger', record.trigger)
  const state = DELIVERED[record.outcome] ?? VERDICT_NUMBERS.running
  let scope: number | undefined
  const traces: number[] = []
  let isCounted = false
  for (const event of eventsOf(record)) {
    if (event === '') continue
    const trace = batch.register.trace(event).id
    traces.push(trace)
    const outcome = outcomeRow(batch, trace, trigger, record.trigger, id, record.at)
    // Giving up is told after the attempt that failed, and is no attempt of its own.
    isCounted ||=
      record.outcome === 'parked' && outcome.state === VERDICT_NUMBERS.failed && outcome.attempt === record.attempt
    if (event === record.trace || scope === undefined) scope = outcome.scope
    settle(batch, trace, outcome, { state, isDelivery: true, at: record.at, id })
    outcome.action = storable(record.action)
    outcome.attempt = whole(record.attempt)
    outcome.reason = storable(record.reason)
    outcome.message = storable(record.message)
    if (record.object) outcome.object = batch.register.object(record.object, id, record.at)?.id ?? null
    outcome.fingerprint = isBad(state) ? fingerprint(partName(record.trigger), record.reason, record.message) : null
  }
  batch.ledger.noteAction(storable(record.action), trigger, traces)
  const errors = isBad(state) ? 1 : 0
  if (!isCounted && (errors === 1 || record.outcome === 'succeeded'))
    batch.tally.flow(batch.register.part('sensor', { ...record.trigger, part: '' }), trigger, scope ?? 0, record.at, {
      count: 1,
      errors,
    })
  return scope === undefined ? {} : { scope }
}

/** Each once. It is nearly always one. */
function eventsOf({ trace, events }: DecisionRecord | DeliveryRecord): Iterable<string> {
  return events.length === 1 && events[0] === trace ? events : new Set([trace, ...events])
}

function outcomeRow(
  batch: BatchRows,
  trace: number,
  trigger: number,
  { namespace }: PartReference,
  id: number,
  at: number,
): OutcomeRow {
  const known = batch.ledger.outcomes.get(trace)?.find(({ trigger_part }) => trigger_part === trigger)
  if (known) return known
  const event = batch.ledger.events.get(trace)
  const row: OutcomeRow = {
    trace,
    trigger_part: trigger,
    state: VERDICT_NUMBERS.pending,
    action: null,
    attempt: null,
    at: whole(at),
    reason: null,
    message: null,
    fingerprint: null,
    object: event?.object ?? null,
    scope: event?.scope ?? batch.register.scope('Sensor.argoproj.io', namespace),
    changed: id,
    sum: 0,
  }
  batch.ledger.noteOutcome(row)
  return row
}

function settle(
  batch: BatchRows,
  trace: number,
  outcome: OutcomeRow,
  { state, isDelivery, at, id }: { state: number; isDelivery: boolean; at: number; id: number },
): void {
  if (outcome.state === VERDICT_NUMBERS.parked) batch.tally.count(0, 'parked', outcome.scope, -1)
  if (state === VERDICT_NUMBERS.parked) batch.tally.count(0, 'parked', outcome.scope, 1)
  if (isOpen(outcome.state, outcome.attempt !== null))
    batch.tally.count(0, openCount(outcome.trigger_part, outcome.state), outcome.scope, -1)
  if (isOpen(state, isDelivery)) batch.tally.count(0, openCount(outcome.trigger_part, state), outcome.scope, 1)
  outcome.state = state
  outcome.at = whole(at)
  outcome.changed = id
  batch.outcomes.add(outcome)
  const event = batch.ledger.events.get(trace)
  if (event) judge(batch, event, at, id)
}

function busOfEvent(batch: BatchRows, trace: string, namespace: string): number {
  const row = batch.ledger.traces.get(trace) ?? batch.ledger.traces.get(storable(trace))
  return (row && batch.ledger.events.get(row.id)?.bus) ?? batch.register.part('bus', busPart(undefined, namespace))
}

const DECIDED: Readonly<Record<string, number>> = {
  passed: VERDICT_NUMBERS.waiting,
  joined: VERDICT_NUMBERS.waiting,
  waiting: VERDICT_NUMBERS.waiting,
  filtered: VERDICT_NUMBERS.filtered,
  superseded: VERDICT_NUMBERS.superseded,
  reset: VERDICT_NUMBERS.superseded,
  failed: VERDICT_NUMBERS.failed,
} satisfies Record<Exclude<DecisionRecord['verdict'], 'repeated'>, number>

const DELIVERED: Readonly<Record<string, number>> = {
  started: VERDICT_NUMBERS.running,
  retried: VERDICT_NUMBERS.running,
  succeeded: VERDICT_NUMBERS.ran,
  failed: VERDICT_NUMBERS.failed,
  parked: VERDICT_NUMBERS.parked,
  discarded: VERDICT_NUMBERS.discarded,
} satisfies Record<DeliveryRecord['outcome'], number>

const partName = ({ namespace, name, part }: PartReference): string => `${namespace}/${name}/${part}`
