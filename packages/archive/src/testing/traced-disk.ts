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
    const files = new Map<string, { stable: Buffer | undefined; pending: Operation[] }>()
    const of = (file: string) => {
      const known = files.get(file) ?? { stable: undefined, pending: [] }
      files.set(file, known)
      return known
    }
    for (const operation of this.operations.slice(0, count)) {
      if (operation.type === 'said') continue
      if (operation.type === 'sync folder') {
        // What was removed stays removed.
        for (const file of files.values()) {
          const last = file.pending.findLastIndex(({ type }) => type === 'remove')
          if (last >= 0) Object.assign(file, { stable: undefined, pending: file.pending.slice(last + 1) })
        }
        continue
      }
      const file = of(operation.file)
      if (operation.type === 'sync') {
        file.stable = file.pending.reduce(apply, file.stable)
        file.pending = []
      } else file.pending.push(operation)
    }
    const mode = random.next()
    for (const [name, { stable, pending }] of files) {
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
      const content = survived.reduce(apply, stable)
      if (content) writeFileSync(join(folder, basename(name)), content)
    }
  }
}

function apply(before: Buffer | undefined, operation: Operation): Buffer | undefined {
  if (operation.type === 'remove') return undefined
  const content = before ?? Buffer.alloc(0)
  if (operation.type === 'truncate') {
    const result = Buffer.alloc(operation.size)
    content.copy(result, 0, 0, Math.min(content.length, operation.size))
    return result
  }
  if (operation.type !== 'write') return content
  const end = operation.offset + operation.bytes.length
  const result =
    end > content.length ? Buffer.concat([content, Buffer.alloc(end - content.length)]) : Buffer.from(content)
  operation.bytes.copy(result, operation.offset)
  return result
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
