import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { asError, type Env } from '@tiphys/env'
import { formatNanoTime } from './log-lines.ts'
import type { RunLog } from './log-store.ts'

/** As the kubelet: a file of a run is set aside at this size, and this many are kept. */
export interface Rotation {
  maxBytes: number
  maxFiles: number
}

export const KUBELET_ROTATION: Rotation = { maxBytes: 10 * 1024 * 1024, maxFiles: 5 }

/** One of the files that a run's output is in. */
export interface LogFile {
  /** The first has 0. */
  readonly number: number
  readonly path: string
}

/** A line that is longer is written in parts. */
const LONGEST_PART = 16 * 1024

/** More than this waiting for the disk holds the container back. */
const MOST_WAITING = 256 * 1024

/** Writes what one run of a container prints, in the CRI's format: time, stream, `F` for a full line or `P` for a part, and
 *  the text. Never fails: a disk that takes no more loses output, not the container. */
export class LogWriter implements RunLog {
  readonly path: string
  isOver = false
  /** The files of the run that are there, the oldest first; the last one is being written. */
  #files: readonly LogFile[]
  /** How much had been printed before each file, by its number, also of those that were dropped. */
  readonly #printedBefore = [0]
  readonly #env: Env
  readonly #rotation: Rotation
  readonly #rests = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
  readonly #restBytes = { stdout: 0, stderr: 0 }
  readonly #listeners = new Set<() => void>()
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** What was printed of what waits, and of what is or was in files: without what the format adds. */
  #waitingPrinted = 0
  #printed = 0
  #written = 0
  /** Bytes that were printed, and those of them that are in files or lost. */
  #added = 0
  #flushed = 0
  #file: FileHandle | undefined
  #drain: Promise<void> | undefined
  #hasToldTrouble = false

  constructor(env: Env, path: string, rotation: Rotation) {
    this.#env = env
    this.path = path
    this.#rotation = rotation
    this.#files = [{ number: 0, path }]
  }

  /** The oldest file that is there, not before the one of this number. */
  fileFrom(number: number): LogFile | undefined {
    return this.#files.find(file => file.number >= number)
  }

  /** The number of the file that is being written. */
  get newest(): number {
    return this.#printedBefore.length - 1
  }

  /** How many bytes had been printed before a file. */
  printedBefore(number: number): number {
    return this.#printedBefore[number] ?? 0
  }

  /** Something is on its way to the file. */
  get isDraining(): boolean {
    return this.#drain !== undefined
  }

  /** Calls back after every write, and at the end. Returns how to unsubscribe. */
  onWritten(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly write = (stream: 'stdout' | 'stderr', chunk: Uint8Array): void | Promise<void> => {
    const time = formatNanoTime(this.#env.clock.now())
    let at = this.#restBytes[stream] > 0 ? this.#endRest(time, stream, chunk) : 0
    while (at < chunk.length) {
      // All lines of a piece that ends within the longest part are full ones.
      const end = chunk.lastIndexOf(0x0a, at + LONGEST_PART)
      if (end >= at) {
        this.#addLines(time, stream, chunk.subarray(at, end))
        at = end + 1
      } else {
        const next = chunk.indexOf(0x0a, at)
        if (next < 0) break
        this.#addLine(time, stream, chunk.subarray(at, next))
        at = next + 1
      }
    }
    if (at < chunk.length) this.#keepRest(time, stream, chunk.subarray(at))
    this.#drain ??= this.#drainAll()
    return this.#waitingBytes > MOST_WAITING ? this.#drain : undefined
  }

  end(): void {
    const time = formatNanoTime(this.#env.clock.now())
    for (const stream of ['stdout', 'stderr'] as const) this.#flushRest(time, stream)
    this.isOver = true
    this.#drain ??= this.#drainAll()
  }

  /** Resolves when everything so far is in the file, or lost. What is printed meanwhile is not waited for. */
  settled(): Promise<void> {
    const target = this.#added
    if (this.#flushed >= target) return Promise.resolve()
    return new Promise(resolve => {
      const unsubscribe = this.onWritten(() => {
        if (this.#flushed < target) return
        unsubscribe()
        resolve()
      })
    })
  }

  /** Ends the line that was begun, if it ends here. Returns where the next begins. */
  #endRest(time: string, stream: 'stdout' | 'stderr', chunk: Uint8Array): number {
    const end = chunk.indexOf(0x0a)
    if (end < 0) return 0
    this.#addLine(time, stream, chunk.subarray(0, end))
    return end + 1
  }

  /** Many lines at once: a container that prints without end costs little for each. */
  #addLines(time: string, stream: 'stdout' | 'stderr', lines: Uint8Array): void {
    const prefix = `${time} ${stream} F `
    const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString('latin1')
    this.#push(Buffer.from(`${prefix}${text.replaceAll('\n', `\n${prefix}`)}\n`, 'latin1'), lines.length + 1)
  }

  #addLine(time: string, stream: 'stdout' | 'stderr', line: Uint8Array): void {
    const whole = Buffer.concat([...this.#rests[stream], line])
    this.#rests[stream] = []
    this.#restBytes[stream] = 0
    let at = 0
    for (; whole.length - at > LONGEST_PART; at += LONGEST_PART) {
      this.#add(time, stream, 'P', whole.subarray(at, at + LONGEST_PART))
    }
    this.#add(time, stream, 'F', whole.subarray(at))
  }

  #keepRest(time: string, stream: 'stdout' | 'stderr', part: Uint8Array): void {
    this.#rests[stream].push(Buffer.from(part))
    this.#restBytes[stream] += part.length
    if (this.#restBytes[stream] >= LONGEST_PART) this.#flushRest(time, stream)
  }

  #flushRest(time: string, stream: 'stdout' | 'stderr'): void {
    const whole = Buffer.concat(this.#rests[stream])
    this.#rests[stream] = []
    this.#restBytes[stream] = 0
    for (let at = 0; at < whole.length; at += LONGEST_PART) {
      this.#add(time, stream, 'P', whole.subarray(at, at + LONGEST_PART))
    }
  }

  #add(time: string, stream: string, tag: 'F' | 'P', text: Uint8Array): void {
    const bytes = Buffer.concat([Buffer.from(`${time} ${stream} ${tag} `), text, NEWLINE])
    this.#push(bytes, tag === 'F' ? text.length + 1 : text.length)
  }

  #push(bytes: Buffer, printed: number): void {
    this.#waitingPrinted += printed
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#added += bytes.length
  }

  async #drainAll(): Promise<void> {
    // What is printed in one turn is written together.
    await Promise.resolve()
    try {
      while (this.#waiting.length > 0) {
        const bytes = Buffer.concat(this.#waiting)
        const printed = this.#waitingPrinted
        this.#waiting = []
        this.#waitingBytes = 0
        this.#waitingPrinted = 0
        await this.#append(bytes)
        this.#flushed += bytes.length
        this.#printed += printed
        this.#tell()
      }
      if (this.isOver) {
        await this.#file?.close()
        this.#file = undefined
      }
    } catch (thrown) {
      this.#waiting = []
      this.#waitingBytes = 0
      this.#waitingPrinted = 0
      this.#flushed = this.#added
      if (!this.#hasToldTrouble) {
        this.#env.log.error(`a container's output is lost: ${this.path} cannot be written`, { error: asError(thrown) })
      }
      this.#hasToldTrouble = true
    } finally {
      this.#drain = undefined
      this.#tell()
    }
  }

  async #append(bytes: Buffer): Promise<void> {
    // Only when more comes: a file that the last line has filled is what readers look for.
    if (this.#written >= this.#rotation.maxBytes) await this.#rotate()
    this.#file ??= await this.#open()
    await this.#file.appendFile(bytes)
    this.#written += bytes.length
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.path), { recursive: true })
    const file = await open(this.path, 'a', 0o640)
    this.#written = (await file.stat()).size
    return file
  }

  async #rotate(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    const stamp = new Date(this.#env.clock.now()).toISOString().replaceAll(/[-:T]|\..*$/gu, '')
    const number = this.newest
    const aside = `${this.path}.${stamp.slice(0, 8)}-${stamp.slice(8)}-${String(number).padStart(6, '0')}`
    await rename(this.path, aside)
    this.#files = [...this.#files.slice(0, -1), { number, path: aside }, { number: number + 1, path: this.path }]
    this.#printedBefore.push(this.#printed)
    // Also those that an earlier process has set aside.
    const prefix = `${basename(this.path)}.`
    const old = (await readdir(dirname(this.path))).filter(name => name.startsWith(prefix)).sort()
    for (const name of old.slice(0, -Math.max(1, this.#rotation.maxFiles - 1))) {
      const dropped = join(dirname(this.path), name)
      this.#files = this.#files.filter(({ path }) => path !== dropped)
      await rm(dropped, { force: true })
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

const NEWLINE = Buffer.from('\n')
