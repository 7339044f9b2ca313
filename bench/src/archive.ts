import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Archive, type ArchiveOptions, openArchive } from '@tiphys/archive'
import {
  bareInserts,
  bundleWorker,
  noPostgres,
  openScene,
  PostgresServer,
  recordStream,
  streamedJournal,
} from '@tiphys/archive/testing'
import { systemEnv } from '@tiphys/env'
import type { Figure } from './figure.ts'
import { median } from './statistics.ts'

export interface ArchiveBench {
  /** What is made for one run. */
  scratch: string
  /** Where the archives are kept: a million events take minutes, so that the next run finds them, and one that was ended goes on. */
  kept: string
  rounds: number
  /** Events in the small archive and in the large one; in PostgreSQL, which takes longer to fill, it may have fewer. */
  small: number
  large: number
  largeOnServer?: number
  /** Events that are stored, by us and bare, to compare the rates. */
  ingested: number
  /** How often each page is asked for. */
  repeats: number
  say: (line: string) => void
}

export const FULL_ARCHIVE = {
  kept: join(tmpdir(), 'tiphys-bench-archive'),
  small: 10_000,
  large: 1_000_000,
  ingested: 50_000,
  repeats: 9,
}

type Place = 'SQLite' | 'PostgreSQL'

export interface ArchiveRound {
  place: Place
  /** Records a second. */
  ingestRate: number
  bareRate: number
  /** Milliseconds of the first page, by what was asked for. */
  small: Readonly<Record<string, number>>
  large: Readonly<Record<string, number>>
}

/** About every tenth event starts a run. */
const RUN_SHARE = 0.137
const APPENDED_AT_ONCE = 5000
/** Told while an archive is filled. */
const TELL_EVERY = 500_000

/** What a person sees first on every page of the console, and searches of every kind. */
const QUESTIONS: Readonly<Record<string, (archive: Archive) => Promise<unknown>>> = {
  events: archive => archive.events(),
  'failed events': archive => archive.events({ query: 'status:failed,parked' }),
  'events of a source': archive => archive.events({ query: 'source:memcached' }),
  'events of an object': archive => archive.events({ query: 'object:Memcached/shop/cache-7' }),
  'events of the last hour': archive => archive.events({ query: 'age:<1h' }),
  'events with a frequent word': archive => archive.events({ query: 'memcached' }),
  'events with a message': archive => archive.events({ query: 'ECONNREFUSED' }),
  'events without a word': archive => archive.events({ query: '-ECONNREFUSED' }),
  'events with a word and a status': archive => archive.events({ query: 'memcached status:failed' }),
  'events of a sensor': archive => archive.events({ query: 'sensor:memcached' }),
  'events of a kind of change that never happens': archive => archive.events({ query: 'type:DELETE' }),
  'events by their payload': archive => archive.events({ query: 'data.spec.size:>4' }),
  runs: archive => archive.runs(),
  'failed runs': archive => archive.runs({ query: 'status:failed' }),
  'runs with a message': archive => archive.runs({ query: 'ECONNREFUSED' }),
  'runs without a word': archive => archive.runs({ query: '-ECONNREFUSED' }),
  'runs longer than an hour, of which there are none': archive => archive.runs({ query: 'duration:>1h' }),
  'groups of runs': archive => archive.runGroups('template'),
  'groups of failures': archive => archive.runGroups('fingerprint'),
  'groups of runs with a message': archive => archive.runGroups('template', { query: 'ECONNREFUSED' }),
  objects: archive => archive.objects(),
  'objects with a name': archive => archive.objects({ query: '"cache-7"' }),
  'objects with a frequent word': archive => archive.objects({ query: 'memcached' }),
  kinds: archive => archive.kinds(),
  writes: archive => archive.writes(),
  'writes of an object': archive => archive.writes({ query: 'object:Deployment/shop/cache-7' }),
  'dead letters': archive => archive.parkedItems(),
  'dead letters with a message': archive => archive.parkedItems({ query: 'ECONNREFUSED' }),
  'groups of dead letters': archive => archive.parked(),
  'groups of dead letters with a message': archive => archive.parked({ query: 'ECONNREFUSED' }),
  attention: archive => archive.attention(),
  flow: archive => archive.flow(),
  overview: archive => archive.counters(),
  'search, a frequent word': archive => archive.search('memcached'),
  'search, a name': archive => archive.search('"cache-7"'),
  'search, a message': archive => archive.search('ECONNREFUSED'),
  'search, the beginning of a word': archive => archive.search('reconcil*'),
  'search, nothing to find': archive => archive.search('nowheretobefound'),
}

export async function measureArchive(bench: ArchiveBench): Promise<ArchiveRound[]> {
  await mkdir(bench.kept, { recursive: true })
  const worker = await bundleWorker()
  const folder = join(bench.kept, 'postgres')
  const server = noPostgres() === undefined ? await PostgresServer.start({ fsync: true, folder }) : undefined
  const rounds: ArchiveRound[] = []
  try {
    for (const place of server ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const)) {
      const directory = await mkdtemp(join(bench.scratch, 'archive-'))
      let number = 0
      const fresh = async (): Promise<ArchiveOptions['database']> =>
        place === 'SQLite'
          ? { file: join(directory, `archive-${++number}.db`) }
          : { url: await (server as PostgresServer).createDatabase(`fresh_${process.pid}_${++number}`) }
      const kept = async (events: number): Promise<ArchiveOptions['database']> =>
        place === 'SQLite'
          ? { file: join(bench.kept, `events-${events}.db`) }
          : { url: await (server as PostgresServer).keptDatabase(`events_${events}`) }
      const options = { workerProgram: worker.program }
      const most = largeOf(bench, place)
      bench.say(`${place}: ${bench.small} events, then ${most}, kept in ${bench.kept}`)
      const open = async (events: number) => {
        const database = await kept(events)
        if ((await eventsIn(database)) < events) {
          await fill({ ...options, database }, events, bench.say)
          // What the server itself does in the course of time.
          if (place === 'PostgreSQL') await server?.query(`events_${events}`, 'VACUUM ANALYZE')
        }
        return openAtItsEnd(database)
      }
      const [small, large] = [await open(bench.small), await open(most)]
      for (let round = 1; round <= bench.rounds; round++) {
        bench.say(`${place}: round ${round} of ${bench.rounds}`)
        const rates = await measureIngest(bench, { ...options, database: await fresh() }, await fresh())
        rounds.push({ place, ...rates, ...(await measurePages(small, large, bench.repeats)) })
      }
      await small.close()
      await large.close()
      await rm(directory, { recursive: true, force: true })
      for (; place === 'PostgreSQL' && number > 0; number--)
        await server?.query('postgres', `DROP DATABASE fresh_${process.pid}_${number}`)
    }
  } finally {
    worker.remove()
    await server?.stop()
  }
  return rounds
}

const largeOf = ({ large, largeOnServer = large }: Pick<ArchiveBench, 'large' | 'largeOnServer'>, place: Place) =>
  place === 'SQLite' ? large : largeOnServer

/** In turns, so that what else the machine does meets both alike. */
async function measurePages(
  small: Archive,
  large: Archive,
  repeats: number,
): Promise<Pick<ArchiveRound, 'small' | 'large'>> {
  const pages = { small: {} as Record<string, number>, large: {} as Record<string, number> }
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const times = { small: [] as number[], large: [] as number[] }
    const archives = { small, large }
    for (let repeat = 0; repeat <= repeats; repeat++)
      for (const size of ['small', 'large'] as const) {
        const begin = performance.now()
        await ask(archives[size])
        // The first time is for the caches.
        if (repeat > 0) times[size].push(performance.now() - begin)
      }
    for (const size of ['small', 'large'] as const) pages[size][name] = median(times[size])
  }
  return pages
}

/** Asked at the time of its last event, so that what is asked of the last hour is the same whenever it was filled. */
async function openAtItsEnd(database: ArchiveOptions['database']): Promise<Archive> {
  const now = (await newestEvent(database)) + 1000
  return openArchive({ database, env: { ...systemEnv, clock: clockAt(now) } })
}

/** On the usual way, from a journal; goes on where it has stopped. */
async function fill(
  options: Pick<ArchiveOptions, 'database' | 'workerProgram'>,
  events: number,
  say: (line: string) => void,
): Promise<void> {
  let told = 0
  const { journal, logs, ended } = streamedJournal({ seed: 1, events, runShare: RUN_SHARE, objects: 200 }, position => {
    if (position - told < TELL_EVERY) return
    told = position
    say(`  ${position} records have been read`)
  })
  const archive = await openArchive({ ...options, env: systemEnv, journal, logs })
  await ended
  await archive.caughtUp()
  await archive.close()
}

async function eventsIn(database: ArchiveOptions['database']): Promise<number> {
  let archive: Archive
  try {
    archive = await openArchive({ env: systemEnv, database })
  } catch {
    // There is none yet; whatever else is wrong with it, filling it tells.
    return 0
  }
  const { events } = await archive.counters()
  await archive.close()
  return events
}

async function newestEvent(database: ArchiveOptions['database']): Promise<number> {
  const archive = await openArchive({ env: systemEnv, database })
  const { items } = await archive.events({}, { limit: 1 })
  await archive.close()
  return items[0]?.at ?? 0
}

const clockAt = (now: number): typeof systemEnv.clock =>
  Object.assign(Object.create(systemEnv.clock) as typeof systemEnv.clock, { now: () => now })

/** Both store the same records, which wait in a journal or in memory, in a database that is open. What is made for the one is gone when
 *  the other is measured: what a process holds, its collector goes through again and again. */
async function measureIngest(
  { ingested }: ArchiveBench,
  options: Partial<ArchiveOptions> & Pick<ArchiveOptions, 'database'>,
  bare: ArchiveOptions['database'],
) {
  const stream = () => recordStream({ seed: 2, events: ingested, runShare: RUN_SHARE })
  const scene = await openScene(options)
  await scene.archive.close()
  const outputs = new Map<string, Buffer>()
  let records = 0
  let appended: Promise<unknown>[] = []
  for (const { record, content } of stream()) {
    records++
    if (record.kind === 'log' && content) outputs.set(record.chunk.key, content)
    appended.push(scene.journal.append({ data: JSON.stringify(record) }))
    if (appended.length < APPENDED_AT_ONCE) continue
    await Promise.all(appended)
    appended = []
  }
  await Promise.all(appended)
  const logs = { read: async ({ key }: { key: string }) => outputs.get(key) as Buffer }
  let letGo = () => {}
  const opened = new Promise<void>(resolve => (letGo = resolve))
  const journal: NonNullable<ArchiveOptions['journal']> = {
    head: scene.journal.head,
    async *follow(from, signal) {
      await opened
      yield* scene.journal.follow(from, signal)
    },
  }
  const archive = await openArchive({ ...options, env: systemEnv, journal, logs })
  const begin = performance.now()
  letGo()
  await archive.caughtUp()
  const elapsed = performance.now() - begin
  await archive.close()
  await scene.close()
  const bareElapsed = await bareInserts(bare, [...stream()])
  return { ingestRate: (records / elapsed) * 1000, bareRate: (records / bareElapsed) * 1000 }
}

/** What the rounds say about each promise. */
export function archiveFigures(
  rounds: readonly ArchiveRound[],
  bench: Pick<ArchiveBench, 'small' | 'large' | 'largeOnServer'>,
): Figure[] {
  const places = [...new Set(rounds.map(({ place }) => place))]
  return places.flatMap((place): Figure[] => {
    const sizes = `${largeOf(bench, place).toLocaleString('en')} events, against ${bench.small.toLocaleString('en')}`
    const own = rounds.filter(round => round.place === place)
    return [
      {
        what: `${place}: records stored, against bare inserts of the same bytes`,
        unit: '/s',
        better: 'more',
        bar: 0.3,
        ours: own.map(({ ingestRate }) => ingestRate),
        peers: own.map(({ bareRate }) => bareRate),
      },
      ...Object.keys(QUESTIONS).map(
        (name): Figure => ({
          what: `${place}: first page of ${name}, ${sizes}`,
          unit: 'ms',
          better: 'less',
          share: 3,
          ours: own.map(round => round.large[name] as number),
          peers: own.map(round => round.small[name] as number),
        }),
      ),
    ]
  })
}
