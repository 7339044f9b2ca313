import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Env, systemEnv } from '@tiphys/env'
import { type FileJournal, openFileJournal } from '@tiphys/journal'
import { type ContentReference, encodeRecord, type NewRecord, type TraceRecord } from '@tiphys/journal/records'
import type { Archive } from '../archive.ts'
import { type ArchiveOptions, openArchive } from '../open.ts'
import type { StreamedRecord } from './record-stream.ts'

/** An archive with a real journal in a folder of its own, and what fills it. */
export interface ArchiveScene {
  archive: Archive
  journal: FileJournal
  folder: string
  /** Adds records as they were streamed; resolves when they are in the archive. */
  add(records: Iterable<StreamedRecord>): Promise<void>
  /** Adds records one by one, at the time they carry or one second after the last. */
  record(...records: NewRecord[]): Promise<void>
  /** Adds a log record with its output. */
  log(record: Omit<Extract<NewRecord, { kind: 'log' }>, 'chunk'>, output: string): Promise<void>
  /** Opens the archive again, on the same database and journal. */
  reopen(): Promise<Archive>
  close(): Promise<void>
}

export type SceneOptions = Partial<Omit<ArchiveOptions, 'journal' | 'logs'>> & { env?: Env }

export async function openScene(options: SceneOptions = {}): Promise<ArchiveScene> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-archive-'))
  const env = options.env ?? systemEnv
  const journal = await openFileJournal({ directory: join(folder, 'records'), env })
  const outputs = new Map<string, Buffer>()
  const logs = {
    async read({ key }: ContentReference) {
      const output = outputs.get(key)
      if (!output) throw new Error(`there is no output ${key}`)
      return output
    },
  }
  const open = () => openArchive({ database: { file: join(folder, 'archive.db') }, ...options, env, journal, logs })
  let archive = await open()
  let time = Date.UTC(2026, 0, 5, 8)
  const append = async (records: Iterable<TraceRecord>) => {
    const appended: Promise<number>[] = []
    for (const record of records) appended.push(journal.append({ data: encodeRecord(record) }))
    await Promise.all(appended)
    await archive.caughtUp()
  }
  return {
    get archive() {
      return archive
    },
    journal,
    folder,
    async add(records) {
      const plain: TraceRecord[] = []
      for (const { record, content } of records) {
        if (record.kind === 'log' && content) outputs.set(record.chunk.key, content)
        plain.push(record)
      }
      await append(plain)
    },
    record: (...records) => append(records.map(record => ({ v: 1, at: (time += 1000), ...record }))),
    async log(record, output) {
      const content = Buffer.from(output)
      const key = `${record.run.uid}/${record.step}/${outputs.size}`
      outputs.set(key, content)
      await append([{ v: 1, at: (time += 1000), ...record, chunk: { store: 'files', key, bytes: content.length } }])
    },
    async reopen() {
      await archive.close()
      archive = await open()
      return archive
    },
    async close() {
      await archive.close()
      await journal.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
