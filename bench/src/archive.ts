import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Archive, type ArchiveOptions, openArchive } from '@tiphys/archive'
import {
  type ArchiveScene,
  bareInserts,
  bundleWorker,
  noPostgres,
  openScene,
  PostgresServer,
  recordStream,
  type StreamedRecord,
} from '@tiphys/archive/testing'
import { systemEnv } from '@tiphys/env'
import type { Figure } from './figure.ts'
import { median } from './statistics.ts'

export interface ArchiveBench {
  scratch: string
  rounds: number
  /** Events in the small archive and in the large one. */
  small: number
  large: number
  /** Events that are stored, by us and bare, to compare the rates. */
  ingested: number
  /** How often each page is asked for. */
  repeats: number
  say: (line: string) => void
}

export const FULL_ARCHIVE = { small: 10_000, large: 1_000_000, ingested: 20_000, repeats: 15 }

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
const EVENTS_AT_ONCE = 5000
const APPENDED_AT_ONCE = 5000

/** What a person sees first on every page of the console, and searches of every kind. */
const QUESTIONS: Readonly<Record<string, (archive: Archive) => Promise<unknown>>> = {
  events: archive => archive.events(),
  'failed events': archive => archive.events({ query: 'status:failed,parked' }),
  'events of a source': archive => archive.events({ query: 'source:memcached' }),
  'events of an object': archive => archive.events({ query: 'object:Memcached/shop/cache-7' }),
  'events of the last hour': archive => archive.events({ query: 'age:<1h' }),
  'events with a frequent word': archive => archive.events({ query: 'memcached' }),
  'events with a message': archive => archive.events({ query: 'ECONNREFUSED' }),
  runs: archive => archive.runs(),
  'failed runs': archive => archive.runs({ query: 'status:failed' }),
  'groups of runs': archive => archive.runGroups('template'),
  objects: archive => archive.objects(),
  writes: archive => archive.writes(),
  'dead letters': archive => archive.parkedItems(),
  'groups of dead letters': archive => archive.parked(),
  attention: archive => archive.attention(),
  flow: archive => archive.flow(),
  overview: archive => archive.counters(),
  'search, a frequent word': archive => archive.search('memcached'),
  'search, a name': archive => archive.search('"cache-7"'),
  'search, a message': archive => archive.search('ECONNREFUSED'),
  'search, nothing to find': archive => archive.search('nowheretobefound'),
}

export async function measureArchive(bench: ArchiveBench): Promise<ArchiveRound[]> {
  const worker = await bundleWorker()
  const server = noPostgres() === undefined ? await PostgresServer.start({ fsync: true }) : undefined
  const rounds: ArchiveRound[] = []
  try {
    for (const place of server ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const)) {
      const directory = await mkdtemp(join(bench.scratch, 'archive-'))
      let number = 0
      const fresh = async (): Promise<ArchiveOptions['database']> =>
        place === 'SQLite'
          ? { file: join(directory, `archive-${++number}.db`) }
          : { url: await (server as PostgresServer).createDatabase() }
      const options = { workerProgram: worker.program }
      bench.say(`${place}: ${bench.small} events, then ${bench.large}`)
      const small = await filled({ ...options, database: await fresh() }, bench.small, bench.say)
      const large = await filled({ ...options, database: await fresh() }, bench.large, bench.say)
      for (let round = 1; round <= bench.rounds; round++) {
        bench.say(`${place}: round ${round} of ${bench.rounds}`)
        const rates = await measureIngest(bench, { ...options, database: await fresh() }, await fresh())
        const pages: [Record<string, number>, Record<string, number>] = [{}, {}]
        // In turns, so that what else the machine does meets both alike.
        for (const [name, ask] of Object.entries(QUESTIONS))
          for (const [i, { archive }] of [small, large].entries())
            (pages[i] as Record<string, number>)[name] = await timeOf(() => ask(archive), bench.repeats)
        rounds.push({ place, ...rates, small: pages[0], large: pages[1] })
      }
      await small.close()
      await large.close()
      await rm(directory, { recursive: true, force: true })
    }
  } finally {
    worker.remove()
    await server?.stop()
  }
  return rounds
}

async function filled(
  options: Partial<ArchiveOptions>,
  events: number,
  say: (line: string) => void,
): Promise<ArchiveScene> {
  const scene = await openScene(options)
  let batch: StreamedRecord[] = []
  let count = 0
  for (const record of recordStream({ seed: 1, events, runShare: RUN_SHARE, objects: 200 })) {
    if (record.record.kind === 'event' && ++count % EVENTS_AT_ONCE === 0) {
      await scene.add(batch)
      batch = []
      if (count % 100_000 === 0) say(`  ${count} events are in the archive`)
    }
    batch.push(record)
  }
  await scene.add(batch)
  return scene
}

/** Both store the same records, which wait in a journal or in memory. */
async function measureIngest(
  { ingested }: ArchiveBench,
  options: Partial<ArchiveOptions> & Pick<ArchiveOptions, 'database'>,
  bare: ArchiveOptions['database'],
) {
  const records = [...recordStream({ seed: 2, events: ingested, runShare: RUN_SHARE })]
  const scene = await openScene(options)
  await scene.archive.close()
  for (let at = 0; at < records.length; at += APPENDED_AT_ONCE) {
    const some = records.slice(at, at + APPENDED_AT_ONCE)
    await Promise.all(some.map(({ record }) => scene.journal.append({ data: JSON.stringify(record) })))
  }
  const outputs = new Map(
    records.flatMap(({ record, content }) =>
      record.kind === 'log' && content ? [[record.chunk.key, content] as const] : [],
    ),
  )
  const logs = { read: async ({ key }: { key: string }) => outputs.get(key) as Buffer }
  const begin = performance.now()
  const archive = await openArchive({ ...options, env: systemEnv, journal: scene.journal, logs })
  await archive.caughtUp()
  const elapsed = performance.now() - begin
  await archive.close()
  await scene.close()
  const bareElapsed = await bareInserts(bare, records)
  return { ingestRate: (records.length / elapsed) * 1000, bareRate: (records.length / bareElapsed) * 1000 }
}

async function timeOf(work: () => Promise<unknown>, repeats: number): Promise<number> {
  await work()
  const times: number[] = []
  for (let i = 0; i < repeats; i++) {
    const begin = performance.now()
    await work()
    times.push(performance.now() - begin)
  }
  return median(times)
}

/** What the rounds say about each promise. */
export function archiveFigures(
  rounds: readonly ArchiveRound[],
  { small, large }: Pick<ArchiveBench, 'small' | 'large'>,
): Figure[] {
  const places = [...new Set(rounds.map(({ place }) => place))]
  const sizes = `${large.toLocaleString('en')} events, against ${small.toLocaleString('en')}`
  return places.flatMap((place): Figure[] => {
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
