import type { Journal } from '../journal.ts'
import type { ChunkPlace, StoredRun } from './log-store.ts'

/** Each chunk is a record under a key of its own, which stays until its run is removed and the journal is compacted. */
export function journalChunks(journal: Journal): ChunkPlace {
  /** The chunks of each run by their numbers, oldest run first. */
  const runs = new Map<string, Map<number, { position: number; bytes: number }>>()
  let known: Promise<void> | undefined

  const note = (run: string, number: number, position: number, bytes: number) => {
    const chunks = runs.get(run) ?? new Map()
    runs.set(run, chunks.set(number, { position, bytes }))
  }

  /** What is there after a restart only the journal knows. */
  const learn = async () => {
    for await (const { key, deleted, position, data } of journal.read(1)) {
      const [run, number] = splitKey(key)
      if (run === undefined) continue
      if (!deleted) note(run, number, position, data.length)
      else if (runs.get(run)?.delete(number) && runs.get(run)?.size === 0) runs.delete(run)
    }
  }
  const learnt = () => (known ??= learn())

  return {
    store: 'journal',

    async put({ run }, chunk) {
      await learnt()
      const number = Math.max(-1, ...(runs.get(run)?.keys() ?? [])) + 1
      note(run, number, 0, chunk.length)
      const position = await journal.append({ key: keyOf(run, number), data: chunk })
      note(run, number, position, chunk.length)
      return String(position)
    },

    async get(key) {
      await learnt()
      for await (const entry of journal.read(Number(key))) {
        const [run, number] = splitKey(entry.key)
        const isThere = run !== undefined && runs.get(run)?.get(number)?.position === Number(key)
        return isThere ? entry.data : undefined
      }
      return undefined
    },

    async runs() {
      await learnt()
      return [...runs].map(([run, chunks]): StoredRun => {
        let bytes = 0
        for (const chunk of chunks.values()) bytes += chunk.bytes
        return { run, bytes }
      })
    },

    async remove(run) {
      await learnt()
      const chunks = runs.get(run)
      runs.delete(run)
      await Promise.all(
        [...(chunks?.keys() ?? [])].map(number => journal.append({ key: keyOf(run, number), data: '', deleted: true })),
      )
    },
  }
}

function keyOf(run: string, number: number): string {
  return `${run} ${number}`
}

function splitKey(key: string | undefined): [string, number] | [undefined] {
  const at = key?.lastIndexOf(' ') ?? -1
  return key === undefined || at < 0 ? [undefined] : [key.slice(0, at), Number(key.slice(at + 1))]
}
