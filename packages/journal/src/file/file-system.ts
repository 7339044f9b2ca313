import fs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'

/** What the journal asks of a file system. Everything it does to the disk passes here, so that a test can be the disk. */
export interface FileSystem {
  /** Creates the directory and its parents if they are missing, on stable storage. */
  makeDirectory(path: string): Promise<void>
  /** The names in a directory. */
  list(directory: string): Promise<string[]>
  /** `read` and `write` need the file to be there, `create` needs it not to be there. */
  open(path: string, mode: 'read' | 'write' | 'create'): Promise<File>
  /** Replaces `to` if it is there. */
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Puts created, renamed and removed names on stable storage. */
  syncDirectory(path: string): Promise<void>
}

export interface File {
  size(): Promise<number>
  /** Reads into the buffer from its start; returns how many bytes there were, less than asked for only at the end of the file. */
  read(buffer: Uint8Array, position: number): Promise<number>
  /** Writes all of the buffer. */
  write(buffer: Uint8Array, position: number): Promise<void>
  /** Puts content and size on stable storage. */
  sync(): Promise<void>
  close(): Promise<void>
}

const FLAGS = { read: 'r', write: 'r+', create: 'wx+' }
/** So much goes to the kernel's memory at once, in a few microseconds: to have another thread do it takes many times as long. Only
 *  a sync waits for the disk. */
const SMALL = 128 * 1024

const openFile = promisify(fs.open)
const closeFile = promisify(fs.close)
const statFile = promisify(fs.fstat)
const syncData = promisify(fs.fdatasync)

export const nodeFileSystem: FileSystem = {
  async makeDirectory(path) {
    const first = await fs.promises.mkdir(path, { recursive: true, mode: 0o700 })
    if (first === undefined) return
    const top = dirname(resolve(first))
    for (let parent = dirname(resolve(path)); ; parent = dirname(parent)) {
      await this.syncDirectory(parent)
      if (parent === top) return
    }
  },
  list: directory => fs.promises.readdir(directory),
  open: async (path, mode) => new NodeFile(await openFile(path, FLAGS[mode], 0o600)),
  rename: (from, to) => fs.promises.rename(from, to),
  remove: path => fs.promises.unlink(path),
  async syncDirectory(path) {
    // Windows cannot open a directory as a file; its file systems keep names in order by themselves.
    if (process.platform === 'win32') return
    const handle = await fs.promises.open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

// Plain descriptors with callbacks: file handles cost several times as much processor time for each call.
class NodeFile implements File {
  readonly #descriptor: number

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  async size(): Promise<number> {
    return (await statFile(this.#descriptor)).size
  }

  async read(buffer: Uint8Array, position: number): Promise<number> {
    let done = 0
    while (done < buffer.length) {
      const count = await transfer(fs.read, this.#descriptor, buffer, done, position + done)
      if (count === 0) break
      done += count
    }
    return done
  }

  async write(buffer: Uint8Array, position: number): Promise<void> {
    let done = 0
    if (buffer.length <= SMALL)
      while (done < buffer.length)
        done += fs.writeSync(this.#descriptor, buffer, done, buffer.length - done, position + done)
    while (done < buffer.length) done += await transfer(fs.write, this.#descriptor, buffer, done, position + done)
  }

  sync(): Promise<void> {
    return syncData(this.#descriptor)
  }

  close(): Promise<void> {
    return closeFile(this.#descriptor)
  }
}

type Transfer = (
  descriptor: number,
  buffer: Uint8Array,
  from: number,
  length: number,
  position: number,
  done: (error: Error | null, count: number) => void,
) => void

function transfer(
  call: Transfer,
  descriptor: number,
  buffer: Uint8Array,
  from: number,
  position: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    call(descriptor, buffer, from, buffer.length - from, position, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
}
