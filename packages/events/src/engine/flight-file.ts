import { hash } from 'node:crypto'
import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'

const SLOT = 16
const FIRST_SLOTS = 64
/** Of deliveries that died and never came again; the oldest are forgotten. */
const MOST_REMEMBERED = 1000
const EMPTY = Buffer.alloc(SLOT)

/** Names in slots of 16 bytes, after one for the machine's start. Written without a sync: what was written is there after the
 *  process has died. A name that has ended stays until its slot is wanted again or `clear` is called, so that a delivery
 *  costs one write at most, which it shares with those that are added before the same `flush`. */
export class FlightFile {
  /** How many processes have died with a delivery under way, by name. */
  readonly deaths: ReadonlyMap<string, number>
  readonly #deaths: Map<string, number>
  readonly #deathsPath: string
  readonly #onFailed: (error: unknown) => void
  /** What the file has. */
  #table: Buffer
  /** Slots by the name that they have: of deliveries under way, and of those that have ended. */
  readonly #taken = new Map<string, number>()
  readonly #ended = new Map<string, number>()
  readonly #blank: number[] = []
  /** Slots that the file has to be given. */
  #changed = { first: Number.POSITIVE_INFINITY, last: 0 }
  #descriptor: number | undefined
  #hasFailed = false

  private constructor(path: string, start: Buffer, onFailed: (error: unknown) => void) {
    this.#deathsPath = `${path}-deaths`
    this.#deaths = readDeaths(this.#deathsPath)
    this.deaths = this.#deaths
    this.#onFailed = onFailed
    this.#table = start
  }

  /** Reads what the last process has left, and begins anew. */
  static open(path: string, boot = bootOfMachine(), onFailed: (error: unknown) => void = () => {}): FlightFile {
    const start = Buffer.from(hash('sha256', boot, 'hex').slice(0, 2 * SLOT), 'hex')
    const file = new FlightFile(path, start, onFailed)
    file.#attempt(() => {
      const left = namesIn(path, start)
      for (const name of left) file.#count(name, (file.#deaths.get(name) ?? 0) + 1)
      if (left.length > 0) file.#storeDeaths()
      file.#descriptor = openSync(path, 'w', 0o600)
    })
    file.#grow(FIRST_SLOTS)
    return file
  }

  /** The file has it after the next `flush`. */
  add(name: string): void {
    const still = this.#ended.get(name)
    if (still !== undefined) {
      this.#ended.delete(name)
      this.#taken.set(name, still)
      return
    }
    const slot = this.#blank.pop() ?? this.#reuse() ?? this.#more()
    this.#taken.set(name, slot)
    this.#table.write(name, slot * SLOT, SLOT, 'hex')
    this.#change(slot)
  }

  flush(): void {
    const { first, last } = this.#changed
    if (first > last) return
    this.#changed = { first: Number.POSITIVE_INFINITY, last: 0 }
    this.#write(first * SLOT, (last + 1 - first) * SLOT)
  }

  release(name: string): void {
    const slot = this.#taken.get(name)
    if (slot === undefined) return
    this.#taken.delete(name)
    this.#ended.set(name, slot)
  }

  /** Takes out the names that have ended. */
  clear(): void {
    if (this.#ended.size === 0) return
    for (const slot of this.#ended.values()) {
      EMPTY.copy(this.#table, slot * SLOT)
      this.#blank.push(slot)
      this.#change(slot)
    }
    this.#ended.clear()
    this.flush()
  }

  setDeaths(name: string, count: number): void {
    this.#count(name, count)
    this.#attempt(() => this.#storeDeaths())
  }

  /** Nothing is under way. */
  close(): void {
    this.#table.fill(0, SLOT)
    this.#write(SLOT, this.#table.length - SLOT)
    this.#attempt(() => {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    })
    this.#descriptor = undefined
  }

  #count(name: string, count: number): void {
    this.#deaths.delete(name)
    if (count > 0) this.#deaths.set(name, count)
    if (this.#deaths.size > MOST_REMEMBERED) this.#deaths.delete(this.#deaths.keys().next().value as string)
  }

  /** The one that ended first: the others may be wanted again by the same name. */
  #reuse(): number | undefined {
    for (const [name, slot] of this.#ended) {
      this.#ended.delete(name)
      return slot
    }
    return undefined
  }

  #more(): number {
    this.#grow((2 * this.#table.length) / SLOT)
    return this.#blank.pop() as number
  }

  #grow(slots: number): void {
    const before = this.#table.length / SLOT
    this.#table = Buffer.concat([this.#table], slots * SLOT)
    for (let slot = slots - 1; slot >= before; slot--) this.#blank.push(slot)
    this.#write(0, this.#table.length)
  }

  #change(slot: number): void {
    const { first, last } = this.#changed
    this.#changed = { first: Math.min(first, slot), last: Math.max(last, slot) }
  }

  #write(at: number, bytes: number): void {
    this.#attempt(() => {
      if (this.#descriptor !== undefined) writeSync(this.#descriptor, this.#table, at, bytes, at)
    })
  }

  /** Whole or not at all. */
  #storeDeaths(): void {
    const next = `${this.#deathsPath}.next`
    writeFileSync(next, JSON.stringify(Object.fromEntries(this.#deaths)), { mode: 0o600 })
    renameSync(next, this.#deathsPath)
  }

  /** What fails is said once; deliveries go on without it. */
  #attempt(call: () => void): void {
    try {
      call()
    } catch (thrown) {
      if (!this.#hasFailed) this.#onFailed(thrown)
      this.#hasFailed = true
    }
  }
}

function namesIn(path: string, start: Buffer): string[] {
  const content = readIfThere(path)
  if (!content || !content.subarray(0, SLOT).equals(start)) return []
  const names: string[] = []
  for (let at = SLOT; at + SLOT <= content.length; at += SLOT) {
    const slot = content.subarray(at, at + SLOT)
    if (!slot.equals(EMPTY)) names.push(slot.toString('hex'))
  }
  return names
}

function readDeaths(path: string): Map<string, number> {
  try {
    const counts = JSON.parse(readIfThere(path)?.toString() ?? '{}') as Record<string, unknown>
    return new Map(
      Object.entries(counts).flatMap(([name, count]) => (typeof count === 'number' ? [[name, count]] : [])),
    )
  } catch {
    return new Map() // Damaged by the loss of power: what it knew is learnt again.
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}

/** Empty where a kernel has no word for it: then every death counts. */
function bootOfMachine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
  } catch {
    return ''
  }
}
