import { resolve } from 'node:path'
import type { Clock } from '@tiphys/env'
import type { VerifyReport } from '../archive.ts'
import type { Database } from '../database/database.ts'
import { schemaVersion } from '../database/migrate.ts'
import { SCHEMA_VERSION } from '../database/migrations.ts'
import { openPostgres } from '../database/postgres.ts'
import { openSqlite } from '../database/sqlite.ts'
import { isSqliteFile } from '../database/sqlite-file.ts'
import { foreignDatabase, inaccessibleDatabase } from '../failures.ts'
import { exportPart } from '../maintain/transfer.ts'
import { verify } from '../maintain/verify.ts'
import { lastRecord, readChanges } from '../read/changes.ts'
import { complete } from '../read/completion.ts'
import { listEvents, listSensorEvents, readEvent, readPayload } from '../read/events.ts'
import { listAudit, listHealth, listHealthHistory } from '../read/health.ts'
import { readLog } from '../read/logs.ts'
import { listKinds, listObjects, readObject } from '../read/objects.ts'
import { readAttention, readCounters, readFlow } from '../read/overview.ts'
import { listParked, listParkedItems } from '../read/parked.ts'
import { ancestors, descendants } from '../read/relatives.ts'
import { groupRuns, listRuns, readRun } from '../read/runs.ts'
import { search } from '../read/search.ts'
import { Source } from '../read/source.ts'
import { readSummary } from '../read/summary.ts'
import { readTrace } from '../read/trace.ts'
import { listWrites, readWrite } from '../read/writes.ts'
import type { DatabasePlace } from './writer.ts'

/** Everything that only reads, by the name under which it is called. */
export const READS = {
  events: listEvents,
  sensorEvents: listSensorEvents,
  event: readEvent,
  payload: readPayload,
  trace: readTrace,
  runs: listRuns,
  run: readRun,
  runGroups: groupRuns,
  log: readLog,
  kinds: listKinds,
  objects: listObjects,
  object: readObject,
  writes: listWrites,
  write: readWrite,
  parked: listParked,
  parkedItems: listParkedItems,
  health: listHealth,
  healthHistory: listHealthHistory,
  audit: listAudit,
  search,
  flow: readFlow,
  counters: readCounters,
  attention: readAttention,
  ancestors,
  descendants,
  changes: readChanges,
  lastRecord,
  complete,
  exportPart,
  summary: readSummary,
  verify: verifyAnew,
} as const

/** On a connection that has seen nothing yet: one that watched rows go calls the index of words malformed. */
async function verifyAnew({ database }: Source): Promise<VerifyReport> {
  if (database.dialect !== 'sqlite') return verify(database)
  const fresh = await openDatabase({ file: database.place })
  try {
    return await verify(fresh)
  } finally {
    await fresh.close()
  }
}

export type Reads = {
  [N in keyof typeof READS]: (typeof READS)[N] extends (source: Source, ...args: infer A) => infer R
    ? (...args: A) => R
    : never
}

/** Answers from a connection of its own, so that what is asked and what is stored do not wait for each other. */
export class ArchiveReader {
  readonly #database: Database
  readonly #source: Source

  private constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#source = new Source(database, () => clock.now())
  }

  static async open(place: DatabasePlace, clock: Clock): Promise<ArchiveReader> {
    const database = await openDatabase(place)
    try {
      const version = await schemaVersion(database)
      if (version < SCHEMA_VERSION)
        throw foreignDatabase(
          database.place,
          version === 0 ? 'it is empty' : `its schema ${version} is older; start Tiphys on it once`,
        )
      return new ArchiveReader(database, clock)
    } catch (error) {
      await database.close()
      throw error
    }
  }

  call<N extends keyof Reads>(name: N, args: Parameters<Reads[N]>): Promise<Awaited<ReturnType<Reads[N]>>> {
    type Read = (source: Source, ...args: unknown[]) => Promise<Awaited<ReturnType<Reads[N]>>>
    const read = READS[name] as unknown as Read
    return read(this.#source, ...args)
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

async function openDatabase(place: DatabasePlace): Promise<Database> {
  if ('url' in place) return openPostgres({ url: place.url, isReadOnly: true })
  const file = resolve(place.file)
  if (!isSqliteFile(file)) throw inaccessibleDatabase(file, new Error('there is no such file'))
  return openSqlite({ file, isReadOnly: true })
}
