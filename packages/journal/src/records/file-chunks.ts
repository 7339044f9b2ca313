import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChunkPlace, StoredRun } from './log-store.ts'

const NAME = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}'
const KEY = new RegExp(`^(${NAME})/(${NAME}~${NAME}\\.gz)/(\\d{1,15})/(\\d{1,15})$`)

/** A folder for each run, in it one file for each container, whose chunks follow each other. A key names run, file, offset
 *  and length. What a crash leaves of an unfinished chunk is never referred to. */
export function fileChunks(directory: string): ChunkPlace {
  return {
    store: 'files',

    async put({ run, step, container }, chunk) {
      const [folder, name] = [safeName(run), `${safeName(step)}~${safeName(container)}.gz`]
      await mkdir(join(directory, folder), { recursive: true })
      const file = await open(join(directory, folder, name), 'a')
      try {
        const { size } = await file.stat()
        await file.appendFile(chunk)
        return `${folder}/${name}/${size}/${chunk.length}`
      } finally {
        await file.close()
      }
    },

    get: key => orMissing(() => readChunk(directory, key), undefined),

    async runs() {
      const folders = await orMissing(() => readdir(directory), [])
      const found = await Promise.all(folders.map(folder => weigh(join(directory, folder), folder)))
      return found.sort((a, b) => a.changed - b.changed)
    },

    remove: run => rm(join(directory, safeName(run)), { recursive: true, force: true }),
  }
}

async function readChunk(directory: string, key: string): Promise<Buffer | undefined> {
  // A key comes out of a record, and a record may come from anywhere.
  const [, folder, name, offset, length] = KEY.exec(key) ?? []
  if (folder === undefined || name === undefined) return undefined
  const file = await open(join(directory, folder, name), 'r')
  try {
    const { size } = await file.stat()
    if (Number(offset) + Number(length) > size) return undefined
    const chunk = Buffer.alloc(Number(length))
    await file.read(chunk, 0, chunk.length, Number(offset))
    return chunk
  } finally {
    await file.close()
  }
}

async function weigh(path: string, run: string): Promise<StoredRun & { changed: number }> {
  const files = await orMissing(() => readdir(path), [])
  const sizes = await Promise.all(files.map(file => orMissing(async () => (await stat(join(path, file))).size, 0)))
  const changed = await orMissing(async () => (await stat(path)).mtimeMs, 0)
  return { run, bytes: sizes.reduce((sum, size) => sum + size, 0), changed }
}

async function orMissing<T>(task: () => Promise<T>, missing: T): Promise<T> {
  try {
    return await task()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing
    throw error
  }
}

/** The name itself where it can be a file's, else a hash of it. */
function safeName(name: string): string {
  if (new RegExp(`^${NAME}$`).test(name)) return name
  return createHash('sha256').update(name).digest('hex').slice(0, 40)
}
