import { existsSync } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Env } from '@tiphys/env'
import { asyncLines, lineSelection } from './log-lines.ts'
import { parseLine, readLines, tailOffset } from './log-reader.ts'
import type { LogRun, LogStore } from './log-store.ts'
import { KUBELET_ROTATION, LogWriter, type Rotation } from './log-writer.ts'

/** Logs in files where the kubelet has them: `<namespace>_<pod>_<uid>/<container>/<n>.log`. Of each container the last two
 *  runs are kept. */
export function createFileLogs(env: Env, directory: string, rotation: Rotation = KUBELET_ROTATION): LogStore {
  const writers = new Map<string, LogWriter>()
  const podPath = ({ namespace, pod, uid }: Pick<LogRun, 'namespace' | 'pod' | 'uid'>) =>
    join(directory, `${namespace}_${pod}_${uid}`)
  const pathOf = (run: LogRun) => join(podPath(run), run.container, `${run.restartCount}.log`)

  const dropOld = async (run: LogRun) => {
    const folder = join(podPath(run), run.container)
    for (const name of await readdir(folder).catch(() => [])) {
      if (Number.parseInt(name, 10) < run.restartCount - 1) await rm(join(folder, name), { force: true })
    }
  }

  return {
    open(run) {
      const path = pathOf(run)
      const writer = new LogWriter(env, path, rotation)
      writers.set(path, writer)
      writers.delete(pathOf({ ...run, restartCount: run.restartCount - 2 }))
      if (run.restartCount > 1) void dropOld(run)
      return writer
    },
    read(run, options) {
      const path = pathOf(run)
      const writer = writers.get(path)
      if (!writer && !existsSync(path)) return undefined
      const { tailLines, follow = false, signal } = options
      const selection = { ...lineSelection(options, env.clock.now()), tailLines: undefined }
      const lines = async function* () {
        await writer?.settled()
        yield* readLines(path, writer, { tailLines, follow, signal })
      }
      return asyncLines(lines(), selection, [])
    },
    async tail(run, lines, bytes) {
      const path = pathOf(run)
      await writers.get(path)?.settled()
      const file = await open(path, 'r').catch(() => undefined)
      if (!file) return ''
      try {
        const start = await tailOffset(file, lines)
        const { size } = await file.stat()
        // The newest bytes with their prefixes are enough to find the newest bytes without.
        const from = Math.max(start, size - (bytes + lines * 64))
        const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
        return lastText(buffer.subarray(0, bytesRead), from > start, bytes)
      } finally {
        await file.close()
      }
    },
    async remove(pod) {
      const path = podPath(pod)
      for (const [key, writer] of writers) {
        if (!key.startsWith(`${path}/`)) continue
        writer.end()
        await writer.settled()
        writers.delete(key)
      }
      await rm(path, { recursive: true, force: true })
    },
    async removeOthers(isKnown) {
      for (const name of await readdir(directory).catch(() => [])) {
        const uid = name.slice(name.lastIndexOf('_') + 1)
        if (!isKnown(uid)) await rm(join(directory, name), { recursive: true, force: true })
      }
    },
  }
}

function lastText(buffer: Buffer, isCut: boolean, bytes: number): string {
  const parts: Uint8Array[] = []
  let at = isCut ? buffer.indexOf(0x0a) + 1 : 0
  for (let end = buffer.indexOf(0x0a, at); end >= 0; end = buffer.indexOf(0x0a, at)) {
    const line = parseLine(buffer.subarray(at, end + 1))
    at = end + 1
    if (line) parts.push(line.content)
  }
  return Buffer.concat(parts).subarray(-bytes).toString()
}
