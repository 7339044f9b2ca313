import type { Msg } from '@nats-io/transport-node'
import { asError, type Env, type Failure } from '@tiphys/env'
import { journalBusy, journalClosed, journalFull, recordTooLarge, takenOver, writeFailed } from '../failures.ts'
import type { JournalRecord } from '../journal.ts'
import type { JournalStreams } from './journal-streams.ts'
import {
  type Link,
  NO_RESOURCES,
  NoAnswer,
  readAnswer,
  STORE_FAILED,
  StreamApiError,
  WRONG_LAST_SEQUENCE,
} from './link.ts'
import { LONGEST_KEY, OTHER_HEADERS, type Parts, type StreamMessage, setHeaders, topicOf } from './stream-message.ts'

export interface PublisherOptions {
  link: Link
  streams: JournalStreams
  env: Env
  head: number
  /** Called with each record that is committed, in order. */
  onCommitted: (message: StreamMessage) => void
  /** Called when nothing more will be committed. */
  onFailed: () => void
}

interface Pending {
  readonly message: StreamMessage
  /** Parts are stored before the message that names them is sent. */
  arePartsStored: boolean
  readonly resolve: (position: number) => void
  readonly reject: (failure: Failure) => void
}

type State =
  | 'sending' // records go out as they come
  | 'settling' // the server has refused one; nothing goes out until all that are under way are answered
  | 'resolving' // finding out what the server has stored
  | 'failed' // nothing is accepted any more

const EXPECTED_LAST = 'Nats-Expected-Last-Sequence'
const [MOST_UNDER_WAY, MOST_BYTES_UNDER_WAY] = [2048, 8 * 2 ** 20]
const MOST_WAITING = 64 * 2 ** 20
const LARGEST_RECORD = 32 * 2 ** 20
const DEFAULT_PAYLOAD = 2 ** 20
const STALL_MS = 2000
const REPAIR = 'Everything acknowledged so far is kept. See that the stream is what it was, then start again'

/** Brings records to the stream in the order of the calls, many under way at a time. Each says which sequence it expects
 *  to follow, so that after a refusal or a lost connection it is known which are stored; the rest is sent again. */
export class Publisher {
  readonly #options: PublisherOptions
  readonly #inbox: string
  /** All that is not acknowledged, by number. Numbers count from 0 without gaps. */
  readonly #pending = new Map<number, Pending>()
  #oldest = 0
  #nextToSend = 0
  #nextNumber = 0
  #waitingBytes = 0
  #bytesUnderWay = 0
  #head: number
  #state: State = 'sending'
  /** Counts how often sending began anew; answers to what was sent before then say nothing about what is sent now. */
  #round = 0
  readonly #refusals = new Map<number, Error>()
  #isStoringParts = false
  #isWatching = false
  #progress = 0
  #emptied: (() => void)[] = []
  failure: Failure | undefined

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#head = options.head
    this.#inbox = options.link.makeInbox()
    options.link.nats.subscribe(`${this.#inbox}.*.*`, { callback: (_, message) => this.#onAnswer(message) })
    options.link.listen({
      onLost: () => void this.#resolve(),
      onEnd: error => this.fail(writeFailed(options.streams.place, error, REPAIR)),
    })
  }

  /** The position of the last record that is known to be stored. */
  get head(): number {
    return this.#head
  }

  append({ key, data, deleted = false }: JournalRecord): Promise<number> {
    const { place } = this.#options.streams
    if (this.failure) return Promise.reject(this.failure)
    const content = Buffer.from(data)
    if (content.length > LARGEST_RECORD) return Promise.reject(recordTooLarge('record', content.length, LARGEST_RECORD))
    const keyBytes = key === undefined ? 0 : Buffer.byteLength(key)
    const longestKey = Math.min(LONGEST_KEY, Math.floor((this.#largestMessage - OTHER_HEADERS) / 4))
    if (keyBytes > longestKey) return Promise.reject(recordTooLarge('key', keyBytes, longestKey))
    if (this.#waitingBytes > MOST_WAITING) return Promise.reject(journalBusy(place, this.#waitingBytes, 'the server'))
    return new Promise((resolve, reject) => {
      const number = this.#nextNumber++
      const { name, writer } = this.#options.streams
      const id = `${writer}-${number}`
      const position = this.#head + this.#pending.size + 1
      const subject = `${name}.${topicOf(key)}`
      const message = {
        position,
        subject,
        id,
        key,
        deleted,
        data: content,
        parts: this.#partsFor(content, keyBytes, id),
      }
      this.#pending.set(number, { message, arePartsStored: false, resolve, reject })
      this.#waitingBytes += content.length
      this.#send()
    })
  }

  /** Resolves when nothing waits any more. */
  settled(): Promise<void> {
    return this.#pending.size === 0 ? Promise.resolve() : new Promise(resolve => this.#emptied.push(resolve))
  }

  fail(failure: Failure): void {
    if (this.failure) return
    this.failure = failure
    this.#state = 'failed'
    this.#rejectAll(failure)
    this.#options.onFailed()
  }

  /** Nothing was lost: from now on everything is refused because the journal is closed. */
  close(): void {
    this.fail(journalClosed(this.#options.streams.place))
  }

  #partsFor(content: Buffer, keyBytes: number, name: string): Parts | undefined {
    const room = this.#largestMessage - OTHER_HEADERS
    return content.length <= room - 3 * keyBytes ? undefined : { name, count: Math.ceil(content.length / room) }
  }

  get #largestMessage(): number {
    return this.#options.link.nats.info?.max_payload ?? DEFAULT_PAYLOAD
  }

  #send(): void {
    while (
      this.#state === 'sending' &&
      this.#nextToSend < this.#nextNumber &&
      this.#nextToSend - this.#oldest < MOST_UNDER_WAY &&
      this.#bytesUnderWay < MOST_BYTES_UNDER_WAY
    ) {
      const pending = this.#pending.get(this.#nextToSend) as Pending
      const { parts } = pending.message
      if (parts && !pending.arePartsStored) {
        // Alone, so that a refusal of a part concerns nothing that is under way.
        if (this.#nextToSend === this.#oldest) void this.#storeParts(pending, parts)
        return
      }
      this.#publish(this.#nextToSend, pending.message)
      this.#nextToSend++
    }
  }

  #publish(number: number, message: StreamMessage): void {
    const { link, streams } = this.#options
    const headers = link.makeHeaders()
    headers.set(EXPECTED_LAST, String(message.position - 1))
    setHeaders(headers, message)
    const content = message.parts ? '' : message.data
    this.#bytesUnderWay += content.length
    link.nats.publish(streams.entrance(message.subject), content, {
      headers,
      reply: `${this.#inbox}.${this.#round}.${number}`,
    })
    this.#watchForStall()
  }

  async #storeParts(pending: Pending, { name, count }: Parts): Promise<void> {
    if (this.#isStoringParts) return
    this.#isStoringParts = true
    const { link, streams } = this.#options
    const { position, data } = pending.message
    const size = Math.ceil(data.length / count)
    try {
      for (let index = 0; index < count; index++) {
        const part = data.subarray(index * size, (index + 1) * size)
        await link.persist(() => streams.writePart(position, name, index, part))
      }
      pending.arePartsStored = true
    } catch (error) {
      this.#refuse(asError(error))
    } finally {
      this.#isStoringParts = false
    }
    this.#send()
  }

  #onAnswer(message: Msg): void {
    const [round, number] = message.subject.slice(this.#inbox.length + 1).split('.') as [string, string]
    const pending = this.#pending.get(Number(number))
    if (!pending) return
    try {
      const { seq } = readAnswer<{ seq: number }>(message)
      if (seq !== pending.message.position) throw new Error(`record ${pending.message.position} was stored as ${seq}`)
      this.#commitThrough(Number(number))
    } catch (error) {
      if (Number(round) !== this.#round || this.#state === 'failed' || this.#state === 'resolving') return
      this.#refusals.set(Number(number), asError(error))
      this.#state = 'settling'
    }
    this.#settle()
  }

  /** What is stored at one sequence follows what is stored at all before it. */
  #commitThrough(number: number): void {
    for (; this.#oldest <= number; this.#oldest++) {
      const { message, resolve } = this.#pending.get(this.#oldest) as Pending
      this.#pending.delete(this.#oldest)
      this.#refusals.delete(this.#oldest)
      this.#waitingBytes -= message.data.length
      if (!message.parts && this.#oldest < this.#nextToSend) this.#bytesUnderWay -= message.data.length
      this.#head = message.position
      this.#options.onCommitted(message)
      resolve(message.position)
    }
    this.#nextToSend = Math.max(this.#nextToSend, this.#oldest)
    this.#progress++
    this.#reportEmpty()
    this.#send()
  }

  /** Acts on the first refusal once everything under way is answered. */
  #settle(): void {
    if (this.#state !== 'settling' || this.#refusals.size < this.#nextToSend - this.#oldest) return
    const refusal = this.#refusals.get(this.#oldest)
    if (refusal) this.#refuse(refusal)
    else this.#startAgain()
  }

  #refuse(refusal: Error): void {
    const { place } = this.#options.streams
    if (refusal instanceof NoAnswer) return void this.#resolve()
    if (!(refusal instanceof StreamApiError)) return this.fail(writeFailed(place, refusal, REPAIR))
    if (refusal.errorCode === WRONG_LAST_SEQUENCE) return void this.#resolve()
    const isFull = refusal.errorCode === STORE_FAILED && /^maximum .* exceeded$/.test(refusal.message)
    if (!isFull && !NO_RESOURCES.has(refusal.errorCode)) return this.fail(writeFailed(place, refusal, REPAIR))
    this.#rejectAll(journalFull(place, refusal.message))
    this.#startAgain()
  }

  #startAgain(): void {
    this.#round++
    this.#refusals.clear()
    this.#nextToSend = this.#oldest
    this.#bytesUnderWay = 0
    this.#state = 'sending'
    this.#send()
  }

  #rejectAll(failure: Failure): void {
    for (const { reject } of this.#pending.values()) reject(failure)
    this.#pending.clear()
    this.#oldest = this.#nextNumber
    this.#nextToSend = this.#nextNumber
    this.#waitingBytes = 0
    this.#bytesUnderWay = 0
    this.#reportEmpty()
  }

  #reportEmpty(): void {
    if (this.#pending.size > 0) return
    for (const resolve of this.#emptied.splice(0)) resolve()
  }

  /** A server may be slow, and a message between servers may be lost. Both show as silence; only the second leaves the
   *  connection answering. */
  #watchForStall(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    const seen = this.#progress
    this.#options.env.clock.schedule(STALL_MS, () => void this.#lookIntoSilence(seen))
  }

  async #lookIntoSilence(seen: number): Promise<void> {
    if (seen === this.#progress && this.#state !== 'resolving') {
      // Rejects when the connection is lost, which is dealt with where that is noticed.
      await this.#options.link.nats.flush().catch(() => {})
      if (seen === this.#progress) await this.#resolve()
    }
    this.#isWatching = false
    if (this.#pending.size > 0 && !this.failure) this.#watchForStall()
  }

  /** Finds out which of the records under way are stored, however often the connection is lost meanwhile, and sends the
   *  others again. */
  async #resolve(): Promise<void> {
    if (this.#state === 'resolving' || this.#state === 'failed') return
    this.#state = 'resolving'
    const { link, streams } = this.#options
    try {
      for (;;) {
        const { losses } = link
        await link.persist(() => this.#compareWithStream())
        if (this.failure || (link.isUp && losses === link.losses)) break
      }
    } catch (error) {
      if (error !== this.failure) this.fail(writeFailed(streams.place, error, REPAIR))
    }
    if (!this.failure) this.#startAgain()
  }

  async #compareWithStream(): Promise<void> {
    const { streams } = this.#options
    const writer = await streams.currentWriter()
    if (writer !== streams.writer) {
      if (writer !== undefined) await streams.lastSequence(writer)
      await this.#commitStored()
      this.fail(takenOver(streams.place))
      return
    }
    const head = this.#head
    const last = await streams.lastSequence()
    if (last < head) throw new Error(`the stream ends at ${last}, although ${head} was acknowledged`)
    if (last === head) return
    const id = await streams.idAt(last)
    // Answers to what was sent before may still come in.
    if (last <= this.#head) return
    const number = this.#oldest + last - this.#head - 1
    if (id === undefined) throw new NoAnswer(`the servers have not agreed on record ${last} yet`)
    if (id !== this.#pending.get(number)?.message.id) throw new Error(`record ${last} is somebody else's`)
    this.#commitThrough(number)
  }

  /** Those that were stored before another writer took over. */
  async #commitStored(): Promise<void> {
    for (let number = this.#oldest; number < this.#nextToSend; number++) {
      const pending = this.#pending.get(number)
      if (pending && (await this.#options.streams.idAt(pending.message.position)) !== pending.message.id) return
      if (this.#pending.has(number)) this.#commitThrough(number)
    }
  }
}
