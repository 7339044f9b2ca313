import type { ObjectReference, PartReference } from '@tiphys/journal/records'
import { storable, whole } from '../database/checksum.ts'
import type { ObjectRow, PartRow, ScopeRow, TraceRow } from '../database/rows.ts'
import { kindOf, type Ledger, nameKey, partKey, scopeKey } from './ledger.ts'

/** The names that records mention, each with its number: those that the ledger knows, and new ones, which a batch adds. */
export class Register {
  readonly #ledger: Ledger
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

  part(type: string, { namespace, name, part }: PartReference): number {
    // Nearly every name is storable as it is, and known.
    const known = this.#ledger.parts.get(partKey(type, namespace, name, part))
    if (known) return known.id
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

  scope(kind: string, namespace: string): number {
    const known = this.#ledger.scopes.get(scopeKey(kind, namespace))
    if (known) return known.id
    const key = scopeKey(kind, storable(namespace))
    let row = this.#ledger.scopes.get(key)
    if (!row) {
      row = { id: ++this.#ledger.last.scope, kind, namespace: storable(namespace), sum: 0 }
      this.#ledger.scopes.set(key, row)
      this.scopes.push(row)
    }
    return row.id
  }

  object(object: ObjectReference, id: number, at: number): ObjectRow | undefined {
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
