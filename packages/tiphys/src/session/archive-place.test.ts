import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noPostgres, PostgresServer } from '@tiphys/archive/testing'
import { systemEnv } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { encodeRecord } from '@tiphys/journal/records'
import SqliteDatabase from 'libsql'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { archivePlace } from './archive-place.ts'
import { dataFolder } from './data-folder.ts'
import { openHistory } from './history.ts'

const missing = noPostgres()

describe('the place of the archive', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is the data folder, or what TIPHYS_ARCHIVE names', () => {
    expect(archivePlace('/data/archive.db', {})).toEqual({ file: '/data/archive.db' })
    expect(archivePlace('/data/archive.db', { TIPHYS_ARCHIVE: '' })).toEqual({ file: '/data/archive.db' })
    for (const url of ['postgres://u:p@h/d', 'postgresql:///d?host=/run'])
      expect(archivePlace('/data/archive.db', { TIPHYS_ARCHIVE: url })).toEqual({ url })
  })

  it('is refused when it is something else, without telling a password', () => {
    for (const url of ['mysql://root:hunter2@h/d', 'hunter2'])
      expect(() => archivePlace('f', { TIPHYS_ARCHIVE: url })).toThrow(
        expect.objectContaining({ code: 'cli-archive-invalid', message: expect.not.stringContaining('hunter2') }),
      )
  })

  it.skipIf(missing !== undefined)(
    `is a real PostgreSQL${missing === undefined ? '' : ` (skipped: ${missing})`}`,
    async () => {
      const server = await PostgresServer.start()
      const folder = dataFolder(await mkdtemp(join(tmpdir(), 'tiphys-place-')))
      try {
        vi.stubEnv('TIPHYS_ARCHIVE', await server.createDatabase())
        const journal = await openFileJournal({ directory: folder.records, env: systemEnv })
        const source = { namespace: 'default', name: 'web', part: 'hook' }
        const record = { v: 1, kind: 'event', at: 1, trace: 'e1', source, type: 'webhook', body: { n: 1 } } as const
        await journal.append({ data: encodeRecord(record) })
        await journal.close()
        const history = await openHistory(folder, systemEnv)
        expect((await history.archive.events()).items).toMatchObject([{ id: 'e1' }])
        expect(await history.archive.status()).toMatchObject({ database: 'postgres' })
        await history.close()
      } finally {
        await server.stop()
        await rm(folder.path, { recursive: true, force: true })
      }
    },
  )
})

describe('the history of a folder that nothing runs on', () => {
  it('is what was stored, when no more can be', async () => {
    const folder = dataFolder(await mkdtemp(join(tmpdir(), 'tiphys-place-')))
    const add = async (trace: string) => {
      const journal = await openFileJournal({ directory: folder.records, env: systemEnv })
      const source = { namespace: 'default', name: 'web', part: 'hook' }
      await journal.append({ data: encodeRecord({ v: 1, kind: 'event', at: 1, trace, source, type: 'webhook' }) })
      await journal.close()
    }
    await add('e1')
    await (await openHistory(folder, systemEnv)).close()
    await add('e2')
    const other = new SqliteDatabase(folder.archive)
    other.exec('BEGIN IMMEDIATE')
    const told: string[] = []
    const log = { ...systemEnv.log, warn: (text: string) => void told.push(text) }
    const history = await openHistory(folder, { ...systemEnv, log })
    try {
      expect((await history.archive.events()).items).toMatchObject([{ id: 'e1' }])
      expect(told).toEqual(['the archive cannot store records at the moment'])
    } finally {
      other.close()
      await history.close()
      await rm(folder.path, { recursive: true, force: true })
    }
  })
})
