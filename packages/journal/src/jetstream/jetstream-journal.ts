import type { NodeConnectionOptions } from '@nats-io/transport-node'
import type { Env } from '@tiphys/env'
import { foreignStream, journalClosed, partsMissing, takenOver, unreachable, writeFailed } from '../failures.ts'
import type { Compaction, CompactOptions, Entry, Journal, JournalRecord } from '../journal.ts'
import { type Candidate, type CompactionPlan, isHidden, planCompaction } from './compaction-plan.ts'
import { type Horizon, JournalStreams } from './journal-streams.ts'
import { Link, NoAnswer, StreamApiError, WRONG_LAST_SEQUENCE } from './link.ts'
import { Publisher } from './publisher.ts'
import { RecentMessages } from './recent-messages.ts'
import { entryOf, type StreamMessage } from './stream-message.ts'
import { readSyncSetting, warningsOf } from './sync-setting.ts'

export interface JetStreamJournalOptions {
  /** Where the servers are and who is calling, as the NATS client takes it. */
  connection: NodeConnectionOptions
  /** Name of the stream, and the beginning of the name of a second one beside it. Made if they are missing. */
  stream: string
  env: Env
  /** How many servers keep a copy. */
  replicas?: number
  /** How large the stream may become; an append beyond it is rejected with `journal-full`, and nothing is dropped. */
  maxBytes?: number
  /** The monitoring address of a server, from which is learnt when it syncs. */
  monitor?: string
  /** How long opening and closing wait for a server that does not answer. */
  patienceMs?: number
}

export interface JetStreamJournal extends Journal {
  /** What the settings of the server can cost, in sentences for the person who runs it. */
  readonly warnings: readonly string[]
  /** Whether the server can be reached now. Appends and readers wait while it cannot. */
  readonly isConnected: boolean
}

const PATIENCE_MS = 30_000

/** Opens the journal in a JetStream stream, or starts one. An earlier writer is shut out: what it had acknowledged is kept,
 *  and from then on it is refused with `journal-taken-over`.
 *
 *  A record is acknowledged when the server has acknowledged it. Whether it then survives the loss of power is a setting
 *  of the server; see `warnings`. A lost connection is waited for: no append is rejected because of it, and none is stored
 *  twice. */
export async function openJetStreamJournal(options: JetStreamJournalOptions): Promise<JetStreamJournal> {
  const { connection, stream, env, replicas = 1, maxBytes = -1, monitor, patienceMs = PATIENCE_MS } = options
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(stream))
    throw foreignStream(`stream ${JSON.stringify(stream)}`, 'a name has letters, digits, _ and - only')
  const link = await Link.open(
    { ...connection, name: connection.name ?? `tiphys journal ${stream}` },
    env,
    `stream ${stream}`,
  )
  const patience = new AbortController()
  const timer = env.clock.schedule(patienceMs, () => patience.abort())
  try {
    const streams = new JournalStreams(link, env, stream)
    const persist = <T>(task: () => Promise<T>) => link.persist(task, patience.signal)
    await persist(() => streams.claim({ replicas, maxBytes }))
    const head = await persist(async () => {
      if ((await streams.currentWriter()) !== streams.writer) throw takenOver(streams.place)
      return await streams.readHead()
    })
    const horizon = await persist(() => streams.readHorizon())
    const warnings = warningsOf(await readSyncSetting(monitor), replicas)
    for (const warning of warnings) env.log.warn(warning, { stream })
    const journal = new StreamJournal({ link, streams, env, head, horizon, warnings, patienceMs })
    await journal.finishCompaction()
    return journal
  } catch (error) {
    await link.close()
    throw error instanceof NoAnswer || patience.signal.aborted ? unreachable(`stream ${stream}`, error) : error
  } finally {
    timer.cancel()
  }
}

interface Opened {
  link: Link
  streams: JournalStreams
  env: Env
  head: number
  horizon: Horizon
  warnings: string[]
  patienceMs: number
}

class StreamJournal implements JetStreamJournal {
  readonly #opened: Opened
  readonly #publisher: Publisher
  readonly #recent = new RecentMessages()
  readonly #waitingForProgress = new Set<() => void>()
  #horizon: number
  /** Dropped, and not yet gone from the stream. */
  #leaving: ReadonlySet<number> = new Set()
  #compacting: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  constructor(opened: Opened) {
    this.#opened = opened
    this.#horizon = opened.horizon.position
    this.#publisher = new Publisher({
      ...opened,
      onCommitted: message => {
        this.#recent.add(message)
        this.#reportProgress()
      },
      onFailed: () => this.#reportProgress(),
    })
  }

  get head(): number {
    return this.#publisher.head
  }

  get horizon(): number {
    return this.#horizon
  }

  get warnings(): readonly string[] {
    return this.#opened.warnings
  }

  get isConnected(): boolean {
    return this.#opened.link.isUp
  }

  append(record: JournalRecord): Promise<number> {
    if (this.#closing) return Promise.reject(journalClosed(this.#opened.streams.place))
    return this.#publisher.append(record)
  }

  read(from: number): AsyncIterable<Entry> {
    return this.#entries(from, this.head)
  }

  async *follow(from: number, signal: AbortSignal): AsyncIterable<Entry> {
    let position = Math.max(1, from)
    while (!signal.aborted) {
      const head = this.head
      if (position <= head) {
        for await (const entry of this.#entries(position, head)) {
          if (signal.aborted) return
          yield entry
        }
        position = head + 1
        continue
      }
      if (this.#closing) return
      if (this.#publisher.failure) throw this.#publisher.failure
      await this.#progress(signal)
    }
  }

  compact({ before }: CompactOptions): Promise<Compaction> {
    const run = this.#compacting.then(() => this.#compact(before))
    // The caller sees the error; the next compaction only waits for the end of this one.
    this.#compacting = run.catch(() => {})
    return run
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Drops what a compaction that was cut short has left, and parts of records that were never stored. */
  async finishCompaction(): Promise<void> {
    const { link, streams, horizon } = this.#opened
    const { head } = this
    if (!horizon.isReached) {
      const plan = planCompaction(await this.#candidates(horizon.position), { from: 1, to: horizon.position, head })
      await this.#purge(plan)
      await link.persist(() => streams.writeHorizon({ ...horizon, isReached: true }))
    }
    await link.persist(() =>
      streams.removeParts(async (position, name) => position <= head && (await streams.idAt(position)) === name),
    )
  }

  async *#entries(from: number, until: number): AsyncIterable<Entry> {
    for await (const message of this.#messages(from, until)) {
      if (this.#isDropped(message)) continue
      if (!message.parts) yield entryOf(message)
      else {
        const data = await this.#opened.streams.readParts(message.position, message.parts)
        if (data) yield entryOf({ ...message, data })
        else if (!this.#isDropped(message)) throw partsMissing(this.#opened.streams.place, message.position)
      }
    }
  }

  async *#messages(from: number, until: number): AsyncIterable<StreamMessage> {
    const { link, streams } = this.#opened
    for (let position = Math.max(1, from); position <= until; ) {
      let found = this.#recent.from(position)
      if (found.length === 0)
        found = await link.persist(() => streams.read(position, until)).catch(error => this.#explain(error))
      if (found.length === 0) return
      for (const message of found) {
        if (message.position > until) return
        position = message.position + 1
        yield message
      }
    }
  }

  #explain(error: unknown): never {
    throw this.#closing ? journalClosed(this.#opened.streams.place) : (this.#publisher.failure ?? error)
  }

  #isDropped(message: StreamMessage): boolean {
    return this.#leaving.has(message.position) || isHidden(message, this.#horizon)
  }

  async #candidates(before: number): Promise<Candidate[]> {
    const candidates: Candidate[] = []
    for await (const { position, subject, deleted, parts } of this.#messages(1, before - 1))
      candidates.push({ position, subject, deleted, hasParts: parts !== undefined })
    return candidates
  }

  async #compact(before: number): Promise<Compaction> {
    const { link, streams } = this.#opened
    if (this.#closing) throw journalClosed(streams.place)
    if (this.#publisher.failure) throw this.#publisher.failure
    const { head } = this
    const horizon = Math.min(before, head + 1)
    if (horizon <= this.#horizon) return { kept: 0, dropped: 0 }
    const plan = planCompaction(await this.#candidates(horizon), { from: this.#horizon, to: horizon, head })
    await this.#write({ position: horizon, isReached: false })
    this.#horizon = horizon
    this.#leaving = plan.leaving
    await this.#purge(plan)
    await this.#write({ position: horizon, isReached: true })
    this.#recent.forgetBefore(horizon)
    this.#leaving = new Set()
    const parts = new Set(plan.parts)
    if (parts.size > 0) await link.persist(() => streams.removeParts(position => !parts.has(position)))
    return { kept: plan.kept, dropped: plan.dropped }
  }

  async #write(horizon: Horizon): Promise<void> {
    const { link, streams } = this.#opened
    try {
      await link.persist(() => streams.writeHorizon(horizon))
    } catch (error) {
      const isOvertaken = error instanceof StreamApiError && error.errorCode === WRONG_LAST_SEQUENCE
      throw isOvertaken ? takenOver(streams.place) : error
    }
  }

  async #purge({ purges }: CompactionPlan): Promise<void> {
    const { link, streams } = this.#opened
    for (const { before, subject } of purges) await link.persist(() => streams.purge(before, subject))
  }

  async #close(): Promise<void> {
    const { link, streams, env, patienceMs } = this.#opened
    const timer = env.clock.schedule(patienceMs, () => {
      this.#publisher.fail(
        writeFailed(streams.place, new Error('the server did not answer before the journal was closed')),
      )
      void link.close()
    })
    await this.#compacting
    await this.#publisher.settled()
    timer.cancel()
    this.#publisher.close()
    this.#reportProgress()
    await link.close()
  }

  #reportProgress(): void {
    for (const wake of this.#waitingForProgress) wake()
    this.#waitingForProgress.clear()
  }

  #progress(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        signal.removeEventListener('abort', wake)
        this.#waitingForProgress.delete(wake)
        resolve()
      }
      signal.addEventListener('abort', wake, { once: true })
      this.#waitingForProgress.add(wake)
    })
  }
}
