import type { File, FileSystem } from '../file/file-system.ts'
import { forgetUnsynced } from './simulated-disk.ts'

export interface FaultPlan {
  /** Which of the calls that change something fails, counted from 1. */
  at: number
  code: 'EIO' | 'ENOSPC'
}

/** Passes everything on to a file system, counts the calls that change something, and lets one of them fail. */
export class FaultyFileSystem implements FileSystem {
  readonly #inner: FileSystem
  readonly #plan: FaultPlan | undefined
  /** The calls so far, as `what path`. */
  readonly calls: string[] = []
  /** The call that failed. */
  failed: string | undefined

  constructor(inner: FileSystem, plan?: FaultPlan) {
    this.#inner = inner
    this.#plan = plan
  }

  makeDirectory(path: string): Promise<void> {
    return this.#inner.makeDirectory(path)
  }

  list(directory: string): Promise<string[]> {
    return this.#inner.list(directory)
  }

  async open(path: string, mode: 'read' | 'write' | 'create'): Promise<File> {
    if (mode === 'create') this.pass(`create ${path}`)
    return new FaultyFile(this, path, await this.#inner.open(path, mode))
  }

  async rename(from: string, to: string): Promise<void> {
    this.pass(`rename ${from}`)
    await this.#inner.rename(from, to)
  }

  async remove(path: string): Promise<void> {
    this.pass(`remove ${path}`)
    await this.#inner.remove(path)
  }

  async syncDirectory(path: string): Promise<void> {
    this.pass(`sync ${path}`)
    await this.#inner.syncDirectory(path)
  }

  pass(call: string): void {
    this.calls.push(call)
    if (this.#plan?.at !== this.calls.length) return
    this.failed = call
    throw Object.assign(new Error(`${this.#plan.code}: planned failure, ${call}`), { code: this.#plan.code })
  }
}

class FaultyFile implements File {
  readonly #owner: FaultyFileSystem
  readonly #path: string
  readonly #inner: File

  constructor(owner: FaultyFileSystem, path: string, inner: File) {
    this.#owner = owner
    this.#path = path
    this.#inner = inner
  }

  size(): Promise<number> {
    return this.#inner.size()
  }

  read(buffer: Uint8Array, position: number): Promise<number> {
    return this.#inner.read(buffer, position)
  }

  async write(buffer: Uint8Array, position: number): Promise<void> {
    try {
      this.#owner.pass(`write ${this.#path}`)
    } catch (error) {
      // A full disk takes part of a write.
      await this.#inner.write(buffer.subarray(0, buffer.length >> 1), position)
      throw error
    }
    await this.#inner.write(buffer, position)
  }

  async sync(): Promise<void> {
    try {
      this.#owner.pass(`sync ${this.#path}`)
    } catch (error) {
      forgetUnsynced(this.#inner)
      throw error
    }
    await this.#inner.sync()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}
