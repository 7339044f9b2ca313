import type { Env } from '@tiphys/env'
import { foreignStream, newerFormat, streamRefused } from '../failures.ts'
import {
  type Link,
  MESSAGE_NOT_FOUND,
  NAME_IN_USE,
  NoAnswer,
  readAnswer,
  STREAM_NOT_FOUND,
  StreamApiError,
  WRONG_LAST_SEQUENCE,
} from './link.ts'
import { idIn, type Parts, readMessage, type StreamMessage } from './stream-message.ts'

/** How far compaction has come. */
export interface Horizon {
  position: number
  /** Whether everything that has to go before the position is gone. */
  isReached: boolean
}

export interface StreamSettings {
  replicas: number
  maxBytes: number
}

interface StreamConfig {
  [field: string]: unknown
  metadata: Record<string, string>
}

interface StreamInfo {
  config: StreamConfig
  state: { subjects?: Record<string, number> }
}

const FORMAT = 1
const FORMAT_KEY = 'tiphys.dev/journal'
const WRITER_KEY = 'tiphys.dev/writer'
const EXPECTED_LAST = 'Nats-Expected-Last-Sequence'
const EXPECTED_LAST_OF_SUBJECT = 'Nats-Expected-Last-Subject-Sequence'
const [BATCH_MESSAGES, BATCH_BYTES] = [512, 4 * 2 ** 20]

/** The two streams of one journal: one message for each record, whose sequence is the position, and beside it what is not
 *  a record: the horizon and the parts of records that are too large for one message.
 *
 *  The first stream takes only what is sent to the subjects of the writer that claimed it last, so that the server
 *  itself refuses every other. An expected sequence alone would not do: of two records sent ahead, the second can be
 *  accepted on top of somebody else's first. */
export class JournalStreams {
  readonly #link: Link
  readonly name: string
  readonly #side: string
  /** Names this writer. */
  readonly writer: string
  #horizonSequence = 0

  constructor(link: Link, env: Env, name: string) {
    this.#link = link
    this.name = name
    this.#side = `${name}_side`
    this.writer = Buffer.from(env.random.bytes(8)).toString('hex')
  }

  get place(): string {
    return `stream ${this.name}`
  }

  /** Makes the streams if they are missing, and shuts every earlier writer out. */
  async claim(settings: StreamSettings): Promise<void> {
    await this.#ensure(this.#side, {
      ...durable(settings),
      subjects: [`${this.#side}.>`],
      max_msgs_per_subject: 1,
      metadata: { [FORMAT_KEY]: String(FORMAT) },
    })
    await this.#ensure(this.name, {
      ...durable(settings),
      max_bytes: settings.maxBytes,
      subjects: [`${this.name}.${this.writer}.>`],
      subject_transform: { src: `${this.name}.${this.writer}.>`, dest: `${this.name}.>` },
      metadata: { [FORMAT_KEY]: String(FORMAT), [WRITER_KEY]: this.writer },
    })
  }

  /** Whether the stream still takes what this writer sends. */
  async currentWriter(): Promise<string | undefined> {
    const { config } = await this.#link.call<StreamInfo>(`STREAM.INFO.${this.name}`)
    return config.metadata[WRITER_KEY]
  }

  /** Where this writer sends what is to be stored under a subject. */
  entrance(subject: string): string {
    return `${this.name}.${this.writer}${subject.slice(this.name.length)}`
  }

  /** The last sequence of the stream after everything that was sent before this call has been dealt with: what is asked
   *  here waits behind it, and is always refused. */
  async lastSequence(writer = this.writer): Promise<number> {
    const headers = this.#link.makeHeaders()
    headers.set(EXPECTED_LAST, String(Number.MAX_SAFE_INTEGER))
    try {
      readAnswer(await this.#link.ask(`${this.name}.${writer}.plain`, '', { headers }))
    } catch (error) {
      if (!(error instanceof StreamApiError) || error.errorCode !== WRONG_LAST_SEQUENCE) throw error
      return lastSequenceIn(error.message)
    }
    throw new TypeError('the server accepted an impossible sequence')
  }

  /** The last sequence, once the servers have agreed on it. The last message is always there: nothing purges it. */
  async readHead(): Promise<number> {
    const last = await this.lastSequence()
    if (last > 0 && (await this.idAt(last)) === undefined)
      throw new NoAnswer(`the last record of ${this.place}, ${last}, is not there`)
    return last
  }

  /** Which append the message at a position is; undefined when there is none. */
  async idAt(position: number): Promise<string | undefined> {
    try {
      const { message } = await this.#link.call<{ message: { hdrs?: string } }>(`STREAM.MSG.GET.${this.name}`, {
        seq: position,
      })
      return idIn(Buffer.from(message.hdrs ?? '', 'base64').toString())
    } catch (error) {
      if (error instanceof StreamApiError && error.errorCode === MESSAGE_NOT_FOUND) return undefined
      throw error
    }
  }

  /** The next messages at or after a position, some at a time. None: there is none up to `until`. */
  async read(from: number, until: number): Promise<StreamMessage[]> {
    const request = { seq: from, batch: BATCH_MESSAGES, max_bytes: BATCH_BYTES }
    const found = await this.#link.askForMany(`$JS.API.DIRECT.GET.${this.name}`, request)
    // A copy of the stream that lags answers like a stream that ends.
    if (found.length === 0 && (await this.#hasMessage(from, until))) throw new NoAnswer('the answering server lags')
    return found.map(readMessage)
  }

  async #hasMessage(from: number, until: number): Promise<boolean> {
    try {
      const { message } = await this.#link.call<{ message: { seq: number } }>(`STREAM.MSG.GET.${this.name}`, {
        seq: from,
        next_by_subj: '>',
      })
      return message.seq <= until
    } catch (error) {
      if (error instanceof StreamApiError && error.errorCode === MESSAGE_NOT_FOUND) return false
      throw error
    }
  }

  /** Removes the messages of a subject, or of all, before a position. */
  async purge(before: number, subject?: string): Promise<void> {
    await this.#link.call(`STREAM.PURGE.${this.name}`, { seq: before, ...(subject && { filter: subject }) })
  }

  async readHorizon(): Promise<Horizon> {
    try {
      const { message } = await this.#link.call<{ message: { seq: number; data: string } }>(
        `STREAM.MSG.GET.${this.#side}`,
        { last_by_subj: `${this.#side}.horizon` },
      )
      this.#horizonSequence = message.seq
      return JSON.parse(Buffer.from(message.data, 'base64').toString()) as Horizon
    } catch (error) {
      if (error instanceof StreamApiError && error.errorCode === MESSAGE_NOT_FOUND)
        return { position: 1, isReached: true }
      throw error
    }
  }

  /** Stores the horizon, unless another writer has done so since it was read. */
  async writeHorizon(horizon: Horizon): Promise<void> {
    const headers = this.#link.makeHeaders()
    headers.set(EXPECTED_LAST_OF_SUBJECT, String(this.#horizonSequence))
    const content = JSON.stringify(horizon)
    try {
      const answer = await this.#link.ask(`${this.#side}.horizon`, content, { headers })
      this.#horizonSequence = readAnswer<{ seq: number }>(answer).seq
    } catch (error) {
      // The answer to an earlier try may be what got lost.
      if (!(error instanceof StreamApiError) || error.errorCode !== WRONG_LAST_SEQUENCE) throw error
      if (JSON.stringify(await this.readHorizon()) !== content) throw error
    }
  }

  /** Stores a part; storing it twice leaves one. */
  async writePart(position: number, name: string, index: number, content: Uint8Array): Promise<void> {
    readAnswer(await this.#link.ask(this.#partSubject(position, name, index), content))
  }

  /** The content of a record in parts; undefined when a part is gone. */
  async readParts(position: number, { name, count }: Parts): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = []
    for (let index = 0; index < count; index++) {
      const part = await this.#link.persist(() => this.#readPart(this.#partSubject(position, name, index)))
      if (part === undefined) return undefined
      parts.push(part)
    }
    return Buffer.concat(parts)
  }

  async #readPart(subject: string): Promise<Uint8Array | undefined> {
    const { headers, data } = await this.#link.ask(`$JS.API.DIRECT.GET.${this.#side}.${subject}`)
    if (headers?.code === 0) return data
    if ((await this.#sideSubjects(subject)).length > 0) throw new NoAnswer('the answering server lags')
    return undefined
  }

  /** Removes the parts of the records that are not wanted. */
  async removeParts(isWanted: (position: number, name: string) => boolean | Promise<boolean>): Promise<void> {
    const subjects = await this.#sideSubjects(`${this.#side}.part.>`)
    const records = new Set(subjects.map(subject => subject.slice(0, subject.lastIndexOf('.'))))
    for (const record of records) {
      const [, , position, name] = record.split('.') as [string, string, string, string]
      if (await isWanted(Number(position), name)) continue
      await this.#link.call(`STREAM.PURGE.${this.#side}`, { filter: `${record}.*` })
    }
  }

  async #sideSubjects(filter: string): Promise<string[]> {
    const { state } = await this.#link.call<StreamInfo>(`STREAM.INFO.${this.#side}`, { subjects_filter: filter })
    return Object.keys(state.subjects ?? {})
  }

  #partSubject(position: number, name: string, index: number): string {
    return `${this.#side}.part.${position}.${name}.${index}`
  }

  async #ensure(name: string, wanted: Partial<StreamConfig>): Promise<void> {
    try {
      const config = await this.#configOf(name)
      const format = Number(config?.metadata[FORMAT_KEY])
      if (!config) await this.#link.call(`STREAM.CREATE.${name}`, { name, ...wanted })
      else if (Number.isNaN(format)) throw foreignStream(`stream ${name}`, 'Tiphys has not made it')
      else if (format > FORMAT) throw newerFormat(`stream ${name}`, format, FORMAT)
      else {
        const metadata = { ...config.metadata, ...wanted.metadata }
        await this.#link.call(`STREAM.UPDATE.${name}`, { ...config, ...wanted, metadata })
      }
    } catch (error) {
      if (!(error instanceof StreamApiError)) throw error
      // Another one was faster; what it has made can be claimed.
      if (error.errorCode === NAME_IN_USE) return await this.#ensure(name, wanted)
      throw streamRefused(name, error)
    }
  }

  async #configOf(name: string): Promise<StreamConfig | undefined> {
    try {
      return (await this.#link.call<StreamInfo>(`STREAM.INFO.${name}`)).config
    } catch (error) {
      if (error instanceof StreamApiError && error.errorCode === STREAM_NOT_FOUND) return undefined
      throw error
    }
  }
}

/** Nothing leaves such a stream unless it is told to. */
function durable({ replicas }: StreamSettings) {
  return {
    retention: 'limits',
    discard: 'new',
    storage: 'file',
    max_msgs: -1,
    max_bytes: -1,
    max_age: 0,
    max_msgs_per_subject: -1,
    num_replicas: replicas,
    allow_direct: true,
    deny_delete: false,
    deny_purge: false,
  }
}

/** The server says which sequence is last only in the text of the refusal. */
export function lastSequenceIn(description: string): number {
  return Number(/(\d+)\s*$/.exec(description)?.[1])
}
