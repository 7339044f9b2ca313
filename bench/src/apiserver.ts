import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { embeddedCluster } from './embedded-cluster.ts'
import type { Figure } from './figure.ts'
import { kubeApiserver } from './kube-apiserver.ts'
import type { LoadGenerator } from './load-generator.ts'
import type { Side } from './server-process.ts'
import { type Sizes, type Start, timeStart, type Visit, visit } from './visit.ts'

export interface ApiserverBench {
  load: LoadGenerator
  /** The `tiphys` command. */
  command: string
  /** The bundled program that embeds servers. */
  inProcess: string
  /** Where servers keep their data while they are measured: a file system whose fsync is real. */
  scratch: string
  rounds: number
  sizes: Sizes
  /** How many servers one process makes one after the other. */
  servers: number
  say: (line: string) => void
}

export const FULL: Sizes = {
  objects: 10_000,
  warmUp: 2000,
  pods: 2000,
  lists: 5,
  changes: 1000,
  watchers: 100,
  rest: 2000,
}

interface InProcess {
  first: number
  later: number
  together: number
}

type SideName = 'memory' | 'disk' | 'peerMemory' | 'peerDisk'
export type Round = Partial<Record<SideName, Visit>> & {
  inProcess: InProcess
  starts: Record<'memory' | 'disk', Start>
}

const execute = promisify(execFile)

/** Measures all sides once a round, in alternating order: what the machine does meanwhile hits both sides alike. */
export async function measure(bench: ApiserverBench, compared: boolean): Promise<Round[]> {
  const sides: [SideName, Side][] = [
    ['memory', embeddedCluster(bench.command, 'memory', 'api')],
    ...(compared ? [['peerMemory', kubeApiserver('no fsync')] as [SideName, Side]] : []),
    ['disk', embeddedCluster(bench.command, 'disk', 'api')],
    ...(compared ? [['peerDisk', kubeApiserver('fsync')] as [SideName, Side]] : []),
  ]
  const rounds: Round[] = []
  for (let number = 0; number < bench.rounds; number++) {
    const round: Round = { inProcess: await embed(bench), starts: await startAll(bench) }
    for (const [name, side] of number % 2 === 0 ? sides : sides.toReversed()) {
      bench.say(`round ${number + 1} of ${bench.rounds}: ${side.name}`)
      round[name] = await inScratch(bench, directory => visit(side, bench.load, directory, bench.sizes))
    }
    rounds.push(round)
  }
  return rounds
}

/** The start of the whole cluster, controllers and nodes included. */
async function startAll(bench: ApiserverBench): Promise<Round['starts']> {
  const time = (storage: 'memory' | 'disk') =>
    inScratch(bench, directory => timeStart(embeddedCluster(bench.command, storage, 'all'), bench.load, directory))
  return { memory: await time('memory'), disk: await time('disk') }
}

async function inScratch<T>(bench: ApiserverBench, work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(bench.scratch, 'visit-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function embed({ inProcess, servers }: ApiserverBench): Promise<InProcess> {
  const { stdout } = await execute(process.execPath, [inProcess, String(servers)])
  return JSON.parse(stdout) as InProcess
}

/** What the rounds say about each promise. */
export function figuresOf(
  rounds: readonly Round[],
  { sizes, servers }: Pick<ApiserverBench, 'sizes' | 'servers'>,
): Figure[] {
  const compare = (side: 'memory' | 'disk', of: keyof Visit) => {
    const peer = side === 'memory' ? 'peerMemory' : 'peerDisk'
    const ours = rounds.map(round => (round[side] as Visit)[of])
    return rounds.every(round => round[peer])
      ? { ours, peers: rounds.map(round => (round[peer] as Visit)[of]) }
      : { ours }
  }
  const start = (storage: 'memory' | 'disk', of: keyof Start) => {
    const { peers } = compare(storage, of)
    return { ours: rounds.map(({ starts }) => starts[storage][of]), ...(peers ? { peers } : {}) }
  }
  const inProcess = (of: keyof InProcess) => rounds.map(round => round.inProcess[of])
  const embedded = (of: keyof InProcess, against: keyof Visit) => {
    const { peers } = compare('memory', against)
    return { ours: inProcess(of), ...(peers ? { peers } : {}) }
  }
  const objects = sizes.objects.toLocaleString('en')
  return [
    {
      what: '`tiphys cluster` to the first authenticated 200 (a list)',
      unit: 'ms',
      better: 'less',
      bar: 12,
      ...start('disk', 'answerMilliseconds'),
    },
    {
      what: '`tiphys cluster` to an authenticated 200 of /readyz',
      unit: 'ms',
      better: 'less',
      bar: 12,
      ...start('disk', 'readyMilliseconds'),
    },
    {
      what: '`tiphys cluster --memory` to the first authenticated 200 (a list)',
      unit: 'ms',
      better: 'less',
      bar: 12,
      ...start('memory', 'answerMilliseconds'),
    },
    {
      what: '`tiphys cluster --memory` to an authenticated 200 of /readyz',
      unit: 'ms',
      better: 'less',
      bar: 12,
      ...start('memory', 'readyMilliseconds'),
    },
    {
      what: 'first server inside a running process, against the list',
      unit: 'ms',
      better: 'less',
      bar: 40,
      ...embedded('first', 'answerMilliseconds'),
    },
    {
      what: 'first server inside a running process, against /readyz',
      unit: 'ms',
      better: 'less',
      bar: 40,
      ...embedded('first', 'readyMilliseconds'),
    },
    {
      what: 'second server inside a running process, against the list',
      unit: 'ms',
      better: 'less',
      ...embedded('later', 'answerMilliseconds'),
    },
    {
      what: 'creates of ConfigMaps, memory against --unsafe-no-fsync',
      unit: '/s',
      better: 'more',
      bar: 2,
      ...compare('memory', 'createsPerSecond'),
    },
    {
      what: 'creates of ConfigMaps, durable against fsync',
      unit: '/s',
      better: 'more',
      bar: 1,
      ...compare('disk', 'createsPerSecond'),
    },
    {
      what: 'creates of pods, memory against --unsafe-no-fsync',
      unit: '/s',
      better: 'more',
      ...compare('memory', 'podsPerSecond'),
    },
    { what: 'creates of pods, durable against fsync', unit: '/s', better: 'more', ...compare('disk', 'podsPerSecond') },
    {
      what: `list of ${objects} ConfigMaps`,
      unit: 'ms',
      better: 'less',
      bar: 1,
      ...compare('memory', 'listMilliseconds'),
    },
    {
      what: `list of ${objects} ConfigMaps, gzip`,
      unit: 'ms',
      better: 'less',
      bar: 1,
      ...compare('memory', 'gzipListMilliseconds'),
    },
    {
      what: `${sizes.changes.toLocaleString('en')} changes to ${sizes.watchers} watchers`,
      unit: 'ms',
      better: 'less',
      bar: 2,
      ...compare('memory', 'watchMilliseconds'),
    },
    {
      what: `resident memory with ${objects} ConfigMaps of 1 KB`,
      unit: 'MB',
      better: 'less',
      bar: 2,
      ...compare('memory', 'residentMegabytes'),
    },
    { what: 'the same, durable', unit: 'MB', better: 'less', ...compare('disk', 'residentMegabytes') },
    {
      what: `${servers} servers in one process, each created, used and stopped`,
      unit: 'ms',
      better: 'less',
      limit: 20 * servers,
      ours: inProcess('together'),
    },
  ]
}
