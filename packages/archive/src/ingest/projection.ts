import type {
  AuditRecord,
  DecisionRecord,
  DeliveryRecord,
  EventRecord,
  HealthRecord,
  LogRecord,
  PartReference,
  RunRecord,
  RunReference,
  StepRecord,
  WriteRecord,
} from '@tiphys/journal/records'
import { storable, whole } from '../database/checksum.ts'
import type { Doc } from '../database/database.ts'
import type {
  AuditRow,
  ConditionRow,
  EventRow,
  LogRow,
  ObjectRow,
  OutcomeRow,
  PackRow,
  PayloadRow,
  RecordRow,
  RunRow,
  StepRow,
  WriteRow,
} from '../database/rows.ts'
import { fingerprint } from './fingerprint.ts'
import type { Decoded } from './incoming.ts'
import { busPart, conditionKey, kindOf, type Ledger, logKey } from './ledger.ts'
import { PACK_TYPES, Packer } from './packer.ts'
import type { Part } from './payload.ts'
import { Register } from './register.ts'
import { docOf } from './searchable.ts'
import { openCount, Tally } from './tally.ts'
import { FAILED_PHASES, isBad, isOpen, KIND_NUMBERS, VERDICT_NUMBERS } from './vocabulary.ts'

/** What a batch of records adds to the tables and changes in them. Applying records needs no database: everything they touch is
 *  in the ledger. */
export class Projection {
  readonly #ledger: Ledger
  readonly #register: Register
  readonly tally = new Tally()
  readonly #records: Packer
  readonly #contents: Packer
  readonly records: RecordRow[] = []
  readonly docs: Doc[] = []
  readonly payloads: PayloadRow[] = []
  readonly writes: WriteRow[] = []
  readonly logs: LogRow[] = []
  readonly audits: AuditRow[] = []
  readonly events = new Set<EventRow>()
  readonly outcomes = new Set<OutcomeRow>()
  readonly runs = new Set<RunRow>()
  readonly steps = new Set<StepRow>()
  readonly conditions = new Set<ConditionRow>()
  /** Packs of earlier batches that are needed again, and by which record last. */
  readonly used = new Map<number, number>()
  /** Decisions are made for each trigger; what a bus hands to a sensor counts once. */
  readonly #handed = new Set<string>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#register = new Register(ledger)
    const nextPack = () => ++ledger.last.pack
    this.#records = new Packer(PACK_TYPES.records, nextPack)
    this.#contents = new Packer(PACK_TYPES.contents, nextPack)
  }

  /** The names that are new, and the objects that changed. */
  get names(): Pick<Register, 'traces' | 'parts' | 'scopes' | 'objects'> {
    return this.#register
  }

  /** All packs, once everything was applied. */
  packs(): PackRow[] {
    return [...this.#records.finish(), ...this.#contents.finish()]
  }

  /** Whether it was new. */
  apply(decoded: Decoded): boolean {
    const { record } = decoded
    const trace = record.trace === '' ? undefined : this.#register.trace(record.trace)
    // An event that is recorded twice is one event: after a crash its source publishes it again.
    if (record.kind === 'event' && this.#ledger.events.get(trace?.id ?? 0)) return false
    const id = ++this.#ledger.last.record
    const about = this.#about(decoded, id, trace?.id)
    this.records.push({
      id,
      kind: KIND_NUMBERS[record.kind],
      at: whole(record.at),
      trace: trace?.id ?? null,
      run: about.run ?? null,
      object: about.object ?? null,
      scope: about.scope ?? null,
      ...this.#records.add(decoded.text, id),
      sum: 0,
    })
    const doc = docOf(decoded, about.isFirst)
    if (doc !== '') this.docs.push({ id, text: doc })
    this.tally.count(0, 'records', 0, 1)
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
    const { change, version, uid } = payload ?? {}
    const object =
      record.object && this.#register.object({ ...(uid === undefined ? {} : { uid }), ...record.object }, id, record.at)
    if (object) {
      object.events++
      if (change === 'DELETE') object.is_deleted = 1
    }
    const scope = object?.scope ?? this.#register.scope('EventSource.argoproj.io', record.source.namespace)
    const source = this.#register.part('source', record.source)
    const bus = this.#register.part('bus', busPart(record.bus, record.source.namespace))
    // Those that were told of before it.
    const runs = this.#ledger.runsOf(trace)
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
      replay_of: record.replayOf === undefined ? null : this.#register.trace(record.replayOf).id,
      scope,
      verdict: this.#worst(trace, failed),
      runs: runs.length,
      failed_runs: failed,
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
    this.tally.flow(source, bus, scope, record.at, { count: 1 })
    return { scope, ...(object ? { object: object.id } : {}) }
  }

  #decision(record: DecisionRecord, id: number): About {
    const trigger = this.#register.part('trigger', record.trigger)
    let scope: number | undefined
    for (const event of new Set([record.trace, ...record.events])) {
      if (event === '') continue
      const trace = this.#register.trace(event).id
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
    const sensor = this.#register.part('sensor', { ...record.trigger, part: '' })
    const handed = `${record.trace}\n${sensor}`
    if (!this.#handed.has(handed)) {
      this.#handed.add(handed)
      const errors = record.verdict === 'failed' ? 1 : 0
      this.tally.flow(this.#busOfEvent(record.trace, record.trigger.namespace), sensor, scope ?? 0, record.at, {
        count: 1,
        errors,
      })
    }
    return scope === undefined ? {} : { scope }
  }

  #delivery(record: DeliveryRecord, id: number): About {
    const trigger = this.#register.part('trigger', record.trigger)
    const state = DELIVERED[record.outcome] ?? VERDICT_NUMBERS.running
    let scope: number | undefined
    let isCounted = false
    for (const event of new Set([record.trace, ...record.events])) {
      if (event === '') continue
      const trace = this.#register.trace(event).id
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
      if (record.object) outcome.object = this.#register.object(record.object, id, record.at)?.id ?? null
      outcome.fingerprint = isBad(state) ? fingerprint(partName(record.trigger), record.reason, record.message) : null
      this.#ledger.actions.set(storable(record.action), trigger)
    }
    const errors = isBad(state) ? 1 : 0
    if (!isCounted && (errors === 1 || record.outcome === 'succeeded'))
      this.tally.flow(this.#register.part('sensor', { ...record.trigger, part: '' }), trigger, scope ?? 0, record.at, {
        count: 1,
        errors,
      })
    return scope === undefined ? {} : { scope }
  }

  #run(record: RunRecord, id: number, trace: number | undefined): About {
    const isFirst = !this.#ledger.runs.has(storable(record.run.uid))
    const row = this.#runRow(record.run, id, trace, record.at)
    const wasFailed = FAILED_PHASES.includes(row.phase)
    this.tally.count(0, `phase:${row.phase}`, row.scope, -1)
    row.phase = storable(record.phase)
    this.tally.count(0, `phase:${row.phase}`, row.scope, 1)
    if (record.message !== undefined) row.message = storable(record.message)
    if (record.progress !== undefined) row.progress = storable(record.progress)
    if (record.startedAt !== undefined) row.started_at = whole(record.startedAt)
    row.finished_at = record.finishedAt === undefined ? null : whole(record.finishedAt)
    if (record.repeats) row.repeats = storable(JSON.stringify(record.repeats))
    if (record.object) row.object = this.#register.object(record.object, id, record.at)?.id ?? null
    const wasLinked = row.template !== null
    if (record.template !== undefined)
      row.template = this.#register.part('template', {
        namespace: record.run.namespace,
        name: record.template,
        part: '',
      })
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
        this.tally.flow(row.trigger_part, row.template, row.scope, record.at, { count: wasLinked ? 0 : 1, errors })
    }
    if (hasFailed && !wasFailed) this.tally.count(record.at, 'run-errors', row.scope, 1)
    const event = row.trace === null || hasFailed === wasFailed ? undefined : this.#ledger.events.get(row.trace)
    if (event) {
      event.failed_runs += hasFailed ? 1 : -1
      this.#judge(event, record.at, id)
    }
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
    const object = this.#register.object({ ...record.object, uid: record.uid }, id, record.at)
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
      this.tally.flow(
        from,
        this.#register.part('kind', { namespace: '', name: kindOf(record.object), part: '' }),
        object.scope,
        record.at,
        { count: 1 },
      )
    return { object: object.id, scope: object.scope, ...(run ? { run: run.id } : {}) }
  }

  #health(record: HealthRecord, id: number, trace: number | undefined): About {
    const object = this.#register.object(record.object, id, record.at)
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
    if ('event' in target) scope = this.#ledger.events.get(this.#register.trace(target.event).id)?.scope
    else if (!('action' in target)) {
      object = this.#register.object(target, id, record.at)
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

  #runRow(run: RunReference, id: number, trace: number | undefined, at: number): RunRow {
    const uid = storable(run.uid)
    let row = this.#ledger.runs.get(uid)
    if (!row) {
      const scope = this.#register.scope('Workflow.argoproj.io', run.namespace)
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
      this.#ledger.noteRun(row)
      this.#ledger.steps.set(id, new Map())
      this.tally.count(0, 'runs', scope, 1)
      this.tally.count(0, `phase:${row.phase}`, scope, 1)
      this.tally.count(at, 'runs', scope, 1)
      const event = trace === undefined ? undefined : this.#ledger.events.get(trace)
      if (event) {
        event.runs++
        event.changed = id
        this.events.add(event)
        // A Workflow does not know what its event was about, unless its record says so.
        row.object = event.object
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
      scope: event?.scope ?? this.#register.scope('Sensor.argoproj.io', namespace),
      changed: id,
      sum: 0,
    }
    this.#ledger.noteOutcome(row)
    return row
  }

  #settle(trace: number, outcome: OutcomeRow, state: number, at: number, id: number): void {
    if (outcome.state === VERDICT_NUMBERS.parked) this.tally.count(0, 'parked', outcome.scope, -1)
    if (state === VERDICT_NUMBERS.parked) this.tally.count(0, 'parked', outcome.scope, 1)
    if (isOpen(outcome.state)) this.tally.count(0, openCount(outcome.trigger_part, outcome.state), outcome.scope, -1)
    if (isOpen(state)) this.tally.count(0, openCount(outcome.trigger_part, state), outcome.scope, 1)
    outcome.state = state
    outcome.at = whole(at)
    outcome.changed = id
    this.outcomes.add(outcome)
    const event = this.#ledger.events.get(trace)
    if (event) this.#judge(event, at, id)
  }

  /** An event is as badly off as the worst of its triggers and the runs that they have started. */
  #judge(event: EventRow, at: number, id: number): void {
    const verdict = this.#worst(event.trace, event.failed_runs)
    event.changed = id
    this.events.add(event)
    if (verdict === event.verdict) return
    if (isBad(verdict) && !isBad(event.verdict)) this.tally.count(at, 'errors', event.scope, 1)
    this.tally.count(0, `verdict:${event.verdict}`, event.scope, -1)
    this.tally.count(0, `verdict:${verdict}`, event.scope, 1)
    event.verdict = verdict
  }

  #worst(trace: number, failedRuns: number): number {
    let worst = failedRuns > 0 ? VERDICT_NUMBERS.failed : VERDICT_NUMBERS.pending
    for (const { state } of this.#ledger.outcomes.get(trace)?.values() ?? []) worst = Math.max(worst, state)
    return worst
  }

  #busOfEvent(trace: string, namespace: string): number {
    const row = this.#ledger.traces.get(storable(trace))
    return (row && this.#ledger.events.get(row.id)?.bus) ?? this.#register.part('bus', busPart(undefined, namespace))
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
    this.tally.count(0, 'events', scope, by)
    this.tally.count(0, `verdict:${verdict}`, scope, by)
    this.tally.count(at, 'events', scope, by)
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

function countLineEnds(content: Buffer): number {
  let count = 0
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) count++
  return count
}
