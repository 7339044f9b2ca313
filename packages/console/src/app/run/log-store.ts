import type { LogPart } from '@tiphys/archive'
import { get } from '../request.ts'
import { plainText } from './ansi.ts'

const PAGE = 2000

/** The output of one container: lines are read when they are looked at; all of them when they are searched. */
export class LogStore {
  readonly #path: string
  readonly #uid: string
  readonly #pages = new Map<number, readonly string[]>()
  readonly #loading = new Set<number>()
  readonly #listeners = new Set<() => void>()
  readonly #ended = new AbortController()
  #filter = ''
  #found: number[] | undefined
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
    return this.#found?.length ?? this.total
  }

  /** The number of the line, counted from 1, at a place of what is to be seen. */
  numberAt(index: number): number {
    return this.#found ? (this.#found[index] ?? 0) : index + 1
  }

  line(number: number): string | undefined {
    return this.#pages.get(Math.floor((number - 1) / PAGE))?.[(number - 1) % PAGE]
  }

  ensure(first: number, last: number): void {
    for (let index = first; index <= last; index++) {
      const page = Math.floor((this.numberAt(index) - 1) / PAGE)
      if (page >= 0 && !this.#pages.has(page)) void this.#load(page)
    }
  }

  /** Only lines with this text; empty for all. Resolves when everything was looked at. */
  async filter(text: string): Promise<void> {
    this.#filter = text
    if (text === '') this.#found = undefined
    else {
      const last = Math.ceil(this.total / PAGE)
      for (let page = 0; page < last; page++) if (!this.#pages.has(page)) await this.#load(page)
      if (this.#filter !== text) return
      this.#found = this.#search(text.toLowerCase())
    }
    this.#changed()
  }

  /** More may have come. */
  async renew(): Promise<void> {
    if (this.state !== 'ready') return
    const before = this.total
    const last = Math.max(0, Math.ceil(before / PAGE) - 1)
    await this.#load(last, true)
    if (this.#filter !== '' && this.total !== before) await this.filter(this.#filter)
  }

  close(): void {
    this.#ended.abort()
  }

  #search(text: string): number[] {
    const found: number[] = []
    for (let page = 0; page * PAGE < this.total; page++) {
      const lines = this.#pages.get(page) ?? []
      for (let i = 0; i < lines.length; i++) {
        const line = lines[i] as string
        if ((line.includes('\x1b') ? plainText(line) : line).toLowerCase().includes(text))
          found.push(page * PAGE + i + 1)
      }
    }
    return found
  }

  async #open(): Promise<void> {
    try {
      await this.#read(0)
      this.state = 'ready'
    } catch (error) {
      if (this.#ended.signal.aborted) return
      this.state = 'failed'
      this.error = error as Error
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
