import type { ObjectReference, PartReference } from '@tiphys/journal/records'
import { storable } from '../database/checksum.ts'
import type { Database } from '../database/database.ts'
import type {
  ConditionRow,
  EventRow,
  LogRow,
  ObjectRow,
  OutcomeRow,
  PartRow,
  PayloadRow,
  RunRow,
  ScopeRow,
  StepRow,
  TraceRow,
} from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import type { Decoded } from './incoming.ts'
import { NameTree, within } from './name-tree.ts'

/** So many of each are remembered between batches; of payloads, which are small and come again with the next change of their object, more. */
const [MOST_REMEMBERED, MOST_PAYLOADS] = [8000, 40_000]

/** The outcomes of a trace that has none. */
export const NONE: readonly OutcomeRow[] = []

/** What the database says of everything that a batch of records touches. Filled by `load` before the batch is applied, which
 *  then needs no database; remembers between batches. Thrown away when a batch could not be stored. */
export class Ledger {
  readonly traces = new Map<string, TraceRow>()
  /** By type, then by namespace, name and part. */
  readonly #parts = new Map<string, NameTree<PartRow>>()
  readonly #scopes = new Map<string, Map<string, ScopeRow>>()
  /** By kind, namespace and name; several when an object was made anew. */
  readonly objects = new NameTree<ObjectRow[]>()
  readonly events = new Map<number, EventRow | undefined>()
  /** Of each trace, by trigger: nearly always one, for which a map of its own would be more than the row. */
  readonly outcomes = new Map<number, readonly OutcomeRow[]>()
  readonly runs = new Map<string, RunRow>()
  /** Of traces of which no event is known: it may still come. */
  readonly #early = new Map<number, Map<string, RunRow>>()
  readonly steps = new Map<number, Map<string, StepRow>>()
  /** The last chunk of each container. */
  readonly logs = new Map<string, LogRow>()
  readonly conditions = new Map<string, ConditionRow>()
  readonly payloads = new Map<string, PayloadRow>()
  /** Which trigger an action belongs to. */
  readonly actions = new Map<string, number>()
  /** The traces of all events that led to an action; only where there are several. */
  readonly joins = new Map<string, readonly number[]>()
  /** The last number that was given away in each table. */
  readonly last = { record: 0, pack: 0, trace: 0, part: 0, scope: 0, object: 0 }

  static async open(database: Database): Promise<Ledger> {
    const ledger = new Ledger()
    const highest = async (table: string) =>
      (await database.all<{ last: number | null }>(`SELECT max(id) AS last FROM ${table}`))[0]?.last ?? 0
    const meta = await database.all<{ value: string }>("SELECT value FROM meta WHERE name = 'record'")
    // What retention has dropped is never numbered anew.
    ledger.last.record = Math.max(Number(meta[0]?.value ?? 0), await highest('records'))
    for (const name of ['pack', 'trace', 'part', 'scope', 'object'] as const)
      ledger.last[name] = await highest(`${name}s`)
    return ledger
  }

  /** With `isHopeful` events that are not remembered are taken for new, which nearly all are. If one is not, the database refuses the batch,
   *  which is then loaded again without hope. */
  async load(database: Database, batch: readonly Decoded[], isHopeful: boolean): Promise<void> {
    const wanted = new Wanted(this, isHopeful)
    for (const decoded of batch) wanted.note(decoded)
    for (const row of await database.lookup<TraceRow>(tables.TRACES, ['trace'], single(wanted.traces)))
      this.traces.set(row.trace, row)
    for (const row of await database.lookup<PartRow>(
      tables.PARTS,
      ['type', 'namespace', 'name', 'part'],
      [...wanted.parts.values()],
    ))
      this.notePart(row)
    for (const row of await database.lookup<ScopeRow>(
      tables.SCOPES,
      ['kind', 'namespace'],
      [...wanted.scopes.values()],
    ))
      this.noteScope(row)
    for (const [kind, namespace, name] of wanted.objects.values()) this.objects.set(kind, namespace, name, [])
    for (const row of await database.lookup<ObjectRow>(
      tables.OBJECTS,
      ['kind', 'namespace', 'name'],
      [...wanted.objects.values()],
    ))
      this.objects.get(row.kind, row.namespace, row.name)?.push(row)
    await this.#loadTraces(database, wanted)
    await this.#loadRuns(database, wanted)
    await this.#loadConditions(database, wanted)
  }

  async #loadTraces(database: Database, wanted: Wanted): Promise<void> {
    const byAction = new Map<string, number[]>()
    for (const row of await database.lookup<OutcomeRow>(tables.OUTCOMES, ['action'], single(wanted.actions))) {
      if (row.action === null) continue
      const traces = [...(byAction.get(row.action) ?? []), row.trace]
      byAction.set(row.action, traces)
      this.noteAction(row.action, row.trigger_part, traces)
    }
    const ids = new Set<number>()
    const want = (id: number | undefined) => {
      if (id !== undefined && !this.outcomes.has(id)) ids.add(id)
    }
    for (const trace of wanted.allTraces) want(this.traces.get(trace)?.id)
    // A run is of all the events that led to it.
    for (const action of wanted.actionsOfRuns) for (const trace of this.joins.get(action) ?? []) want(trace)
    for (const id of ids) {
      this.events.set(id, undefined)
      this.outcomes.set(id, NONE)
    }
    for (const row of await database.lookup<EventRow>(tables.EVENTS, ['trace'], single(ids)))
      this.events.set(row.trace, row)
    const missing = [...ids].filter(id => this.events.get(id) === undefined)
    for (const { uid } of await database.lookup<RunRow>(tables.RUNS, ['trace'], single(missing))) {
      const known = this.runs.get(uid)
      // A run is only known together with its steps.
      if (known) this.noteRun(known)
      else wanted.runs.add(uid)
    }
    for (const row of await database.lookup<OutcomeRow>(tables.OUTCOMES, ['trace'], single(ids))) this.noteOutcome(row)
  }

  async #loadRuns(database: Database, wanted: Wanted): Promise<void> {
    const found = await database.lookup<RunRow>(tables.RUNS, ['uid'], single(wanted.runs))
    for (const row of found) {
      if (!this.runs.has(row.uid)) this.noteRun(row)
      this.steps.set(row.id, new Map())
    }
    for (const row of await database.lookup<StepRow>(
      tables.STEPS,
      ['run'],
      found.map(({ id }) => [id]),
    ))
      this.steps.get(row.run)?.set(row.step, row)
    const uids = new Map<number, string>()
    const logs = [...wanted.logs].flatMap(([key, { uid, step, container }]) => {
      const run = this.runs.get(uid)
      if (!run || this.logs.has(key)) return []
      uids.set(run.id, uid)
      return [[run.id, step, container] as const]
    })
    for (const row of await database.lookup<LogRow>(tables.LOGS, ['run', 'step', 'container'], logs)) {
      const key = logKey(uids.get(row.run) ?? '', row.step, row.container)
      if ((this.logs.get(key)?.number ?? -1) < row.number) this.logs.set(key, row)
    }
  }

  async #loadConditions(database: Database, wanted: Wanted): Promise<void> {
    const keys = [...wanted.conditions.values()].flatMap(({ object, condition }) =>
      (this.objects.get(...object) ?? [])
        .filter(({ id }) => !this.conditions.has(conditionKey(id, condition)))
        .map(({ id }) => [id, condition] as const),
    )
    for (const row of await database.lookup<ConditionRow>(tables.CONDITIONS, ['object', 'condition'], keys))
      this.conditions.set(conditionKey(row.object, row.condition), row)
  }

  part(type: string, { namespace, name, part }: PartReference): PartRow | undefined {
    return this.#parts.get(type)?.get(namespace, name, part)
  }

  notePart(row: PartRow): void {
    let known = this.#parts.get(row.type)
    if (!known) {
      known = new NameTree()
      this.#parts.set(row.type, known)
    }
    known.set(row.namespace, row.name, row.part, row)
  }

  scope(kind: string, namespace: string): ScopeRow | undefined {
    return this.#scopes.get(kind)?.get(namespace)
  }

  noteScope(row: ScopeRow): void {
    within(this.#scopes, row.kind).set(row.namespace, row)
  }

  noteRun(row: RunRow): void {
    this.runs.set(row.uid, row)
    if (row.trace === null || this.events.get(row.trace)) return
    within(this.#early, row.trace).set(row.uid, row)
  }

  /** Those of an event that was not known when they were told of. */
  runsOf(trace: number): readonly RunRow[] {
    return [...(this.#early.get(trace)?.values() ?? [])]
  }

  noteOutcome(row: OutcomeRow): void {
    const others = this.outcomes.get(row.trace)?.filter(other => other.trigger_part !== row.trigger_part)
    this.outcomes.set(row.trace, others === undefined || others.length === 0 ? [row] : [...others, row])
  }

  /** `traces` are those of all events that led to it. */
  noteAction(action: string, trigger: number, traces: readonly number[]): void {
    this.actions.set(action, trigger)
    if (traces.length > 1) this.joins.set(action, traces)
  }

  /** Whether there is something to `trim`; with `patience`, so many times as much. */
  isFull(patience = 1): boolean {
    const { payloads, objects } = this
    if (payloads.size > MOST_PAYLOADS || objects.size > MOST_REMEMBERED * patience) return true
    return this.#trimmed().some(({ size }) => size > MOST_REMEMBERED * patience)
  }

  #trimmed(): Map<unknown, unknown>[] {
    return [this.traces, this.events, this.outcomes, this.runs, this.logs, this.conditions, this.actions, this.joins]
  }

  /** What was known longest goes. Not while a batch is under way: what is stored is not yet what is known. */
  trim(): void {
    if (!this.isFull()) return
    for (const map of this.#trimmed()) keepNewest(map, MOST_REMEMBERED)
    keepNewest(this.payloads, MOST_PAYLOADS)
    if (this.objects.size > MOST_REMEMBERED) this.objects.clear()
    // An event is only known together with its outcomes, and the steps of a run together with the run.
    for (const id of this.events.keys()) if (!this.outcomes.has(id)) this.events.delete(id)
    for (const id of this.outcomes.keys()) if (!this.events.has(id)) this.outcomes.delete(id)
    for (const id of this.#early.keys()) if (!this.events.has(id)) this.#early.delete(id)
    const runs = new Set([...this.runs.values()].map(({ id }) => id))
    if (this.steps.size > runs.size) for (const id of this.steps.keys()) if (!runs.has(id)) this.steps.delete(id)
  }
}

function keepNewest(map: Map<unknown, unknown>, most: number): void {
  if (map.size <= most) return
  for (const key of map.keys()) {
    if (map.size <= most / 2) break
    map.delete(key)
  }
}

/** What a batch needs and the ledger does not know. */
class Wanted {
  readonly #ledger: Ledger
  readonly #isHopeful: boolean
  readonly #new = new Set<string>()
  /** The trace that was noted last: what comes of an event comes together. */
  #lastTrace = ''
  readonly allTraces = new Set<string>()
  readonly traces = new Set<string>()
  readonly parts = new Map<string, readonly string[]>()
  readonly scopes = new Map<string, readonly string[]>()
  readonly objects = new Map<string, ObjectName>()
  readonly runs = new Set<string>()
  readonly logs = new Map<string, { uid: string; step: string; container: string }>()
  readonly conditions = new Map<string, { object: ObjectName; condition: string }>()
  readonly actions = new Set<string>()
  /** Told of by what comes before those who ask for them. */
  readonly #delivered = new Set<string>()
  readonly actionsOfRuns = new Set<string>()

  constructor(ledger: Ledger, isHopeful: boolean) {
    this.#ledger = ledger
    this.#isHopeful = isHopeful
  }

  note({ record }: Decoded): void {
    this.#trace(record.trace, this.#isHopeful && record.kind === 'event')
    switch (record.kind) {
      case 'event':
        this.#part('source', record.source)
        this.#busOf(record.bus, record.source.namespace)
        this.#trace(record.replayOf)
        this.#object(record.object)
        this.#scope('EventSource.argoproj.io', record.source.namespace)
        return
      case 'decision':
      case 'delivery':
        this.#part('trigger', record.trigger)
        this.#part('sensor', { ...record.trigger, part: '' })
        this.#busOf(undefined, record.trigger.namespace)
        this.#object(record.object)
        this.#scope('Sensor.argoproj.io', record.trigger.namespace)
        for (const event of record.events) this.#trace(event)
        if (record.kind === 'delivery') this.#delivered.add(record.action)
        return
      case 'run':
        this.#run(record.run)
        this.#object(record.object)
        this.#action(record.action)
        if (record.action !== undefined) this.actionsOfRuns.add(storable(record.action))
        if (record.template !== undefined)
          this.#part('template', { namespace: record.run.namespace, name: record.template, part: '' })
        return
      case 'step':
        return this.#run(record.run)
      case 'log': {
        const { uid } = record.run
        this.#run(record.run)
        this.logs.set(logKey(uid, record.step, record.container), {
          uid,
          step: storable(record.step),
          container: storable(record.container),
        })
        return
      }
      case 'write':
        this.#object(record.object)
        this.#action(record.action)
        this.#part('kind', { namespace: '', name: kindOf(record.object), part: '' })
        if (record.run) this.#run(record.run)
        return
      case 'health': {
        this.#object(record.object)
        const object = objectName(record.object)
        this.conditions.set([...object, record.condition].join('\n'), { object, condition: storable(record.condition) })
        return
      }
      case 'audit':
        if ('event' in record.target) this.#trace(record.target.event)
        else if ('action' in record.target) this.#action(record.target.action)
        else this.#object(record.target)
        return
      default:
    }
  }

  #trace(trace: string | undefined, isTakenForNew = false): void {
    if (trace === undefined || trace === '' || trace === this.#lastTrace) return
    this.#lastTrace = trace
    if (this.#ledger.traces.has(trace)) return void this.allTraces.add(trace)
    const text = storable(trace)
    if (this.#ledger.traces.has(text)) this.allTraces.add(text)
    else if (isTakenForNew) this.#new.add(text)
    else if (!this.#new.has(text)) {
      this.allTraces.add(text)
      this.traces.add(text)
    }
  }

  #part(type: string, reference: PartReference): void {
    // Nearly every name is storable as it is, and known.
    if (this.#ledger.part(type, reference)) return
    const known = storablePart(reference)
    if (this.#ledger.part(type, known)) return
    const cells = [type, known.namespace, known.name, known.part] as const
    this.parts.set(cells.join('\n'), cells)
  }

  #busOf(bus: string | undefined, namespace: string): void {
    this.#part('bus', busPart(bus, namespace))
  }

  #scope(kind: string, namespace: string): void {
    if (this.#ledger.scope(kind, namespace)) return
    const cells = [kind, storable(namespace)] as const
    if (!this.#ledger.scope(...cells)) this.scopes.set(cells.join('\n'), cells)
  }

  #object(object: ObjectReference | undefined): void {
    if (object === undefined || typeof object.apiVersion !== 'string' || typeof object.kind !== 'string') return
    // What is known is known with its scope.
    if (this.#ledger.objects.get(kindOf(object), object.namespace ?? '', object.name)) return
    const cells = objectName(object)
    this.#scope(cells[0], cells[1])
    if (!this.#ledger.objects.get(...cells)) this.objects.set(cells.join('\n'), cells)
  }

  #run({ uid, namespace }: { uid: string; namespace: string }): void {
    this.#scope('Workflow.argoproj.io', namespace)
    if (!this.#ledger.runs.has(uid)) this.runs.add(storable(uid))
  }

  #action(action: string | undefined): void {
    if (action === undefined || this.#ledger.actions.has(action) || this.#delivered.has(action)) return
    this.actions.add(storable(action))
  }
}

const single = (values: Iterable<string | number>): (readonly (string | number)[])[] =>
  [...values].map(value => [value])

type ObjectName = readonly [kind: string, namespace: string, name: string]

const objectName = (object: ObjectReference): ObjectName => [
  kindOf(object),
  storable(object.namespace ?? ''),
  storable(object.name),
]

export const storablePart = ({ namespace, name, part }: PartReference): PartReference => ({
  namespace: storable(namespace),
  name: storable(name),
  part: storable(part),
})

export const logKey = (uid: string, step: string, container: string): string => `${uid}\n${step}\n${container}`
export const conditionKey = (object: number, condition: string): string => `${object}\n${condition}`

const kinds = new Map<string, Map<string, string>>()
const MOST_VERSIONS = 1000

/** `Deployment.apps`, `Pod` */
export function kindOf({ apiVersion, kind }: Pick<ObjectReference, 'apiVersion' | 'kind'>): string {
  const known = kinds.get(apiVersion)?.get(kind)
  if (known !== undefined) return known
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const name = storable(group === '' ? kind : `${kind}.${group}`)
  // There are as many as clusters have; what somebody imports may have any number.
  if (kinds.size > MOST_VERSIONS || (kinds.get(apiVersion)?.size ?? 0) > MOST_VERSIONS) kinds.clear()
  within(kinds, apiVersion).set(kind, name)
  return name
}

/** A record that does not tell its bus means the one of its namespace that is called `default`. */
export function busPart(bus: string | undefined, namespace: string): PartReference {
  const slash = bus?.indexOf('/') ?? -1
  if (bus === undefined) return { namespace, name: 'default', part: '' }
  return slash < 0
    ? { namespace, name: bus, part: '' }
    : { namespace: bus.slice(0, slash), name: bus.slice(slash + 1), part: '' }
}
