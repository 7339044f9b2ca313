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

/** A line that is longer is written in parts. */
const LONGEST_PART = 16 * 1024

/** More than this waiting for the disk holds the container back. */
const MOST_WAITING = 256 * 1024

/** Writes what one run of a container prints, in the CRI's format: time, stream, `F` for a full line or `P` for a part, and
 *  the text. Never fails: a disk that takes no more loses output, not the container. */
export class LogWriter implements RunLog {
  readonly path: string
  /** Grows when a new file was begun. */
  generation = 0
  isOver = false
  readonly #env: Env
  readonly #rotation: Rotation
  readonly #rests = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
  readonly #restBytes = { stdout: 0, stderr: 0 }
  readonly #listeners = new Set<() => void>()
  #waiting: Buffer[] = []
  #waitingBytes = 0
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
    this.#push(Buffer.from(`${prefix}${text.replaceAll('\n', `\n${prefix}`)}\n`, 'latin1'))
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
    this.#push(Buffer.concat([Buffer.from(`${time} ${stream} ${tag} `), text, NEWLINE]))
  }

  #push(bytes: Buffer): void {
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
        this.#waiting = []
        this.#waitingBytes = 0
        await this.#append(bytes)
        this.#flushed += bytes.length
        this.#tell()
      }
      if (this.isOver) {
        await this.#file?.close()
        this.#file = undefined
      }
    } catch (thrown) {
      this.#waiting = []
      this.#waitingBytes = 0
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
    await rename(
      this.path,
      `${this.path}.${stamp.slice(0, 8)}-${stamp.slice(8)}-${String(this.generation).padStart(6, '0')}`,
    )
    this.generation++
    const prefix = `${basename(this.path)}.`
    const old = (await readdir(dirname(this.path))).filter(name => name.startsWith(prefix)).sort()
    for (const name of old.slice(0, -Math.max(1, this.#rotation.maxFiles - 1))) {
      await rm(join(dirname(this.path), name), { force: true })
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

const NEWLINE = Buffer.from('\n')
