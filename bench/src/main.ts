import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ApiserverBench, FULL, figuresOf, measure } from './apiserver.ts'
import { archiveFigures, FULL_ARCHIVE, measureArchive } from './archive.ts'
import { type ClusterBench, clusterFigures, measureCluster } from './cluster.ts'
import { type EventsBench, eventFigures, measureEvents } from './events.ts'
import { rowOf } from './figure.ts'
import { LoadGenerator } from './load-generator.ts'
import { describeMachine } from './machine.ts'
import { type Report, writeTable } from './report.ts'
import { formatTable } from './table.ts'
import { measureWorkflows, type WorkflowsBench, workflowFigures } from './workflows.ts'

const LEAST_ROUNDS = 5
const SERVERS = 100

export interface Places {
  root: string
  /** The folder of the bundled programs. */
  programs: string
  loadGenerator: string
  /** Builds or installs a peer that only one bench needs. */
  peer: { controllerRuntime(): string; kopf(): string | undefined }
}

/** `npm run bench`: runs what is named (all without a name), prints the table, keeps it where it is told to. Returns the
 *  exit code. */
export async function run(args: string[], places: Places): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
      rounds: { type: 'string', default: String(LEAST_ROUNDS) },
    },
  })
  const unknown = positionals.find(name => !Object.hasOwn(BENCHES, name))
  if (unknown !== undefined) {
    console.error(`there is no bench ${JSON.stringify(unknown)}. Known: ${Object.keys(BENCHES).join(', ')}`)
    return 2
  }
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1 || (values.write && rounds < LEAST_ROUNDS)) {
    console.error(`--rounds is a whole number, at least ${LEAST_ROUNDS} with --write`)
    return 2
  }
  const reports: Report[] = []
  for (const [name, runBench] of Object.entries(BENCHES)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const report = await runBench(places, rounds)
    console.log(formatTable(report.rows, report.heads))
    if (values.write) await writeTable(join(places.root, 'docs/performance.md'), report)
    reports.push(report)
  }
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(reports, undefined, 2)}\n`)
  return reports.every(({ rows }) => rows.every(row => row.met !== false)) ? 0 : 1
}

const BENCHES: Readonly<Record<string, (places: Places, rounds: number) => Promise<Report>>> = {
  apiserver: runApiserver,
  cluster: runCluster,
  archive: runArchive,
  events: runEvents,
  workflows: runWorkflows,
}

async function runWorkflows({ root }: Places, rounds: number): Promise<Report> {
  const scratch = join(root, '.build/bench/scratch')
  await mkdir(scratch, { recursive: true })
  const bench: WorkflowsBench = {
    command: join(root, 'node_modules/.bin/tiphys'),
    scratch,
    rounds,
    runs: 1000,
    repeats: 5,
    say: line => console.error(line),
  }
  const measured = await measureWorkflows(bench)
  const rows = workflowFigures(measured, bench).map(rowOf)
  const heads = { peer: 'peer', ratio: 'ratio' }
  return { bench: 'workflows', heads, date: today(), machine: describeMachine(), rows, rounds: measured }
}

async function runEvents({ root, programs, peer }: Places, rounds: number): Promise<Report> {
  const scratch = join(root, '.build/bench/scratch')
  await mkdir(scratch, { recursive: true })
  const kopf = peer.kopf()
  const bench: EventsBench = {
    command: join(root, 'node_modules/.bin/tiphys'),
    peers: join(root, 'bench/peers'),
    bareWebhook: join(programs, 'bare-webhook.mjs'),
    controllerRuntime: peer.controllerRuntime(),
    ...(kopf === undefined ? {} : { kopf }),
    scratch,
    rounds,
    things: 1000,
    single: 50,
    watched: 10_000,
    requests: 20_000,
    say: line => console.error(line),
  }
  const measured = await measureEvents(bench)
  const rows = eventFigures(measured, bench).map(rowOf)
  const heads = { peer: 'peer', ratio: 'ratio' }
  return { bench: 'events', heads, date: today(), machine: describeMachine(), rows, rounds: measured }
}

async function runArchive({ root }: Places, rounds: number): Promise<Report> {
  const scratch = join(root, '.build/bench/scratch')
  await mkdir(scratch, { recursive: true })
  const measured = await measureArchive({ ...FULL_ARCHIVE, scratch, rounds, say: line => console.error(line) })
  const rows = archiveFigures(measured, FULL_ARCHIVE).map(rowOf)
  const heads = { peer: 'peer', ratio: 'times the peer' }
  return { bench: 'archive', heads, date: today(), machine: describeMachine(), rows, rounds: measured }
}

async function runCluster({ root, loadGenerator }: Places, rounds: number): Promise<Report> {
  const scratch = join(root, '.build/bench/scratch')
  await mkdir(scratch, { recursive: true })
  const bench: ClusterBench = {
    load: new LoadGenerator(loadGenerator),
    command: join(root, 'node_modules/.bin/tiphys'),
    scratch,
    rounds,
    pods: 1000,
    starts: 7,
    restMs: 10_000,
    say: line => console.error(line),
  }
  const measured = await measureCluster(bench, true)
  const rows = clusterFigures(measured, bench).map(rowOf)
  const heads = { peer: 'peer', ratio: 'times the peer' }
  return { bench: 'cluster', heads, date: today(), machine: describeMachine(), rows, rounds: measured }
}

async function runApiserver({ root, programs, loadGenerator }: Places, rounds: number): Promise<Report> {
  const scratch = join(root, '.build/bench/scratch')
  await mkdir(scratch, { recursive: true })
  const bench: ApiserverBench = {
    load: new LoadGenerator(loadGenerator),
    command: join(root, 'node_modules/.bin/tiphys'),
    inProcess: join(programs, 'in-process.mjs'),
    scratch,
    rounds,
    sizes: FULL,
    servers: SERVERS,
    say: line => console.error(line),
  }
  const measured = await measure(bench, true)
  const rows = figuresOf(measured, bench).map(rowOf)
  const heads = { peer: 'kube-apiserver + etcd', ratio: 'times better' }
  return { bench: 'apiserver', heads, date: today(), machine: describeMachine(), rows, rounds: measured }
}

const today = () => new Date().toISOString().slice(0, 10)
