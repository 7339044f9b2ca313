import { delay, type Env, RetryableFailure, type Timer } from '@tiphys/env'
import type { Journal } from '@tiphys/journal'
import type { LogStore } from '@tiphys/journal/records'
import type { Archive, ArchiveStatus, FollowBatch, Retention } from './archive.ts'
import { archiveClosed } from './failures.ts'
import { Follower } from './follower.ts'
import { cursorOf } from './read/list.ts'
import { type Backend, openBackend } from './service/backend.ts'
import { openBackendLater } from './service/late-backend.ts'

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
  /** What cannot be opened is tried again until it can be, as with a database that goes away later: the archive is there at once, and
   *  what is asked of it meanwhile rejects with the reason. Only with a journal. */
  isPatient?: boolean
  /** Told when records cannot be stored, and why; with nothing, when they can again. The log is, unless this is given. */
  onTrouble?: (problem: Error | undefined) => void
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
  const open = () =>
    openBackend({
      env,
      database,
      isReadOnly: journal === undefined,
      ...(workerProgram === undefined ? {} : { workerProgram }),
    })
  const isPatient = options.isPatient === true && journal !== undefined
  const backend = openBackendLater(open)
  if (!isPatient) await backend.opened()
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
      onTrouble: options.onTrouble ?? (problem => logTrouble(env, problem)),
      ...(isBusy && { isBusy }),
    })
  follower?.start()
  const keeper = retention && follower ? keepRetention(env, backend, retention, follower) : undefined
  let isClosed = false

  /** Everything goes through here: a closed archive says so. */
  const read: Backend['read'] = (name, ...args) =>
    isClosed ? Promise.reject(archiveClosed(placeOf(database))) : backend.read(name, ...args)

  /** Who follows what is patient does not have to begin anew when the database is away for a while; undefined when the signal is aborted. */
  const insist = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
    while (!signal.aborted) {
      try {
        return await work()
      } catch (error) {
        const isOpen = await backend.opened().then(
          () => true,
          () => false,
        )
        if (!isPatient || isClosed || (isOpen && !(error instanceof RetryableFailure))) throw error
        await delay(env.clock, LOOK_EVERY_MS, signal).catch(() => {})
      }
    }
    return undefined
  }

  return {
    events: (...args) => read('events', ...args),
    sensorEvents: (...args) => read('sensorEvents', ...args),
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
        let at = cursorOf(cursor) ?? (await insist(() => read('lastRecord'), signal))
        while (at !== undefined && !signal.aborted) {
          const after = at
          const batch = await insist(() => read('changes', topics, after), signal)
          if (!batch) return
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
    opened: () => backend.opened(),
    caughtUp: async options => (await follower?.caughtUp(options)) ?? true,

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

function logTrouble({ log }: Env, problem: Error | undefined): void {
  if (problem) log.warn('the archive cannot store records at the moment', { error: problem })
  else log.info('the archive stores records again')
}

function placeOf(database: ArchiveOptions['database']): string {
  return 'file' in database ? database.file : 'in PostgreSQL'
}

function keepRetention(
  env: Env,
  backend: Pick<Backend, 'retain'>,
  retention: Retention,
  follower: Pick<Follower, 'status'>,
): Timer {
  let timer: Timer
  const arm = () => {
    timer = env.clock.schedule(RETENTION_EVERY_MS, () => {
      void backend.retain(retention).then(
        ({ records }) => {
          if (records > 0) env.log.info('the archive dropped its oldest records', { records })
          arm()
        },
        error => {
          // The next minute comes. When nothing can be stored that is known already.
          if (follower.status.problem === undefined)
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
