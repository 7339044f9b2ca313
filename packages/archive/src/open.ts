import { delay, type Env, type Timer } from '@tiphys/env'
import type { Journal } from '@tiphys/journal'
import type { LogStore } from '@tiphys/journal/records'
import type { Archive, ArchiveStatus, FollowBatch, Retention } from './archive.ts'
import { archiveClosed } from './failures.ts'
import { Follower } from './follower.ts'
import { cursorOf } from './read/list.ts'
import { type Backend, openBackend } from './service/backend.ts'

export interface ArchiveOptions {
  env: Env
  /** An SQLite file, or a connection string of PostgreSQL: `postgres://user@host/database`. */
  database: { file: string } | { url: string }
  /** The journal of records to follow. Without one the archive is only read: an existing database is needed. */
  journal?: Pick<Journal, 'head' | 'follow'>
  /** Where the output that log records refer to is. It is copied into the archive, so that it outlives pod and store. */
  logs?: Pick<LogStore, 'read'>
  /** Kept to by itself, once a minute. */
  retention?: Retention
  /** Whether the engines need all of the thread at the moment: for some seconds the archive then gives way. */
  isBusy?: () => boolean
  /** The bundled `service/worker-program.ts`. With it no work on the database is done in the calling thread; without it all is, which
   *  is for tests and for commands that do nothing else. */
  workerProgram?: string | URL
}

const RETENTION_EVERY_MS = 60_000
const [BATCHES_EVERY_MS, LOOK_EVERY_MS] = [100, 1000]
const LINES_AT_ONCE = 1000

/** Opens the archive, brings its schema up to date and begins to follow the journal. */
export async function openArchive(options: ArchiveOptions): Promise<Archive> {
  const { env, database, journal, logs, retention, isBusy, workerProgram } = options
  const backend = await openBackend({
    env,
    database,
    isReadOnly: journal === undefined,
    ...(workerProgram === undefined ? {} : { workerProgram }),
  })
  const news = new News(env, journal === undefined)
  let watchers = 0
  const follower =
    journal &&
    new Follower({
      env,
      journal,
      logs,
      backend,
      onStored: last => news.tell(last),
      isWatched: () => watchers > 0,
      ...(isBusy && { isBusy }),
    })
  follower?.start()
  const keeper = retention && journal ? keepRetention(env, backend, retention) : undefined
  let isClosed = false

  /** Everything goes through here: a closed archive says so. */
  const read: Backend['read'] = (name, ...args) =>
    isClosed ? Promise.reject(archiveClosed(placeOf(database))) : backend.read(name, ...args)

  return {
    events: (...args) => read('events', ...args),
    event: (...args) => read('event', ...args),
    async payload(...args) {
      const payload = await read('payload', ...args)
      return payload && Buffer.from(payload)
    },
    trace: (...args) => read('trace', ...args),
    runs: (...args) => read('runs', ...args),
    run: (...args) => read('run', ...args),
    runGroups: (...args) => read('runGroups', ...args),
    log: (...args) => read('log', ...args),
    kinds: (...args) => read('kinds', ...args),
    objects: (...args) => read('objects', ...args),
    object: (...args) => read('object', ...args),
    writes: (...args) => read('writes', ...args),
    write: (...args) => read('write', ...args),
    parked: (...args) => read('parked', ...args),
    parkedItems: (...args) => read('parkedItems', ...args),
    health: (...args) => read('health', ...args),
    healthHistory: (...args) => read('healthHistory', ...args),
    audit: (...args) => read('audit', ...args),
    search: (...args) => read('search', ...args),
    flow: (...args) => read('flow', ...args),
    counters: (...args) => read('counters', ...args),
    attention: (...args) => read('attention', ...args),
    ancestors: (...args) => read('ancestors', ...args),
    descendants: (...args) => read('descendants', ...args),
    complete: (...args) => read('complete', ...args),
    verify: () => read('verify'),

    async *follow(topics, cursor, signal): AsyncGenerator<FollowBatch> {
      watchers++
      try {
        let at = cursorOf(cursor) ?? (await read('lastRecord'))
        while (!signal.aborted) {
          const batch = await read('changes', topics, at)
          at = Number(batch.cursor)
          if (batch.items.length > 0 || batch.isCut) {
            yield batch
            await delay(env.clock, BATCHES_EVERY_MS, signal).catch(() => {})
          } else await news.after(at, signal)
        }
      } finally {
        watchers--
      }
    },

    async *export(selection): AsyncGenerator<string> {
      let after: string | undefined
      do {
        const { lines, next } = await read('exportPart', selection, after)
        yield* lines
        after = next
      } while (after !== undefined)
    },

    async import(lines) {
      const result = { records: 0, skipped: 0 }
      let [batch, first, bytes] = [[] as string[], 1, 0]
      const store = async () => {
        const { records, skipped, last } = await backend.import(batch, first)
        news.tell(last)
        result.records += records
        result.skipped += skipped
        first += batch.length
        batch = []
        bytes = 0
      }
      for await (const line of lines) {
        batch.push(line)
        bytes += line.length
        if (batch.length >= LINES_AT_ONCE || bytes > 4 * 2 ** 20) await store()
      }
      await store()
      return result
    },

    backup: async file => backend.backup(file),
    retain: async limits => backend.retain(limits),

    async status(): Promise<ArchiveStatus> {
      const summary = await read('summary')
      const following = follower?.status ?? {
        position: summary.position,
        head: summary.position,
        lag: 0,
        lagMs: 0,
        state: 'stopped' as const,
      }
      return { ...summary, ...following, ...(retention && { retention }) }
    },

    database: 'file' in database ? 'sqlite' : 'postgres',
    caughtUp: async () => follower?.caughtUp(),

    async close() {
      if (isClosed) return
      isClosed = true
      keeper?.cancel()
      await follower?.stop()
      news.close()
      await backend.close()
    },
  }
}

function placeOf(database: ArchiveOptions['database']): string {
  return 'file' in database ? database.file : 'in PostgreSQL'
}

function keepRetention(env: Env, backend: Backend, retention: Retention): Timer {
  let timer: Timer
  const arm = () => {
    timer = env.clock.schedule(RETENTION_EVERY_MS, () => {
      void backend.retain(retention).then(
        ({ records }) => {
          if (records > 0) env.log.info('the archive dropped its oldest records', { records })
          arm()
        },
        error => {
          // The database may be away; the next minute comes.
          env.log.warn('the archive could not drop its oldest records', { error })
          arm()
        },
      )
    })
  }
  arm()
  return { cancel: () => timer.cancel() }
}

/** Wakes those who wait for something new. */
class News {
  readonly #env: Env
  /** Somebody else writes: nobody tells, so it is looked from time to time. */
  readonly #isElsewhere: boolean
  readonly #waiting = new Set<() => void>()
  #last = 0

  constructor(env: Env, isElsewhere: boolean) {
    this.#env = env
    this.#isElsewhere = isElsewhere
  }

  tell(last: number): void {
    this.#last = last
    for (const wake of this.#waiting) wake()
  }

  close(): void {
    for (const wake of this.#waiting) wake()
  }

  async after(number: number, signal: AbortSignal): Promise<void> {
    if (this.#last > number) return
    if (this.#isElsewhere) return delay(this.#env.clock, LOOK_EVERY_MS, signal).catch(() => {})
    await new Promise<void>(resolve => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}
