import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Random } from '@tiphys/env'

const STRACE = ['/usr/bin/strace', '/bin/strace'].find(path => existsSync(path))

/** Why the system calls of a program cannot be seen here. */
export function noStrace(): string | undefined {
  return STRACE === undefined ? 'strace is not installed' : undefined
}

type Operation =
  | { type: 'write'; file: string; offset: number; bytes: Buffer }
  | { type: 'truncate'; file: string; size: number }
  | { type: 'sync'; file: string }
  | { type: 'remove'; file: string }
  | { type: 'sync folder' }
  | { type: 'said'; line: string }

/** What a program did to the files of a folder, in order, as the kernel was told. */
export class TracedDisk {
  readonly operations: readonly Operation[]
  #files: Files = new Map()
  #reached = 0

  private constructor(operations: readonly Operation[]) {
    this.operations = operations
  }

  static run(args: readonly string[], folder: string, scratch: string): TracedDisk {
    mkdirSync(scratch, { recursive: true })
    const log = join(scratch, 'trace')
    const calls = 'openat,close,pwrite64,write,fsync,fdatasync,ftruncate,unlink'
    const { status, stderr } = spawnSync(
      STRACE ?? '',
      [
        '-ff',
        '-xx',
        '-s',
        '1000000',
        '-e',
        `trace=${calls}`,
        '-e',
        'signal=none',
        '-o',
        log,
        process.execPath,
        ...args,
      ],
      { maxBuffer: 2 ** 28 },
    )
    if (status !== 0) throw new Error(`the traced program ended with ${status}: ${String(stderr)}`)
    // One file a thread; the database is written by one of them.
    const threads = readdirSync(scratch).map(name => parseTrace(readFileSync(join(scratch, name), 'latin1'), folder))
    const main = threads.sort((a, b) => b.length - a.length)[0] as Operation[]
    return new TracedDisk(main)
  }

  /** How far the program had got, in its own words, when so many operations were done. */
  said(count: number): string | undefined {
    for (let i = count - 1; i >= 0; i--) {
      const operation = this.operations[i]
      if (operation?.type === 'said') return operation.line
    }
    return undefined
  }

  /** Puts into a folder what the loss of power after so many operations may leave: of what was not synced anything, each piece whole, torn or not at all. */
  image(count: number, folder: string, random: Random): void {
    const mode = random.next()
    for (const [name, { stable, pending }] of this.#after(count)) {
      const survived = pending.flatMap((operation): Operation[] => {
        if (mode < 0.2) return []
        if (mode < 0.4 || operation.type !== 'write') return [operation]
        const luck = random.next()
        if (luck < 0.4) return []
        if (luck < 0.8) return [operation]
        return [
          {
            ...operation,
            bytes: operation.bytes.subarray(0, Math.floor((random.next() * operation.bytes.length) / 512) * 512),
          },
        ]
      })
      const content = new Content(stable)
      for (const operation of survived) content.apply(operation)
      if (content.bytes) writeFileSync(join(folder, basename(name)), content.bytes)
    }
  }

  /** The files after so many operations: from where the last question ended, as questions mostly come in order. */
  #after(count: number): Files {
    if (count < this.#reached) [this.#files, this.#reached] = [new Map(), 0]
    for (; this.#reached < count; this.#reached++) perform(this.#files, this.operations[this.#reached] as Operation)
    return this.#files
  }
}

/** What is certain to survive of every file, and what was asked for since. */
type Files = Map<string, { stable: Buffer | undefined; pending: Operation[] }>

function perform(files: Files, operation: Operation): void {
  if (operation.type === 'said') return
  if (operation.type === 'sync folder') {
    // What was removed stays removed.
    for (const file of files.values()) {
      const last = file.pending.findLastIndex(({ type }) => type === 'remove')
      if (last >= 0) Object.assign(file, { stable: undefined, pending: file.pending.slice(last + 1) })
    }
    return
  }
  const file = files.get(operation.file) ?? { stable: undefined, pending: [] }
  files.set(operation.file, file)
  if (operation.type !== 'sync') file.pending.push(operation)
  else {
    const content = new Content(file.stable)
    for (const pending of file.pending) content.apply(pending)
    Object.assign(file, { stable: content.bytes, pending: [] })
  }
}

/** A file that changes, with room to grow: it is copied when it has to, not with every write. */
class Content {
  /** Beyond the size there are zeroes. */
  #room = Buffer.alloc(0)
  #size: number | undefined

  constructor(before: Buffer | undefined) {
    if (before) this.#write(before, 0)
  }

  /** Undefined when there is no such file. */
  get bytes(): Buffer | undefined {
    return this.#size === undefined ? undefined : this.#room.subarray(0, this.#size)
  }

  apply(operation: Operation): void {
    if (operation.type === 'write') this.#write(operation.bytes, operation.offset)
    else if (operation.type === 'truncate') this.#resize(operation.size)
    else if (operation.type === 'remove') {
      this.#resize(0)
      this.#size = undefined
    }
  }

  #write(bytes: Buffer, offset: number): void {
    this.#resize(Math.max(this.#size ?? 0, offset + bytes.length))
    bytes.copy(this.#room, offset)
  }

  #resize(size: number): void {
    if (size > this.#room.length) this.#room = Buffer.concat([this.#room], Math.max(size, 2 * this.#room.length))
    if (size < (this.#size ?? 0)) this.#room.fill(0, size)
    this.#size = size
  }
}

const CALL = /^(\w+)\((.*)\)\s*= (-?\d+)/

function parseTrace(text: string, folder: string): Operation[] {
  const open = new Map<number, string>()
  const operations: Operation[] = []
  for (const line of text.split('\n')) {
    const [, call, args = '', result] = CALL.exec(line) ?? []
    if (call === undefined || Number(result) < 0) continue
    const descriptor = Number(/^\d+/.exec(args)?.[0] ?? -1)
    const file = open.get(descriptor)
    if (call === 'openat') {
      const path = bytesOf(args).toString()
      if (path.startsWith(folder) && !path.endsWith('-shm') && !path.includes('.lock-')) open.set(Number(result), path)
    } else if (call === 'close') open.delete(descriptor)
    else if (call === 'write' && descriptor === 1)
      operations.push({ type: 'said', line: bytesOf(args).toString().trim() })
    else if (call === 'unlink') {
      const path = bytesOf(args).toString()
      if (path.startsWith(folder)) operations.push({ type: 'remove', file: path })
    } else if (file === undefined) continue
    else if (call === 'pwrite64')
      operations.push({ type: 'write', file, offset: Number(/, (\d+)$/.exec(args)?.[1]), bytes: bytesOf(args) })
    else if (call === 'ftruncate') operations.push({ type: 'truncate', file, size: Number(/, (\d+)$/.exec(args)?.[1]) })
    else if (call === 'fsync' || call === 'fdatasync')
      operations.push(file === folder ? { type: 'sync folder' } : { type: 'sync', file })
  }
  return operations
}

/** The first text in the arguments: every byte is written as \xNN. */
function bytesOf(args: string): Buffer {
  const begin = args.indexOf('"')
  return Buffer.from(args.slice(begin + 1, args.indexOf('"', begin + 1)).replaceAll('\\x', ''), 'hex')
}
