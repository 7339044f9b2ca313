import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Clock, Timer } from '@tiphys/env'
import type { Memory } from '../bus/bus.ts'

/** What was last seen of an object, but for its body. */
export interface Seen {
  uid: string
  resourceVersion: string
  /** The id of the ADD event of the object, or the one it would have had when it was first seen. */
  origin: string
}

/** Which objects a source has begun to watch, and whether it has seen all of them once. */
export interface Activation {
  scope: string
  isComplete: boolean
}

/** Remembers what a source has seen of every object, so that a restart publishes the difference.
 *
 *  What is seen anew is written together with a note of the event that is yet to be published, and the note goes soon
 *  after it is. After a crash the noted event is published again under the same id before anything else is said of the object, so
 *  that whoever was told of a state is also told how it ended. */
export class Checkpoint {
  readonly #memory: Memory
  readonly #clock: Clock
  readonly #seen = new Map<string, Seen>()
  readonly #recent = new RecentBodies()
  /** Objects whose note has done its duty. */
  readonly #outdated = new Set<string>()
  #cleaning: Timer | undefined
  #activation: Activation | undefined

  private constructor(memory: Memory, clock: Clock) {
    this.#memory = memory
    this.#clock = clock
  }

  static async load(memory: Memory, clock: Clock): Promise<Checkpoint> {
    const checkpoint = new Checkpoint(memory, clock)
    const activation = await memory.get(ACTIVATION)
    if (activation !== undefined) checkpoint.#activation = JSON.parse(activation) as Activation
    for await (const { key, value } of memory.entries(OBJECT))
      checkpoint.#seen.set(key.slice(OBJECT.length), JSON.parse(value.slice(0, value.indexOf('\n'))) as Seen)
    return checkpoint
  }

  /** Undefined before the entry is first activated. */
  get activation(): Activation | undefined {
    return this.#activation
  }

  begin(scope: string): Promise<void> {
    return this.#activate({ scope, isComplete: false })
  }

  async complete(scope: string): Promise<void> {
    if (this.#activation?.scope !== scope || !this.#activation.isComplete)
      await this.#activate({ scope, isComplete: true })
  }

  /** How many objects were seen and not seen to be deleted. */
  get size(): number {
    return this.#seen.size
  }

  /** Their names. */
  keys(): readonly string[] {
    return [...this.#seen.keys()]
  }

  get(key: string): Seen | undefined {
    return this.#seen.get(key)
  }

  /** The object as it was last seen, as JSON. */
  async body(key: string): Promise<string> {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const value = await this.#memory.get(OBJECT + key)
    if (value === undefined) throw new Error(`nothing is remembered of ${key}`)
    return unpack(value.slice(value.indexOf('\n') + 1))
  }

  async set(key: string, seen: Seen, body: string): Promise<void> {
    this.#recent.delete(key)
    await this.#memory.set(OBJECT + key, `${JSON.stringify(seen)}\n${pack(body)}`)
    this.#seen.set(key, seen)
    this.#recent.set(key, body)
  }

  /** Sets, and publishes what follows from it. `old`: the body before, for an UPDATE. All of it is stored in this order,
   *  and at once where the storage can. */
  async setAndPublish(
    key: string,
    seen: Seen,
    { body, old }: { body: string; old?: string },
    publish: () => Promise<void>,
  ): Promise<void> {
    this.#outdated.delete(key)
    const noted = this.#memory.set(NOTE + key, old === undefined ? '' : pack(old))
    await Promise.all([noted, this.set(key, seen, body), publish()])
    this.#outdated.add(key)
    this.#cleaning ??= this.#clock.schedule(CLEANED_AFTER_MS, () => {
      // A note that stays has its event published again by the next start, which knows it by its id.
      this.settle().catch(() => {})
    })
  }

  /** Removes what has been noted and published. Not at once: it would be a sync of its own, in the way of what the event
   *  sets off. */
  async settle(): Promise<void> {
    this.#cleaning?.cancel()
    this.#cleaning = undefined
    const outdated = [...this.#outdated]
    this.#outdated.clear()
    await Promise.all(outdated.map(key => this.#memory.delete(NOTE + key)))
  }

  /** Names of objects whose last event may not have been published. */
  noted(): readonly string[] {
    const noted = this.#memory.keys(NOTE).map(key => key.slice(NOTE.length))
    return noted.filter(key => !this.#outdated.has(key))
  }

  /** Publishes the event that was noted, if there is one: an ADD when there was no body before. */
  async publishNoted(key: string, publish: (seen: Seen, body: string, old: string | undefined) => Promise<void>) {
    const note = await this.#memory.get(NOTE + key)
    const seen = this.#seen.get(key)
    if (note === undefined) return
    // Without what was seen the event was not stored either.
    if (seen) await publish(seen, await this.body(key), note === '' ? undefined : unpack(note))
    await this.#memory.delete(NOTE + key)
  }

  async forget(key: string): Promise<void> {
    this.#outdated.delete(key)
    await this.#memory.delete(NOTE + key)
    await this.#memory.delete(OBJECT + key)
    this.#seen.delete(key)
    this.#recent.delete(key)
  }

  async tick(): Promise<number | undefined> {
    const text = await this.#memory.get(TICK)
    return text === undefined ? undefined : Number(text)
  }

  setTick(tick: number): Promise<void> {
    return this.#memory.set(TICK, String(tick))
  }

  async #activate(activation: Activation): Promise<void> {
    await this.#memory.set(ACTIVATION, JSON.stringify(activation))
    this.#activation = activation
  }
}

const RECENT_LENGTH = 2 ** 20

/** The bodies that were seen last: an object that changes often is not read back at every change. */
class RecentBodies {
  readonly #bodies = new Map<string, string>()
  #length = 0

  get(key: string): string | undefined {
    return this.#bodies.get(key)
  }

  set(key: string, body: string): void {
    this.delete(key)
    this.#bodies.set(key, body)
    this.#length += body.length
    for (const oldest of this.#bodies.keys()) {
      if (this.#length <= RECENT_LENGTH) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#length -= this.#bodies.get(key)?.length ?? 0
    this.#bodies.delete(key)
  }
}

const ACTIVATION = 'activation'
const OBJECT = 'object/'
const NOTE = 'note/'
const TICK = 'resync-tick'
/** Long enough for many to go with one sync, which others would have to wait for. */
const CLEANED_AFTER_MS = 250

/** Below this, compressing gains less than its text form costs. */
const PACKED_FROM = 512

function pack(body: string): string {
  return body.length < PACKED_FROM ? body : deflateRawSync(body, { level: 1 }).toString('base64')
}

function unpack(text: string): string {
  return text.startsWith('{') ? text : inflateRawSync(Buffer.from(text, 'base64')).toString()
}
