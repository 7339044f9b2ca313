import type { Env } from '@tiphys/env'
import type { Journal } from '@tiphys/journal'
import type { LogStore } from '@tiphys/journal/records'
import type { Archive, Retention } from './archive.ts'

export interface ArchiveOptions {
  env: Env
  /** An SQLite file, or a connection string of PostgreSQL: `postgres://user@host/database`. */
  database: { file: string } | { url: string }
  /** The journal of records to follow. Without one the archive is only read: an existing database is needed. */
  journal?: Pick<Journal, 'head' | 'horizon' | 'follow'>
  /** Where the output that log records refer to is. It is copied into the archive, so that it outlives pod and store. */
  logs?: Pick<LogStore, 'read'>
  /** Kept to by itself, once a minute. */
  retention?: Retention
  /** The journal this archive follows, when several write into one PostgreSQL. */
  origin?: string
}

/** Opens the archive, brings its schema up to date and begins to follow the journal. */
export type OpenArchive = (options: ArchiveOptions) => Promise<Archive>
