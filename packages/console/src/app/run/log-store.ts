import type { LogPart } from '@tiphys/archive'
import { againAfter, get } from '../request.ts'
import { plainText } from './ansi.ts'

const PAGE = 2000
/** Lines of one request while everything is looked through: few first, so that the first finds are there at once. */
const [FIRST_PART, LARGEST_PART] = [5000, 50_000]
/** More output than this is not kept for the next search, but read again. */
const MOST_KEPT_BYTES = 64 * 2 ** 20
/** A search gives the page its turn after so long. */
const SLICE_MS = 12

/** The output of one container: lines are read when they are looked at; all of them when they are searched. */
export class LogStore {
  readonly #path: string
  readonly #uid: string
  readonly #pages = new Map<number, readonly string[]>()
  readonly #loading = new Set<number>()
  readonly #listeners = new Set<() => void>()
  readonly #ended = new AbortController()
  /** Everything from the first line on, as far as it was read. */
  #kept: string[] = []
  #reading: Promise<boolean> | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #filter = ''
  /** What is shown, and what is being looked for; the same, once there is something to show. */
  #found: Found | undefined
  #sought: Found | undefined
  total = 0
  bytes = 0
  missing = 0
  version = 0
  state: 'loading' | 'ready' | 'failed' = 'loading'
  error: Error | undefined

  constructor(path: string, uid: string) {
    this.#path = path
    this.#uid = uid
    void this.#open()
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** How many lines there are to be seen. */
  get count(): number {
    return this.#found?.numbers.length ?? this.total
  }

  /** Not all lines have been looked through yet. */
  get isSearching(): boolean {
    return this.#sought !== undefined && !this.#sought.isWhole
  }

  /** The number of the line, counted from 1, at a place of what is to be seen. */
  numberAt(index: number): number {
    return this.#found ? (this.#found.numbers[index] ?? 0) : index + 1
  }

  /** Where a line is among what is to be seen; -1 when it is not. */
  indexOf(number: number): number {
    if (this.#found) return this.#found.numbers.indexOf(number)
    return number <= this.total ? number - 1 : -1
  }

  line(number: number): string | undefined {
    return (
      this.#found?.lines.get(number) ??
      this.#pages.get(Math.floor((number - 1) / PAGE))?.[(number - 1) % PAGE] ??
      this.#kept[number - 1]
    )
  }

  ensure(first: number, last: number): void {
    if (this.#found) return
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) {
      if (page >= 0 && this.line(page * PAGE + 1) === undefined) void this.#load(page)
    }
  }

  /** Somebody is about to search: reads ahead what a search would wait for. */
  async prepare(): Promise<void> {
    if (this.state !== 'ready' || this.bytes > MOST_KEPT_BYTES) return
    while (this.#kept.length < this.total && (await this.#readOn()));
  }

  /** Only lines with this text; empty for all. What is found is shown while the rest is looked through; resolves when all
   *  has been. */
  async filter(text: string): Promise<void> {
    this.#filter = text
    this.#sought = text === '' ? undefined : { numbers: [], lines: new Map(), scanned: 0, isWhole: false }
    if (!this.#sought) this.#found = undefined
    this.#changed()
    if (this.#sought) await this.#search(this.#sought, matcherOf(text))
  }

  /** More may have come. */
  async renew(): Promise<void> {
    if (this.state !== 'ready') return
    const before = this.total
    const last = Math.max(0, Math.ceil(before / PAGE) - 1)
    await this.#load(last, true)
    if (this.total === before || this.#filter === '' || this.isSearching) return
    // The last line may have gone on; what was looked through before it stays.
    const found = this.#sought
    if (!found) return
    found.isWhole = false
    found.scanned = Math.max(0, found.scanned - 1)
    if (found.numbers.at(-1) === found.scanned + 1) found.lines.delete(found.numbers.pop() as number)
    this.#kept.length = Math.min(this.#kept.length, found.scanned)
    await this.#search(found, matcherOf(this.#filter))
  }

  close(): void {
    this.#ended.abort()
    clearTimeout(this.#again)
  }

  async #search(found: Found, matches: (line: string) => boolean): Promise<void> {
    const isKept = this.bytes <= MOST_KEPT_BYTES
    let begun = performance.now()
    for (;;) {
      const lines = isKept ? this.#kept : await this.#part(found.scanned + 1)
      const offset = isKept ? 0 : found.scanned
      for (let i = found.scanned - offset; i < lines.length; i++) {
        const line = lines[i] as string
        if (matches(line)) {
          found.numbers.push(offset + i + 1)
          found.lines.set(offset + i + 1, line)
        }
        found.scanned = offset + i + 1
        if (i % 1000 !== 999 || performance.now() - begun < SLICE_MS) continue
        this.#show(found)
        await new Promise(resolve => setTimeout(resolve))
        if (this.#sought !== found || this.#ended.signal.aborted) return
        begun = performance.now()
      }
      found.isWhole = found.scanned >= this.total
      this.#show(found)
      if (found.isWhole) return
      const hasMore = isKept ? await this.#readOn() : lines.length > 0
      if (!hasMore || this.#sought !== found || this.#ended.signal.aborted) return
      begun = performance.now()
    }
  }

  /** What was there before stays until there is something to show, or it is known that there is nothing. */
  #show(found: Found): void {
    if (found.numbers.length > 0 || found.isWhole) this.#found = found
    this.#changed()
  }

  /** Reads what comes after what is kept; says whether there was more. Whoever asks meanwhile waits for the same. */
  #readOn(): Promise<boolean> {
    this.#reading ??= (async () => {
      try {
        const lines = await this.#part(this.#kept.length + 1)
        for (const line of lines) this.#kept.push(line)
        return lines.length > 0
      } catch {
        // The server is away: the next search reads on.
        return false
      } finally {
        this.#reading = undefined
      }
    })()
    return this.#reading
  }

  async #part(from: number): Promise<readonly string[]> {
    if (from > this.total) return []
    const lines = from === 1 ? FIRST_PART : LARGEST_PART
    const part = await get<LogPart>(this.#path, { uid: this.#uid, from, lines }, this.#ended.signal)
    this.total = part.total
    return part.lines
  }

  async #open(): Promise<void> {
    try {
      await this.#read(0)
      this.state = 'ready'
    } catch (error) {
      if (this.#ended.signal.aborted) return
      this.state = 'failed'
      this.error = error as Error
      const wait = againAfter(error)
      if (wait !== false) this.#again = setTimeout(() => void this.#open(), wait)
    }
    this.#changed()
  }

  async #load(page: number, isAgain = false): Promise<void> {
    if (this.#loading.has(page) || (!isAgain && this.#pages.has(page))) return
    this.#loading.add(page)
    try {
      await this.#read(page)
    } catch {
      // Asked for again when it is looked at again.
    } finally {
      this.#loading.delete(page)
      this.#changed()
    }
  }

  async #read(page: number): Promise<void> {
    const query = { uid: this.#uid, from: page * PAGE + 1, lines: PAGE }
    const part = await get<LogPart>(this.#path, query, this.#ended.signal)
    this.#pages.set(page, part.lines)
    this.total = part.total
    this.bytes = part.bytes
    this.missing = part.missing
  }

  #changed(): void {
    if (this.#ended.signal.aborted) return
    this.version++
    for (const listener of this.#listeners) listener()
  }
}

/** What a search has found so far. */
interface Found {
  numbers: number[]
  lines: Map<number, string>
  scanned: number
  isWhole: boolean
}

/** Whether a line, as it is shown, has the text in it; upper and lower case are the same. */
function matcherOf(text: string): (line: string) => boolean {
  const pattern = new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'iu')
  return line => pattern.test(line.includes('\x1b') ? plainText(line) : line)
}
