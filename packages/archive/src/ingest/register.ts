import type { ObjectReference, PartReference } from '@tiphys/journal/records'
import { storable, whole } from '../database/checksum.ts'
import type { ObjectRow, PartRow, ScopeRow, TraceRow } from '../database/rows.ts'
import { kindOf, type Ledger, NONE, storablePart } from './ledger.ts'

/** The names that records mention, each with its number: those that the ledger knows, and new ones, which a batch adds. */
export class Register {
  readonly #ledger: Ledger
  /** What comes of an event comes together. */
  #lastTrace: TraceRow | undefined
  readonly traces: TraceRow[] = []
  readonly parts: PartRow[] = []
  readonly scopes: ScopeRow[] = []
  /** Those that records tell of. */
  readonly #objects: Set<ObjectRow>

  constructor(ledger: Ledger, objects: Set<ObjectRow>) {
    this.#ledger = ledger
    this.#objects = objects
  }

  trace(trace: string): TraceRow {
    if (this.#lastTrace?.trace !== trace) this.#lastTrace = this.#traceOf(trace)
    return this.#lastTrace
  }

  #traceOf(trace: string): TraceRow {
    // Nearly every one is storable as it is, and known.
    const known = this.#ledger.traces.get(trace)
    if (known) return known
    const text = storable(trace)
    let row = this.#ledger.traces.get(text)
    if (!row) {
      row = { id: ++this.#ledger.last.trace, trace: text, sum: 0 }
      this.#ledger.traces.set(text, row)
      this.#ledger.events.set(row.id, undefined)
      this.#ledger.outcomes.set(row.id, NONE)
      this.traces.push(row)
    }
    return row
  }

  part(type: string, reference: PartReference): number {
    // Nearly every name is storable as it is, and known.
    const known = this.#ledger.part(type, reference)
    if (known) return known.id
    const cells = storablePart(reference)
    let row = this.#ledger.part(type, cells)
    if (!row) {
      row = { id: ++this.#ledger.last.part, type, ...cells, sum: 0 }
      this.#ledger.notePart(row)
      this.parts.push(row)
    }
    return row.id
  }

  scope(kind: string, namespace: string): number {
    const known = this.#ledger.scope(kind, namespace)
    if (known) return known.id
    const name = storable(namespace)
    let row = this.#ledger.scope(kind, name)
    if (!row) {
      row = { id: ++this.#ledger.last.scope, kind, namespace: name, sum: 0 }
      this.#ledger.noteScope(row)
      this.scopes.push(row)
    }
    return row.id
  }

  object(object: ObjectReference, id: number, at: number): ObjectRow | undefined {
    if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string' || typeof object.name !== 'string')
      return undefined
    const kind = kindOf(object)
    const [namespace, name, uid] = [storable(object.namespace ?? ''), storable(object.name), storable(object.uid ?? '')]
    let known = this.#ledger.objects.get(kind, namespace, name)
    if (!known) {
      known = []
      this.#ledger.objects.set(kind, namespace, name, known)
    }
    let row = uid === '' ? newestOf(known) : known.find(other => other.uid === uid)
    if (!row && uid !== '') {
      // What was known by its name alone turns out to be this one.
      row = known.find(other => other.uid === '')
      if (row) row.uid = uid
    }
    if (!row) {
      const scope = this.scope(kind, namespace)
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
    this.#objects.add(row)
    return row
  }
}

/** By time: one that was imported may have been there before the others. */
const newestOf = (rows: readonly ObjectRow[]): ObjectRow | undefined =>
  rows.reduce<ObjectRow | undefined>(
    (a, b) => (a && (a.last_at > b.last_at || (a.last_at === b.last_at && a.id > b.id)) ? a : b),
    undefined,
  )
