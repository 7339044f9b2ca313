import type { Json, ObjectReference, PartReference, RunReference } from '@tiphys/journal/records'
import type { Scope } from '../archive.ts'
import type { Cell, Database, Table } from '../database/database.ts'
import type { ObjectRow, PackRow, PartRow, PayloadRow, RecordRow, RunRow, TraceRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { corruptDatabase } from '../failures.ts'
import { type Place, unpack } from '../ingest/packer.ts'
import { joinPayload } from '../ingest/payload.ts'
import { type FieldContext } from '../query/fields.ts'
import { scopeCondition } from '../query/scope-condition.ts'
import { type Sql, TRUE } from '../query/sql.ts'

const MOST_NAMES = 50_000
const PACKS_AT_HAND = 64

/** Reads rows, and what their numbers stand for. */
export class Source {
  readonly database: Database
  readonly #now: () => number
  readonly #parts = new Map<number, PartRow>()
  readonly #traces = new Map<number, string>()
  readonly #packs = new Map<number, Buffer>()

  constructor(database: Database, now: () => number) {
    this.database = database
    this.#now = now
  }

  get now(): number {
    return this.#now()
  }

  get context(): FieldContext {
    return { dialect: this.database.dialect, now: this.#now() }
  }

  all<R extends object>(text: string, ...parts: readonly Sql[]): Promise<R[]> {
    return this.database.all<R>(
      text,
      parts.flatMap(({ values }) => [...values]),
    )
  }

  async one<R extends object>(text: string, values: readonly Cell[]): Promise<R | undefined> {
    return (await this.database.all<R>(text, values))[0]
  }

  /** Rows by their numbers; in no order. */
  byId<R extends object>(table: Table, ids: Iterable<number | null | undefined>, column = 'id'): Promise<R[]> {
    const wanted = new Set<number>()
    for (const id of ids) if (typeof id === 'number') wanted.add(id)
    return this.database.lookup<R>(
      table,
      [column],
      [...wanted].map(id => [id]),
    )
  }

  async parts(ids: Iterable<number | null>): Promise<(id: number | null) => PartReference | undefined> {
    const missing = [...ids].filter(id => id !== null && !this.#parts.has(id))
    for (const row of await this.byId<PartRow>(tables.PARTS, missing)) this.#parts.set(row.id, row)
    return id => {
      const row = id === null ? undefined : this.#parts.get(id)
      return row && { namespace: row.namespace, name: row.name, part: row.part }
    }
  }

  async traces(ids: Iterable<number | null>): Promise<(id: number | null) => string> {
    if (this.#traces.size > MOST_NAMES) this.#traces.clear()
    const missing = [...ids].filter(id => id !== null && !this.#traces.has(id))
    for (const { id, trace } of await this.byId<TraceRow>(tables.TRACES, missing)) this.#traces.set(id, trace)
    return id => (id === null ? '' : (this.#traces.get(id) ?? ''))
  }

  async traceId(trace: string): Promise<number | undefined> {
    return (await this.one<TraceRow>('SELECT id, trace FROM traces WHERE trace = ?', [trace]))?.id
  }

  async objects(ids: Iterable<number | null>): Promise<(id: number | null) => ObjectReference | undefined> {
    const rows = await this.byId<ObjectRow>(tables.OBJECTS, ids)
    const known = new Map(rows.map(row => [row.id, referenceOf(row)]))
    return id => (id === null ? undefined : known.get(id))
  }

  async runReferences(ids: Iterable<number | null>): Promise<(id: number | null) => RunReference | undefined> {
    const rows = await this.byId<RunRow>(tables.RUNS, ids)
    const known = new Map(rows.map(({ id, namespace, name, uid }) => [id, { namespace, name, uid }]))
    return id => (id === null ? undefined : known.get(id))
  }

  /** The records' texts, in the order of the rows. */
  async records<R>(rows: readonly Pick<RecordRow, 'pack' | 'start' | 'size'>[]): Promise<R[]> {
    return (await this.contents(rows)).map(text => JSON.parse(text.toString()) as R)
  }

  /** Contents of packs, in the order asked for. */
  async contents(places: readonly Place[]): Promise<Buffer[]> {
    const packs = await this.#load(places.map(({ pack }) => pack))
    return places.map(({ pack, start, size }) => {
      const content = packs.get(pack)
      if (!content) throw corruptDatabase(this.database.place, `the content ${pack} is missing`)
      return content.subarray(start, start + size)
    })
  }

  /** Payloads of events, by their row's number; of some there is none. */
  async payloads(rows: readonly PayloadHashes[]): Promise<(id: number) => Json | undefined> {
    const textOf = await this.payloadTexts(rows)
    return id => {
      const text = textOf(id)
      return text === undefined ? undefined : (JSON.parse(text) as Json)
    }
  }

  /** The same as text, in which numbers have all digits that they were written with. */
  async payloadTexts(rows: readonly PayloadHashes[]): Promise<(id: number) => string | undefined> {
    const hashes = new Set(
      rows.flatMap(row => [row.rest_hash, row.body_hash, row.old_hash]).filter(hash => hash !== null),
    )
    const found = await this.database.lookup<PayloadRow>(
      tables.PAYLOADS,
      ['hash'],
      [...hashes].map(hash => [hash]),
    )
    const contents = await this.contents(found)
    const texts = new Map(found.map(({ hash }, i) => [hash, (contents[i] as Buffer).toString()]))
    const textOf = (hash: string | null) => (hash === null ? undefined : texts.get(hash))
    const byId = new Map(rows.map(row => [row.id, row]))
    return id => {
      const row = byId.get(id)
      const rest = row && textOf(row.rest_hash)
      return rest === undefined || !row ? undefined : joinPayload(rest, textOf(row.body_hash), textOf(row.old_hash))
    }
  }

  async #load(ids: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
    const wanted = new Map<number, Buffer>()
    const missing: number[] = []
    for (const id of new Set(ids)) {
      const content = this.#packs.get(id)
      if (content) wanted.set(id, content)
      else missing.push(id)
    }
    for (const row of await this.byId<PackRow>(tables.PACKS, missing)) {
      const content = unpack(row, this.database.place)
      wanted.set(row.id, content)
      this.#packs.set(row.id, content)
    }
    for (const id of this.#packs.keys()) {
      if (this.#packs.size <= PACKS_AT_HAND) break
      this.#packs.delete(id)
    }
    return wanted
  }
}

interface PayloadHashes {
  id: number
  rest_hash: string | null
  body_hash: string | null
  old_hash: string | null
}

/** `Deployment.apps` and `apps/v1` make a reference again. */
export function referenceOf({
  version,
  kind,
  namespace,
  name,
  uid,
}: Pick<ObjectRow, 'version' | 'kind' | 'namespace' | 'name' | 'uid'>): ObjectReference {
  const dot = version.includes('/') ? kind.indexOf('.') : -1
  return {
    apiVersion: version,
    kind: dot < 0 ? kind : kind.slice(0, dot),
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(uid === '' ? {} : { uid }),
  }
}

export function within(column: string, scope: Scope | undefined): Sql {
  return scope ? scopeCondition(column, scope) : TRUE
}

/** A field that is there only when it has a value. */
export function maybe<K extends string, V>(name: K, value: V | null | undefined): { [P in K]?: V } {
  return value === null || value === undefined ? {} : ({ [name]: value } as { [P in K]: V })
}
