import { constants, createWriteStream } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { missingArtifact, refusedArtifact } from './artifact-failures.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { safeKey } from './safe-path.ts'

/** Artifacts in a folder of their own. A key is a path below it; what is a symbolic link there is refused. */
export function createFileArtifacts({ directory }: { directory: string }): ArtifactStore {
  let number = 0
  const pathOf = async (key: string): Promise<string> => {
    const path = join(directory, 'content', safeKey(key))
    for (let at = path; at.length > directory.length; at = dirname(at)) {
      const there = await orMissing(lstat(at))
      if (there?.isSymbolicLink())
        throw refusedArtifact(`The artifact ${key} is refused`, { why: 'a link leads to it' })
    }
    return path
  }
  return {
    async put(key, content) {
      const path = await pathOf(key)
      const draft = join(directory, 'drafts', `${process.pid}-${number++}`)
      await mkdir(dirname(draft), { recursive: true })
      let bytes = 0
      const counted = async function* () {
        for await (const piece of content) {
          bytes += piece.length
          yield piece
        }
      }
      try {
        await pipeline(counted(), createWriteStream(draft, { flush: true }))
        await mkdir(dirname(path), { recursive: true })
        await rename(draft, path)
      } catch (thrown) {
        await rm(draft, { force: true })
        throw thrown
      }
      return { bytes }
    },
    async get(key) {
      const path = await pathOf(key)
      // Opened here and now: a stream that cannot open its file later tells it to nobody.
      const file = await orMissing(open(path, constants.O_RDONLY | constants.O_NOFOLLOW))
      const there = await file?.stat()
      if (file && there?.isFile()) return Object.assign(file.createReadStream(), { bytes: there.size })
      await file?.close()
      throw missingArtifact(key)
    },
    async list(prefix) {
      const root = await pathOf(prefix)
      const found: string[] = []
      const walk = async (folder: string, key: string) => {
        for (const entry of (await orMissing(readdir(folder, { withFileTypes: true }))) ?? []) {
          if (entry.isDirectory()) await walk(join(folder, entry.name), `${key}/${entry.name}`)
          else if (entry.isFile()) found.push(`${key}/${entry.name}`)
        }
      }
      await walk(root, safeKey(prefix))
      return found.sort()
    },
    async remove(key) {
      await rm(await pathOf(key), { recursive: true, force: true })
    },
  }
}

async function orMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw thrown
  }
}
