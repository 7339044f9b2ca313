import type { Random } from '@tiphys/env'
import type { File, FileSystem } from '../file/file-system.ts'

/** What of the unsynced writes a power loss leaves: nothing, everything, some writes, or some sectors of some writes with
 *  one of them cut anywhere. */
export type CrashMode = 'none' | 'all' | 'random' | 'torn'
export const crashModes: readonly CrashMode[] = ['none', 'all', 'random', 'torn']

export interface SimulatedDiskOptions {
  /** Called before every operation that changes something, with what the disk is about to do. */
  before?: (operation: string) => Promise<void> | void
  /** Planted bug: syncs succeed and do nothing. */
  ignoresSync?: boolean
  /** Planted bug: directory syncs succeed and do nothing. */
  ignoresDirectorySync?: boolean
}

interface Write {
  position: number
  bytes: Buffer
}

interface Inode {
  /** What a reader sees. */
  content: Buffer
  /** What a power loss leaves for certain. */
  stable: Buffer
  unsynced: Write[]
}

type Names = Map<string, Inode>
type NameChange = (names: Names) => void

const SECTOR = 512

/** A file system in memory that knows what has been synced, and what a power loss at any moment could leave. Names become
 *  stable in the order of their changes, file contents in any order. */
export class SimulatedDisk implements FileSystem {
  options: SimulatedDiskOptions
  #names: Names = new Map()
  #stableNames: Names = new Map()
  #nameChanges: NameChange[] = []

  constructor(options: SimulatedDiskOptions = {}) {
    this.options = options
  }

  async makeDirectory(): Promise<void> {}

  async list(directory: string): Promise<string[]> {
    const prefix = `${directory}/`
    return [...this.#names.keys()].filter(path => path.startsWith(prefix)).map(path => path.slice(prefix.length))
  }

  async open(path: string, mode: 'read' | 'write' | 'create'): Promise<File> {
    const existing = this.#names.get(path)
    if (mode !== 'create') return new SimulatedFile(this, path, existing ?? missing(path))
    await this.options.before?.(`create ${path}`)
    if (existing) throw errno('EEXIST', path)
    const inode: Inode = { content: Buffer.alloc(0), stable: Buffer.alloc(0), unsynced: [] }
    this.#change(names => names.set(path, inode))
    return new SimulatedFile(this, path, inode)
  }

  async rename(from: string, to: string): Promise<void> {
    await this.options.before?.(`rename ${from} ${to}`)
    const inode = this.#names.get(from) ?? missing(from)
    this.#change(names => {
      names.delete(from)
      names.set(to, inode)
    })
  }

  async remove(path: string): Promise<void> {
    await this.options.before?.(`remove ${path}`)
    if (!this.#names.has(path)) missing(path)
    this.#change(names => names.delete(path))
  }

  async syncDirectory(path: string): Promise<void> {
    await this.options.before?.(`sync ${path}`)
    if (this.options.ignoresDirectorySync) return
    for (const change of this.#nameChanges.splice(0)) change(this.#stableNames)
  }

  #change(change: NameChange): void {
    change(this.#names)
    this.#nameChanges.push(change)
  }

  /** The paths of all files. */
  get paths(): string[] {
    return [...this.#names.keys()]
  }

  /** What a reader sees in a file; changing it is damage. */
  content(path: string): Buffer {
    return (this.#names.get(path) ?? missing(path)).content
  }

  /** Puts content under a path as if it had always been there. */
  plant(path: string, content: Buffer): void {
    const inode: Inode = { content, stable: content, unsynced: [] }
    this.#names.set(path, inode)
    this.#stableNames.set(path, inode)
  }

  /** Removes a file as if it had never been there. */
  lose(path: string): void {
    this.#names.delete(path)
    this.#stableNames.delete(path)
  }

  /** How many changes a power loss now could undo. */
  get unsynced(): number {
    const inodes = new Set([...this.#names.values(), ...this.#stableNames.values()])
    return this.#nameChanges.length + [...inodes].reduce((sum, inode) => sum + inode.unsynced.length, 0)
  }

  /** A disk as it is now, without the locks of writers, for as a copy belongs to nobody. */
  copy(): SimulatedDisk {
    return this.#image(this.#names, inode => inode.content)
  }

  /** A disk as it could be after the power failed now. */
  crash(mode: CrashMode, random: Random): SimulatedDisk {
    const names = new Map(this.#stableNames)
    const survivors = Math.floor(random.next() * (this.#nameChanges.length + 1))
    const kept = mode === 'none' ? 0 : mode === 'all' ? this.#nameChanges.length : survivors
    for (const change of this.#nameChanges.slice(0, kept)) change(names)
    return this.#image(names, inode => contentAfterCrash(inode, mode, random))
  }

  #image(names: Names, contentOf: (inode: Inode) => Buffer): SimulatedDisk {
    const image = new SimulatedDisk()
    for (const [path, inode] of names) if (!/\/lock-[^/]*$/.test(path)) image.plant(path, Buffer.from(contentOf(inode)))
    return image
  }
}

class SimulatedFile implements File {
  readonly #disk: SimulatedDisk
  readonly #path: string
  readonly #inode: Inode

  constructor(disk: SimulatedDisk, path: string, inode: Inode) {
    this.#disk = disk
    this.#path = path
    this.#inode = inode
  }

  async size(): Promise<number> {
    return this.#inode.content.length
  }

  async read(buffer: Uint8Array, position: number): Promise<number> {
    return this.#inode.content.copy(buffer, 0, position, position + buffer.length)
  }

  async write(buffer: Uint8Array, position: number): Promise<void> {
    await this.#disk.options.before?.(`write ${this.#path}`)
    const write = { position, bytes: Buffer.from(buffer) }
    this.#inode.content = applied(this.#inode.content, write)
    this.#inode.unsynced.push(write)
  }

  async sync(): Promise<void> {
    await this.#disk.options.before?.(`sync ${this.#path}`)
    if (this.#disk.options.ignoresSync) return
    for (const write of this.#inode.unsynced.splice(0)) this.#inode.stable = applied(this.#inode.stable, write)
  }

  async close(): Promise<void> {}

  /** What a failed sync does on common kernels: the pages are thought clean from then on, and are never written. */
  forgetUnsynced(): void {
    this.#inode.unsynced.splice(0)
  }
}

/** Makes the next power loss take what was written to the file and not synced yet, whatever is synced later. */
export function forgetUnsynced(file: File): void {
  if (file instanceof SimulatedFile) file.forgetUnsynced()
}

function contentAfterCrash({ stable, unsynced }: Inode, mode: CrashMode, random: Random): Buffer {
  if (mode === 'none') return stable
  if (mode === 'all') return unsynced.reduce(applied, stable)
  const writes = mode === 'torn' ? unsynced.flatMap(write => sectorsOf(write)) : unsynced
  const kept = writes.filter(() => random.next() < 0.5)
  if (mode === 'torn') {
    const cut = Math.floor(random.next() * kept.length)
    const write = kept[cut]
    if (write) kept[cut] = { ...write, bytes: write.bytes.subarray(0, Math.floor(random.next() * write.bytes.length)) }
  }
  return kept.reduce(applied, stable)
}

function sectorsOf({ position, bytes }: Write): Write[] {
  const sectors: Write[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR - ((position + at) % SECTOR))
    sectors.push({ position: position + at, bytes: bytes.subarray(at, end) })
    at = end
  }
  return sectors
}

function applied(content: Buffer, { position, bytes }: Write): Buffer {
  const size = Math.max(content.length, position + bytes.length)
  const result = Buffer.alloc(size)
  content.copy(result)
  bytes.copy(result, position)
  return result
}

function missing(path: string): never {
  throw errno('ENOENT', path)
}

function errno(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
