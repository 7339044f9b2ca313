import type {
  AuditRecord,
  DecisionRecord,
  DeliveryRecord,
  EventRecord,
  HealthRecord,
  LogRecord,
  ObjectReference,
  PartReference,
  RunRecord,
  RunReference,
  StepRecord,
  WriteRecord,
} from '@tiphys/journal/records'
import { storable } from '../database/checksum.ts'
import type { Doc } from '../database/database.ts'
import type {
  AuditRow,
  ConditionRow,
  CountRow,
  EventRow,
  FlowRow,
  LogRow,
  ObjectRow,
  OutcomeRow,
  PackRow,
  PartRow,
  PayloadRow,
  RecordRow,
  RunRow,
  ScopeRow,
  StepRow,
  TraceRow,
  WriteRow,
} from '../database/rows.ts'
import { fingerprint } from './fingerprint.ts'
import type { Decoded } from './incoming.ts'
import { busPart, conditionKey, kindOf, type Ledger, logKey, nameKey, partKey, scopeKey } from './ledger.ts'
import { PACK_TYPES, Packer } from './packer.ts'
import { changeOf, type Part } from './payload.ts'
import { docOf } from './searchable.ts'
import { FAILED_PHASES, isBad, KIND_NUMBERS, VERDICT_NUMBERS } from './vocabulary.ts'

export const MINUTE_MS = 60_000

/** What a batch of records adds to the tables and changes in them. Applying records needs no database: everything they touch is
 *  in the ledger. */
export class Projection {
  readonly #ledger: Ledger
  readonly #records: Packer
  readonly #contents: Packer
  readonly records: RecordRow[] = []
  readonly docs: Doc[] = []
  readonly traces: TraceRow[] = []
  readonly parts: PartRow[] = []
  readonly scopes: ScopeRow[] = []
  readonly payloads: PayloadRow[] = []
  readonly writes: WriteRow[] = []
  readonly logs: LogRow[] = []
  readonly audits: AuditRow[] = []
  readonly objects = new Set<ObjectRow>()
  readonly events = new Set<EventRow>()
  readonly outcomes = new Set<OutcomeRow>()
  readonly runs = new Set<RunRow>()
  readonly steps = new Set<StepRow>()
  readonly conditions = new Set<ConditionRow>()
  readonly flows = new Map<string, FlowRow>()
  readonly counts = new Map<string, CountRow>()
  /** Packs of earlier batches that are needed again, and by which record last. */
  readonly used = new Map<number, number>()
  /** Decisions are made for each trigger; what a bus hands to a sensor counts once. */
  readonly #handed = new Set<string>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    const nextPack = () => ++ledger.last.pack
    this.#records = new Packer(PACK_TYPES.records, nextPack)
    this.#contents = new Packer(PACK_TYPES.contents, nextPack)
  }

  /** All packs, once everything was applied. */
  packs(): PackRow[] {
    this.#records.flush()
    this.#contents.flush()
    return [...this.#records.packs, ...this.#contents.packs]
  }

  /** Whether it was new. */
  apply(decoded: Decoded): boolean {
    const { record } = decoded
    const trace = record.trace === '' ? undefined : this.#trace(record.trace)
    // An event that is recorded twice is one event: after a crash its source publishes it again.
    if (record.kind === 'event' && this.#ledger.events.get(trace?.id ?? 0)) return false
    const id = ++this.#ledger.last.record
    const about = this.#about(decoded, id, trace?.id)
    const text =
      record.kind === 'event' && decoded.payload
        ? Buffer.from(JSON.stringify({ ...record, body: undefined }))
        : decoded.text
    this.records.push({
      id,
      kind: KIND_NUMBERS[record.kind],
      at: whole(record.at),
      trace: trace?.id ?? null,
      run: about.run ?? null,
      object: about.object ?? null,
      scope: about.scope ?? null,
      ...this.#records.add(text, id),
      sum: 0,
    })
    const doc = docOf(decoded, about.isFirst)
    if (doc.length > 0) this.docs.push({ id, words: doc })
    this.#count(0, 'records', 0, 1)
    return true
  }

  #about(decoded: Decoded, id: number, trace: number | undefined): About {
    const { record } = decoded
    switch (record.kind) {
      case 'event':
        return this.#event(record, decoded, id, trace as number)
      case 'decision':
        return this.#decision(record, id)
      case 'delivery':
        return this.#delivery(record, id)
      case 'run':
        return this.#run(record, id, trace)
      case 'step':
        return this.#step(record, id, trace)
      case 'log':
        return this.#log(record, decoded.content, id, trace)
      case 'write':
        return this.#write(record, id, trace)
      case 'health':
        return this.#health(record, id, trace)
      case 'audit':
        return this.#audit(record, id)
      default:
        return {}
    }
  }

  #event(record: EventRecord, { payload }: Decoded, id: number, trace: number): About {
    const { change, version, uid } = changeOf(record.body)
    const object =
      record.object && this.#object({ ...(uid === undefined ? {} : { uid }), ...record.object }, id, record.at)
    if (object) {
      object.events++
      if (change === 'DELETE') object.is_deleted = 1
    }
    const scope = object?.scope ?? this.#scope('EventSource.argoproj.io', record.source.namespace)
    const source = this.#part('source', record.source)
    const bus = this.#part('bus', busPart(record.bus, record.source.namespace))
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
      replay_of: record.replayOf === undefined ? null : this.#trace(record.replayOf).id,
      scope,
      verdict: this.#worst(trace),
      runs: 0,
      bytes: payload?.bytes ?? record.bodyReference?.bytes ?? 0,
      rest_hash: this.#payload(payload?.rest, id),
      body_hash: this.#payload(payload?.body, id),
      old_hash: this.#payload(payload?.oldBody, id),
      changed: id,
      sum: 0,
    }
    this.#ledger.events.set(trace, row)
    this.events.add(row)
    this.#countEvent(row, 1)
    this.#flow(source, bus, scope, record.at, { count: 1 })
    return { scope, ...(object ? { object: object.id } : {}) }
  }

  #decision(record: DecisionRecord, id: number): About {
    const trigger = this.#part('trigger', record.trigger)
    let scope: number | undefined
    for (const event of new Set([record.trace, ...record.events])) {
      if (event === '') continue
      const trace = this.#trace(event).id
      const outcome = this.#outcome(trace, trigger, record.trigger, id, record.at)
      if (event === record.trace) scope = outcome.scope
      const state = DECIDED[record.verdict] ?? VERDICT_NUMBERS.pending
      // Once something was sent, what a sensor thinks of the event again does not matter; and of several dependencies that
      // look at one event, one that turns it away does not undo what another made of it.
      const isLess = state < outcome.state && (record.verdict === 'filtered' || record.verdict === 'superseded')
      const isWaiting = outcome.state === VERDICT_NUMBERS.waiting
      if (outcome.attempt !== null || (isLess && !(record.verdict === 'superseded' && isWaiting))) continue
      this.#settle(trace, outcome, state, record.at, id)
      outcome.reason = storable(record.by)
      outcome.message = storable(record.message)
      if (state === VERDICT_NUMBERS.failed)
        outcome.fingerprint = fingerprint(partName(record.trigger), record.by, record.message)
    }
    const sensor = this.#part('sensor', { ...record.trigger, part: '' })
    const handed = `${record.trace}\n${sensor}`
    if (!this.#handed.has(handed)) {
      this.#handed.add(handed)
      const errors = record.verdict === 'failed' ? 1 : 0
      this.#flow(this.#busOfEvent(record.trace, record.trigger.namespace), sensor, scope ?? 0, record.at, {
        count: 1,
        errors,
      })
    }
    return scope === undefined ? {} : { scope }
  }

  #delivery(record: DeliveryRecord, id: number): About {
    const trigger = this.#part('trigger', record.trigger)
    const state = DELIVERED[record.outcome] ?? VERDICT_NUMBERS.running
    let scope: number | undefined
    let isCounted = false
    for (const event of new Set([record.trace, ...record.events])) {
      if (event === '') continue
      const trace = this.#trace(event).id
      const outcome = this.#outcome(trace, trigger, record.trigger, id, record.at)
      // Giving up is told after the attempt that failed, and is no attempt of its own.
      isCounted ||=
        record.outcome === 'parked' && outcome.state === VERDICT_NUMBERS.failed && outcome.attempt === record.attempt
      if (event === record.trace || scope === undefined) scope = outcome.scope
      this.#settle(trace, outcome, state, record.at, id)
      outcome.action = storable(record.action)
      outcome.attempt = whole(record.attempt)
      outcome.reason = storable(record.reason)
      outcome.message = storable(record.message)
      if (record.object) outcome.object = this.#object(record.object, id, record.at)?.id ?? null
      outcome.fingerprint = isBad(state) ? fingerprint(partName(record.trigger), record.reason, record.message) : null
      this.#ledger.actions.set(storable(record.action), trigger)
    }
    const errors = isBad(state) ? 1 : 0
    if (!isCounted && (errors === 1 || record.outcome === 'succeeded'))
      this.#flow(this.#part('sensor', { ...record.trigger, part: '' }), trigger, scope ?? 0, record.at, {
        count: 1,
        errors,
      })
    return scope === undefined ? {} : { scope }
  }

  #run(record: RunRecord, id: number, trace: number | undefined): About {
    const isFirst = !this.#ledger.runs.has(storable(record.run.uid))
    const row = this.#runRow(record.run, id, trace, record.at)
    const wasFailed = FAILED_PHASES.includes(row.phase)
    this.#count(0, `phase:${row.phase}`, row.scope, -1)
    row.phase = storable(record.phase)
    this.#count(0, `phase:${row.phase}`, row.scope, 1)
    if (record.message !== undefined) row.message = storable(record.message)
    if (record.progress !== undefined) row.progress = storable(record.progress)
    if (record.startedAt !== undefined) row.started_at = whole(record.startedAt)
    row.finished_at = record.finishedAt === undefined ? null : whole(record.finishedAt)
    if (record.repeats) row.repeats = storable(JSON.stringify(record.repeats))
    if (record.object) row.object = this.#object(record.object, id, record.at)?.id ?? null
    const wasLinked = row.template !== null
    if (record.template !== undefined)
      row.template = this.#part('template', { namespace: record.run.namespace, name: record.template, part: '' })
    if (record.action !== undefined) {
      row.action = storable(record.action)
      row.trigger_part = this.#ledger.actions.get(row.action) ?? row.trigger_part
    }
    const hasFailed = FAILED_PHASES.includes(row.phase)
    row.fingerprint = hasFailed
      ? fingerprint(record.template ?? '', row.phase, record.message ?? row.message ?? '')
      : null
    row.changed = id
    if (row.trigger_part !== null && row.template !== null) {
      const errors = hasFailed && !wasFailed ? 1 : 0
      if (!wasLinked || errors === 1)
        this.#flow(row.trigger_part, row.template, row.scope, record.at, { count: wasLinked ? 0 : 1, errors })
    }
    if (hasFailed && !wasFailed) this.#count(record.at, 'run-errors', row.scope, 1)
    return { run: row.id, scope: row.scope, isFirst, ...(row.object === null ? {} : { object: row.object }) }
  }

  #step(record: StepRecord, id: number, trace: number | undefined): About {
    const run = this.#runRow(record.run, id, trace, record.at)
    const steps = this.#ledger.steps.get(run.id) ?? new Map<string, StepRow>()
    this.#ledger.steps.set(run.id, steps)
    const step = storable(record.step)
    const phase = storable(record.phase)
    const known = steps.get(step)
    const counts = JSON.parse(run.steps) as Record<string, number>
    const bump = (of: string, by: number) => {
      const count = (Object.hasOwn(counts, of) ? (counts[of] as number) : 0) + by
      if (count > 0)
        Object.defineProperty(counts, of, { value: count, enumerable: true, configurable: true, writable: true })
      else delete counts[of]
    }
    if (known) bump(known.phase, -1)
    bump(phase, 1)
    run.steps = JSON.stringify(counts)
    run.changed = id
    const row: StepRow = known ?? { run: run.id, step, phase, first: id, last: id, sum: 0 }
    row.phase = phase
    row.last = id
    steps.set(step, row)
    this.steps.add(row)
    return { run: run.id, scope: run.scope, isFirst: known === undefined }
  }

  #log(record: LogRecord, content: Buffer | undefined, id: number, trace: number | undefined): About {
    const run = this.#runRow(record.run, id, trace, record.at)
    const key = logKey(record.run.uid, record.step, record.container)
    const last = this.#ledger.logs.get(key)
    const place = content && this.#contents.add(content, id)
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
    }
    this.#ledger.logs.set(key, row)
    this.logs.push(row)
    return { run: run.id, scope: run.scope }
  }

  #write(record: WriteRecord, id: number, trace: number | undefined): About {
    const object = this.#object({ ...record.object, uid: record.uid }, id, record.at)
    if (!object) return {}
    object.writes++
    object.last_verb = storable(record.verb)
    if (record.outcome === 'deleted') object.is_deleted = 1
    const run = record.run && this.#runRow(record.run, id, trace, record.at)
    this.writes.push({
      id,
      at: whole(record.at),
      trace: trace ?? null,
      object: object.id,
      version: storable(record.resourceVersion),
      verb: storable(record.verb),
      outcome: storable(record.outcome),
      actor: storable(record.as),
      run: run?.id ?? null,
      scope: object.scope,
      sum: 0,
    })
    const from = run
      ? run.template
      : record.action === undefined
        ? undefined
        : this.#ledger.actions.get(storable(record.action))
    if (from !== undefined && from !== null && record.outcome !== 'unchanged')
      this.#flow(
        from,
        this.#part('kind', { namespace: '', name: kindOf(record.object), part: '' }),
        object.scope,
        record.at,
        { count: 1 },
      )
    return { object: object.id, scope: object.scope, ...(run ? { run: run.id } : {}) }
  }

  #health(record: HealthRecord, id: number, trace: number | undefined): About {
    const object = this.#object(record.object, id, record.at)
    if (!object) return {}
    const condition = storable(record.condition)
    const row: ConditionRow = {
      object: object.id,
      condition,
      status: storable(record.status),
      was: storable(record.was),
      reason: storable(record.reason),
      message: storable(record.message),
      at: whole(record.at),
      trace: trace ?? null,
      scope: object.scope,
      record: id,
      sum: 0,
    }
    const key = conditionKey(object.id, condition)
    const before = this.#ledger.conditions.get(key)
    if (before) this.conditions.delete(before)
    this.#ledger.conditions.set(key, row)
    this.conditions.add(row)
    return { object: object.id, scope: object.scope }
  }

  #audit(record: AuditRecord, id: number): About {
    const { target } = record
    let scope: number | undefined
    let object: ObjectRow | undefined
    if ('event' in target) scope = this.#ledger.events.get(this.#trace(target.event).id)?.scope
    else if (!('action' in target)) {
      object = this.#object(target, id, record.at)
      scope = object?.scope
    }
    this.audits.push({
      id,
      at: whole(record.at),
      who: storable(record.who),
      did: storable(record.did),
      outcome: storable(record.outcome),
      target: storable(targetName(target)),
      scope: scope ?? null,
      sum: 0,
    })
    return { ...(scope === undefined ? {} : { scope }), ...(object ? { object: object.id } : {}) }
  }

  #trace(trace: string): TraceRow {
    const text = storable(trace)
    let row = this.#ledger.traces.get(text)
    if (!row) {
      row = { id: ++this.#ledger.last.trace, trace: text, sum: 0 }
      this.#ledger.traces.set(text, row)
      this.#ledger.events.set(row.id, undefined)
      this.#ledger.outcomes.set(row.id, new Map())
      this.traces.push(row)
    }
    return row
  }

  #part(type: string, { namespace, name, part }: PartReference): number {
    const cells = [type, storable(namespace), storable(name), storable(part)] as const
    const key = partKey(...cells)
    let row = this.#ledger.parts.get(key)
    if (!row) {
      row = {
        id: ++this.#ledger.last.part,
        type: cells[0],
        namespace: cells[1],
        name: cells[2],
        part: cells[3],
        sum: 0,
      }
      this.#ledger.parts.set(key, row)
      this.parts.push(row)
    }
    return row.id
  }

  #scope(kind: string, namespace: string): number {
    const key = scopeKey(kind, storable(namespace))
    let row = this.#ledger.scopes.get(key)
    if (!row) {
      row = { id: ++this.#ledger.last.scope, kind, namespace: storable(namespace), sum: 0 }
      this.#ledger.scopes.set(key, row)
      this.scopes.push(row)
    }
    return row.id
  }

  #object(object: ObjectReference, id: number, at: number): ObjectRow | undefined {
    if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string' || typeof object.name !== 'string')
      return undefined
    const kind = kindOf(object)
    const [namespace, name, uid] = [storable(object.namespace ?? ''), storable(object.name), storable(object.uid ?? '')]
    const key = nameKey(kind, namespace, name)
    const known = this.#ledger.objects.get(key) ?? []
    this.#ledger.objects.set(key, known)
    const newest = known.reduce<ObjectRow | undefined>((a, b) => (a && a.id > b.id ? a : b), undefined)
    let row = uid === '' ? newest : known.find(other => other.uid === uid)
    if (!row && uid !== '') {
      // What was known by its name alone turns out to be this one.
      row = known.find(other => other.uid === '')
      if (row) row.uid = uid
    }
    if (!row) {
      const scope = this.#scope(kind, namespace)
      row = {
        id: ++this.#ledger.last.object,
        version: storable(object.apiVersion),
        kind,
        namespace,
        name,
        uid,
        scope,
        events: 0,
        writes: 0,
        first_at: whole(at),
        last_at: whole(at),
        last_verb: null,
        is_deleted: 0,
        changed: id,
        sum: 0,
      }
      known.push(row)
    }
    row.last_at = Math.max(row.last_at, whole(at))
    row.changed = id
    this.objects.add(row)
    return row
  }

  #runRow(run: RunReference, id: number, trace: number | undefined, at: number): RunRow {
    const uid = storable(run.uid)
    let row = this.#ledger.runs.get(uid)
    if (!row) {
      const scope = this.#scope('Workflow.argoproj.io', run.namespace)
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
      }
      this.#ledger.runs.set(uid, row)
      this.#ledger.steps.set(id, new Map())
      this.#count(0, 'runs', scope, 1)
      this.#count(0, `phase:${row.phase}`, scope, 1)
      this.#count(at, 'runs', scope, 1)
      const event = trace === undefined ? undefined : this.#ledger.events.get(trace)
      if (event) {
        event.runs++
        event.changed = id
        this.events.add(event)
      }
    }
    this.runs.add(row)
    return row
  }

  #outcome(trace: number, trigger: number, { namespace }: PartReference, id: number, at: number): OutcomeRow {
    const known = this.#ledger.outcomes.get(trace)?.get(trigger)
    if (known) return known
    const event = this.#ledger.events.get(trace)
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
      scope: event?.scope ?? this.#scope('Sensor.argoproj.io', namespace),
      changed: id,
      sum: 0,
    }
    this.#ledger.noteOutcome(row)
    return row
  }

  #settle(trace: number, outcome: OutcomeRow, state: number, at: number, id: number): void {
    if (outcome.state === VERDICT_NUMBERS.parked) this.#count(0, 'parked', outcome.scope, -1)
    if (state === VERDICT_NUMBERS.parked) this.#count(0, 'parked', outcome.scope, 1)
    outcome.state = state
    outcome.at = whole(at)
    outcome.changed = id
    this.outcomes.add(outcome)
    const event = this.#ledger.events.get(trace)
    if (!event) return
    const verdict = this.#worst(trace)
    event.changed = id
    this.events.add(event)
    if (verdict === event.verdict) return
    if (isBad(verdict) && !isBad(event.verdict)) this.#count(at, 'errors', event.scope, 1)
    this.#count(0, `verdict:${event.verdict}`, event.scope, -1)
    this.#count(0, `verdict:${verdict}`, event.scope, 1)
    event.verdict = verdict
  }

  #worst(trace: number): number {
    let worst = VERDICT_NUMBERS.pending
    for (const { state } of this.#ledger.outcomes.get(trace)?.values() ?? []) worst = Math.max(worst, state)
    return worst
  }

  #busOfEvent(trace: string, namespace: string): number {
    const row = this.#ledger.traces.get(storable(trace))
    return (row && this.#ledger.events.get(row.id)?.bus) ?? this.#part('bus', busPart(undefined, namespace))
  }

  #payload(part: Part | undefined, id: number): string | null {
    if (!part) return null
    const known = this.#ledger.payloads.get(part.hash)
    if (known) {
      this.used.set(known.pack, id)
    } else {
      const row = { hash: part.hash, ...this.#contents.add(part.content, id), sum: 0 }
      this.#ledger.payloads.set(part.hash, row)
      this.payloads.push(row)
    }
    return part.hash
  }

  #countEvent({ verdict, scope, at }: EventRow, by: number): void {
    this.#count(0, 'events', scope, by)
    this.#count(0, `verdict:${verdict}`, scope, by)
    this.#count(at, 'events', scope, by)
  }

  #count(at: number, name: string, scope: number, by: number): void {
    const minute = Math.floor(at / MINUTE_MS)
    const key = `${minute}\n${name}\n${scope}`
    const row = this.counts.get(key)
    if (row) row.count += by
    else this.counts.set(key, { minute, name, scope, count: by, sum: 0 })
  }

  #flow(
    from: number,
    to: number,
    scope: number,
    at: number,
    { count, errors = 0 }: { count: number; errors?: number },
  ): void {
    const minute = Math.floor(at / MINUTE_MS)
    const key = `${minute}\n${from}\n${to}\n${scope}`
    const row = this.flows.get(key) ?? {
      minute,
      from_part: from,
      to_part: to,
      scope,
      count: 0,
      errors: 0,
      last_at: 0,
      sum: 0,
    }
    row.count += count
    row.errors += errors
    row.last_at = Math.max(row.last_at, whole(at))
    this.flows.set(key, row)
  }
}

interface About {
  run?: number
  object?: number
  scope?: number
  isFirst?: boolean
}

const DECIDED: Readonly<Record<string, number>> = {
  passed: VERDICT_NUMBERS.waiting,
  joined: VERDICT_NUMBERS.waiting,
  waiting: VERDICT_NUMBERS.waiting,
  filtered: VERDICT_NUMBERS.filtered,
  superseded: VERDICT_NUMBERS.superseded,
  reset: VERDICT_NUMBERS.superseded,
  failed: VERDICT_NUMBERS.failed,
} satisfies Record<DecisionRecord['verdict'], number>

const DELIVERED: Readonly<Record<string, number>> = {
  started: VERDICT_NUMBERS.running,
  retried: VERDICT_NUMBERS.running,
  succeeded: VERDICT_NUMBERS.ran,
  failed: VERDICT_NUMBERS.failed,
  parked: VERDICT_NUMBERS.parked,
  discarded: VERDICT_NUMBERS.discarded,
} satisfies Record<DeliveryRecord['outcome'], number>

const partName = ({ namespace, name, part }: PartReference): string => `${namespace}/${name}/${part}`

function targetName(target: AuditRecord['target']): string {
  if ('event' in target) return `event/${target.event}`
  if ('action' in target) return `action/${target.action}`
  return [kindOf(target), target.namespace ?? '', target.name].join('/')
}

/** A record's numbers are what somebody wrote: no database keeps a fraction or more than it can count in these columns. */
const whole = (value: number): number => (Number.isSafeInteger(value) ? value : Math.round(Number(value)) || 0)

function countLineEnds(content: Buffer): number {
  let count = 0
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) count++
  return count
}
