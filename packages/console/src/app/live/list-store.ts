import type { Page, Row } from '@tiphys/archive'
import type { LiveTopic } from '../../api/live.ts'
import { againAfter, get, type Query } from '../request.ts'
import { following, live } from './use-live.ts'

const PAGE = 200
const AT_ONCE = 4
/** How often it is looked further back without finding anything, before the reader is asked again. */
const MOST_LOOKS = 20
const RENEWED_MS = 1000

export interface ListOptions<T> {
  path: string
  query: Query
  keyOf(item: T): string
  /** When it happened: what is newer than the first row is new. */
  timeOf(item: T): number
  topic?: LiveTopic
  /** No topic has its rows: they are read anew when something has changed, while the reader is at the top. */
  isRenewed?: boolean
  /** How a page is read; from the server unless told. */
  read?(query: Query, signal: AbortSignal): Promise<Page<T>>
}

/** A list as long as the archive, of which only what was looked at is here.
 *
 *  Rows are counted from the newest. What was there when the list was opened does not move: pages are read behind the first
 *  row of then. What comes later waits, and is put before it when the reader is at the top. */
export class ListStore<T extends object> {
  readonly #options: ListOptions<T>
  readonly #listeners = new Set<() => void>()
  readonly #ended = new AbortController()
  readonly #pages = new Map<number, Row<T>[]>()
  readonly #loading = new Set<number>()
  /** Merged since the list was opened, oldest first. */
  #head: Row<T>[] = []
  /** Came, and waits to be merged, oldest first. */
  #waiting: Row<T>[] = []
  /** Where each known row is: its page, `head` or `waiting`, and the index in it. */
  readonly #places = new Map<string, { in: Row<T>[]; index: number }>()
  #anchor: Row<T> | undefined
  #baseTotal = 0
  #isExact = true
  #endFollowing: (() => void) | undefined
  #endWaiting: (() => void) | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #renewing: ReturnType<typeof setTimeout> | undefined
  /** Something has changed since the rows were read. */
  #isOutdated = false
  #hasLooked = false
  #isAtTop = true

  version = 0
  state: 'loading' | 'ready' | 'failed' = 'loading'
  error: Error | undefined
  /** How far a search has come that has not looked at everything. */
  partial: Page<T>['partial']
  isLooking = false
  /** Where it goes on. */
  #frontier: string | undefined

  constructor(options: ListOptions<T>) {
    this.#options = options
    void this.#open()
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get total(): number {
    return this.#head.length + this.#baseTotal
  }

  get isExact(): boolean {
    return this.#isExact
  }

  /** How many rows came that are not shown. */
  get fresh(): number {
    return this.#waiting.length
  }

  at(index: number): Row<T> | undefined {
    if (index < this.#head.length) return this.#head[this.#head.length - 1 - index]
    const base = index - this.#head.length
    return this.#pages.get(Math.floor(base / PAGE))?.[base % PAGE]
  }

  indexOf(key: string): number {
    const place = this.#places.get(key)
    if (!place) return -1
    if (place.in === this.#head) return this.#head.length - 1 - place.index
    for (const [number, page] of this.#pages) {
      if (page === place.in) return this.#head.length + number * PAGE + place.index
    }
    return -1
  }

  /** Reads what is to be seen; called while scrolling. */
  ensure(from: number, to: number): void {
    if (this.state !== 'ready') return
    const first = Math.max(0, Math.floor((from - this.#head.length) / PAGE))
    const last = Math.floor((Math.min(to, this.total - 1) - this.#head.length) / PAGE)
    for (let number = first; number <= last; number++) {
      if (this.#pages.has(number) || this.#loading.has(number) || this.#loading.size >= AT_ONCE) continue
      void this.#load(number)
    }
  }

  /** Where the reader is. At the top new rows come in by themselves; elsewhere nothing moves. */
  set isAtTop(isAtTop: boolean) {
    if (this.#isAtTop === isAtTop) return
    this.#isAtTop = isAtTop
    this.#catchUp()
  }

  /** What waited comes in when the reader is at the top and wants it. */
  #catchUp = (): void => {
    if (!this.#isAtTop || following.get() !== 'on') return
    this.merge()
    if (this.#isOutdated) this.#renew()
  }

  merge(): void {
    if (this.#waiting.length === 0) return
    for (const row of this.#waiting) {
      this.#places.set(this.#options.keyOf(row), { in: this.#head, index: this.#head.length })
      this.#head.push(row)
    }
    this.#waiting = []
    this.#changed()
  }

  /** Goes on with a search that has not looked at everything, until something is found. */
  async lookFurther(): Promise<void> {
    if (this.isLooking || this.#frontier === undefined) return
    this.isLooking = true
    this.#hasLooked = true
    this.#changed()
    try {
      for (let looks = 0; looks < MOST_LOOKS && this.#frontier !== undefined; looks++) {
        const page = await this.#read({ after: this.#frontier, limit: PAGE })
        this.#append(page)
        this.#changed()
        if (page.items.length > 0) break
      }
    } catch {
      // The list's state says when the server is away; the button is still there.
    } finally {
      this.isLooking = false
      this.#changed()
    }
  }

  close(): void {
    this.#ended.abort()
    clearTimeout(this.#again)
    clearTimeout(this.#renewing)
    this.#endFollowing?.()
    this.#endWaiting?.()
  }

  async #open(): Promise<void> {
    try {
      const page = await this.#read({ limit: PAGE })
      this.#anchor = page.items[0]
      this.#keep(0, page)
      this.state = 'ready'
      this.#follow()
    } catch (error) {
      if (this.#ended.signal.aborted) return
      this.state = 'failed'
      this.error = error as Error
      const wait = againAfter(error)
      if (wait !== false) this.#again = setTimeout(() => void this.#open(), wait)
    }
    this.#changed()
  }

  /** Everything anew: rows were missed. */
  async #reopen(): Promise<void> {
    try {
      const page = await this.#read({ limit: PAGE })
      this.#pages.clear()
      this.#places.clear()
      this.#head = []
      this.#waiting = []
      this.#anchor = page.items[0]
      this.#keep(0, page)
      this.#changed()
    } catch {
      // The server is away; the next gap or row asks again.
    }
  }

  #read(query: Query): Promise<Page<T>> {
    const { path, query: own, read } = this.#options
    const whole = { ...own, ...query }
    return read ? read(whole, this.#ended.signal) : get<Page<T>>(path, whole, this.#ended.signal)
  }

  /** What comes after so many rows. The server leaves out only so many at once. */
  async #readFrom(after: string | undefined, skip: number, query: Query): Promise<Page<T>> {
    let page = await this.#read({ ...query, after, skip })
    for (let left = skip; page.skipped !== undefined && page.next !== undefined && !page.partial; ) {
      left -= page.skipped
      page = await this.#read({ ...query, after: page.next, skip: left })
    }
    return page
  }

  /** The nearest row before a page that is known. */
  #rowBefore(start: number): { cursor: string | undefined; skip: number } {
    for (let number = start / PAGE - 1; number >= 0; number--) {
      const rows = this.#pages.get(number)
      const last = rows?.at(-1)
      if (rows && last) return { cursor: last.cursor, skip: start - number * PAGE - rows.length }
    }
    return { cursor: this.#anchor?.cursor, skip: start - 1 }
  }

  async #load(number: number): Promise<void> {
    this.#loading.add(number)
    try {
      const start = number * PAGE
      const length = Math.min(PAGE, this.#baseTotal - start)
      const isNearEnd = this.#isExact && start > this.#baseTotal / 2
      const { cursor, skip } = this.#rowBefore(start)
      const fromEnd = this.#baseTotal - start - length
      const page =
        isNearEnd && fromEnd < skip
          ? await this.#readFrom(undefined, fromEnd, { order: 'oldest', limit: length })
          : await this.#readFrom(cursor, skip, { limit: PAGE })
      this.#keep(number, isNearEnd && fromEnd < skip ? { ...page, items: [...page.items].reverse() } : page)
    } catch {
      // Asked for again with the next scroll; the list's state says when the server is away.
    } finally {
      this.#loading.delete(number)
      this.#changed()
    }
  }

  #keep(number: number, { items, total, next, partial }: Page<T>): void {
    const rows = [...items]
    this.#pages.set(number, rows)
    this.#note(rows, 0)
    if (number === 0) {
      this.#isExact = total.exact
      this.#baseTotal = Math.max(total.count, rows.length)
    } else if (!this.#isExact) {
      const known = number * PAGE + rows.length
      this.#baseTotal = next === undefined ? known : Math.max(this.#baseTotal, known + 1)
      this.#isExact = next === undefined
    }
    // Beyond the place where the search stopped there is nothing to show until it goes on.
    if (partial) this.#baseTotal = number * PAGE + rows.length
    if (partial || number === 0) this.#setEnd(partial, next)
  }

  #setEnd(partial: Page<T>['partial'], next: string | undefined): void {
    this.partial = partial
    this.#frontier = partial ? next : undefined
  }

  /** Rows behind the last ones. */
  #append({ items, next, partial }: Page<T>): void {
    for (let left = [...items]; left.length > 0; ) {
      const number = Math.floor(this.#baseTotal / PAGE)
      const rows = this.#pages.get(number) ?? []
      const taken = left.slice(0, PAGE - rows.length)
      left = left.slice(taken.length)
      const from = rows.length
      rows.push(...taken)
      this.#pages.set(number, rows)
      this.#note(rows, from)
      this.#baseTotal += taken.length
    }
    this.#setEnd(partial, next)
    if (partial) return
    // A full page, and more behind it: read when the reader comes there.
    if (next !== undefined) this.#baseTotal++
    this.#isExact = next === undefined
  }

  #note(rows: Row<T>[], from: number): void {
    for (let index = from; index < rows.length; index++)
      this.#places.set(this.#options.keyOf(rows[index] as Row<T>), { in: rows, index })
  }

  #follow(): void {
    const { topic, query, isRenewed = false } = this.#options
    if (!topic && !isRenewed) return
    this.#endWaiting = following.onChange(this.#catchUp)
    if (!topic) {
      const renew = () => this.#renew()
      // What came between reading and following is read, too.
      this.#endFollowing = live.follow({ topic: 'changes' }, { onRows: renew, onGap: renew, onStart: renew })
      return
    }
    const cursor = this.#anchor?.cursor
    let isFirst = true
    const start = { topic, ...pick(query, 'q'), ...pick(query, 'ns'), ...(cursor !== undefined && { cursor }) }
    this.#endFollowing = live.follow(start, {
      onRows: rows => this.#take(rows as Row<T>[]),
      onGap: () => void this.#reopen(),
      onStart: () => {
        // Without a row there was no place to follow from: what came in between is read.
        if (isFirst && cursor === undefined) void this.#reopen()
        isFirst = false
      },
    })
  }

  /** Reads the first rows anew; later, where that would move what somebody reads or take away what they looked further for. */
  #renew(): void {
    this.#isOutdated = true
    if (this.#hasLooked || !this.#isAtTop || following.get() !== 'on') return
    this.#renewing ??= setTimeout(() => {
      this.#renewing = undefined
      if (!this.#isAtTop || following.get() !== 'on') return
      this.#isOutdated = false
      void this.#reopen()
    }, RENEWED_MS)
  }

  #take(rows: readonly Row<T>[]): void {
    const { keyOf, timeOf } = this.#options
    const horizon = this.#anchor ? timeOf(this.#anchor) : 0
    for (const row of rows) {
      const key = keyOf(row)
      const place = this.#places.get(key)
      if (place) place.in[place.index] = row
      // An old one that changed and was not looked at: it is read when it is.
      else if (timeOf(row) >= horizon) {
        this.#places.set(key, { in: this.#waiting, index: this.#waiting.length })
        this.#waiting.push(row)
      }
    }
    if (this.#isAtTop && following.get() === 'on') this.merge()
    this.#changed()
  }

  #changed(): void {
    if (this.#ended.signal.aborted) return
    this.version++
    for (const listener of this.#listeners) listener()
  }
}

function pick(query: Query, name: 'q' | 'ns'): Record<string, string> {
  const value = query[name]
  return typeof value === 'string' && value !== '' ? { [name]: value } : {}
}
