import type { Entry, Journal, JournalRecord } from '@tiphys/journal'
import type { Memory } from './bus.ts'
import { JournalReader } from './journal-reader.ts'

/** Where a value is: in the journal, or on its way there. */
type Slot = { at: 'journal'; position: number; bytes: number } | { at: 'way'; value: string; bytes: number }

export interface MemoryStore {
  append(record: JournalRecord): Promise<number>
  readonly journal: Journal
  /** How many bytes of records are worth keeping has changed by this much. */
  onLiveBytes(change: number): void
}

/** Values under keys of the journal. Only their places are kept in memory. */
export class JournalMemory implements Memory {
  readonly #store: MemoryStore
  readonly #prefix: string
  readonly #slots = new Map<string, Slot>()
  /** On their way to the journal. */
  readonly #deletions = new Map<string, Promise<void>>()

  constructor(store: MemoryStore, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  /** Takes note of a record that was there before. */
  restore({ key, position, data, deleted }: Entry & { key: string }): void {
    this.#put(key.slice(this.#prefix.length), deleted ? undefined : { at: 'journal', position, bytes: data.length })
  }

  async get(key: string): Promise<string | undefined> {
    const reader = new JournalReader(this.#store.journal)
    try {
      for (;;) {
        const slot = this.#slots.get(key)
        if (!slot) return undefined
        if (slot.at === 'way') return slot.value
        const value = await this.#read(reader, key, slot.position)
        if (value !== undefined) return value
        // Otherwise a later value has taken its place meanwhile, and compaction has dropped this one.
        if (this.#slots.get(key) === slot) throw new Error(`the journal has lost the record of ${key}`)
      }
    } finally {
      await reader.close()
    }
  }

  async *entries(prefix: string): AsyncIterable<{ key: string; value: string }> {
    const places = [...this.#slots]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, slot]) => ({ key, position: slot.at === 'journal' ? slot.position : Number.POSITIVE_INFINITY }))
      .sort((a, b) => a.position - b.position)
    const reader = new JournalReader(this.#store.journal)
    try {
      for (const { key, position } of places) {
        const slot = this.#slots.get(key)
        const isUnchanged = slot?.at === 'journal' && slot.position === position
        const value = (isUnchanged ? await this.#read(reader, key, position) : undefined) ?? (await this.get(key))
        if (value !== undefined) yield { key, value }
      }
    } finally {
      await reader.close()
    }
  }

  async set(key: string, value: string): Promise<void> {
    const before = this.#slots.get(key)
    const bytes = Buffer.byteLength(value)
    const slot: Slot = { at: 'way', value, bytes }
    this.#put(key, slot)
    try {
      const position = await this.#store.append({ key: this.#prefix + key, data: value })
      if (this.#slots.get(key) === slot) this.#put(key, { at: 'journal', position, bytes })
    } catch (error) {
      if (this.#slots.get(key) === slot) this.#put(key, before)
      throw error
    }
  }

  async delete(key: string): Promise<void> {
    const before = this.#slots.get(key)
    if (!before) return this.#deletions.get(key)
    this.#put(key, undefined)
    const deletion = this.#store.append({ key: this.#prefix + key, data: '', deleted: true }).then(() => {})
    this.#deletions.set(key, deletion)
    try {
      await deletion
    } catch (error) {
      if (!this.#slots.has(key)) this.#put(key, before)
      throw error
    } finally {
      if (this.#deletions.get(key) === deletion) this.#deletions.delete(key)
    }
  }

  keys(prefix: string): readonly string[] {
    return [...this.#slots.keys()].filter(key => key.startsWith(prefix))
  }

  async #read(reader: JournalReader, key: string, position: number): Promise<string | undefined> {
    const entry = await reader.at(position)
    return entry?.key === this.#prefix + key ? entry.data.toString() : undefined
  }

  #put(key: string, slot: Slot | undefined): void {
    this.#store.onLiveBytes((slot?.bytes ?? 0) - (this.#slots.get(key)?.bytes ?? 0))
    if (slot) this.#slots.set(key, slot)
    else this.#slots.delete(key)
  }
}
