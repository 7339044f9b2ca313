import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { noPostgres } from '@tiphys/archive/testing'
import { asError } from '@tiphys/env'
import { FULL, figuresOf, measure } from './apiserver.ts'
import { archiveFigures, FULL_ARCHIVE, measureArchive } from './archive.ts'
import { clusterFigures, measureCluster } from './cluster.ts'
import { budgetFigures, consoleFigures, measureBudgets, measureConsole } from './console.ts'
import { eventFigures, measureEvents } from './events.ts'
import { type Figure, rowOf } from './figure.ts'
import { LoadGenerator } from './load-generator.ts'
import { describeMachine } from './machine.ts'
import { type Report, type Skipped, writePlots, writeReport } from './report.ts'
import { formatTable, type TableHeads } from './table.ts'
import { measureWorkflows, workflowFigures } from './workflows.ts'

const LEAST_ROUNDS = 5
const SERVERS = 100
const CHROMIUM = '/usr/bin/chromium'

/** Something that a bench needs, or why it is not there. */
export type Part = { path: string } | { missing: string }

export interface Places {
  root: string
  /** The folder of the bundled programs. */
  programs: string
  /** kube-apiserver, etcd and kube-controller-manager are in the cache. */
  realServers: Part
  loadGenerator: Part
  /** Builds or installs a peer that only one bench needs. */
  peer: { controllerRuntime(): Part; kopf(): Part }
}

interface Task {
  places: Places
  rounds: number
  /** How many the large archive has. */
  archived: number
  archivedOnServer: number
  command: string
  scratch: string
  say: (line: string) => void
}

interface Found {
  figures: Figure[]
  measured: unknown[]
  skipped: Skipped[]
}

interface Bench {
  heads: TableHeads
  does: string
  run(task: Task): Promise<Found>
}

const HELP = `npm run bench [NAME…] -- [--rounds N] [--write] [--json FILE] [--plots]

Measures Tiphys against its peers, all benches without a name. What a machine lacks is left out and said.

  --rounds N   how often everything is measured (${LEAST_ROUNDS}; at least that with --write)
  --write      put tables, pictures and what was not measured into docs/performance.md
  --events N   how many the large archive has (${FULL_ARCHIVE.large}); N,M for M in PostgreSQL
  --plots      measure nothing: draw the tables of docs/performance.md anew
  --json FILE  keep every number

`

/** `npm run bench`: runs what is named, prints the tables, keeps them where it is told to. Returns the exit code: 1 when a
 *  bar was missed or a bench failed. */
export async function run(args: string[], places: Places): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      json: { type: 'string' },
      plots: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      rounds: { type: 'string', default: String(LEAST_ROUNDS) },
      events: { type: 'string', default: String(FULL_ARCHIVE.large) },
    },
  })
  if (values.help) {
    console.log(
      HELP +
        Object.entries(BENCHES)
          .map(([name, { does }]) => `  ${name.padEnd(11)}${does}`)
          .join('\n'),
    )
    return 0
  }
  const unknown = positionals.find(name => !Object.hasOwn(BENCHES, name))
  if (unknown !== undefined) {
    console.error(`there is no bench ${JSON.stringify(unknown)}. Known: ${Object.keys(BENCHES).join(', ')}`)
    return 2
  }
  const page = join(places.root, 'docs/performance.md')
  if (values.plots) {
    await writePlots(page, Object.keys(BENCHES))
    return 0
  }
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1 || (values.write && rounds < LEAST_ROUNDS)) {
    console.error(`--rounds is a whole number, at least ${LEAST_ROUNDS} with --write`)
    return 2
  }
  const names = Object.keys(BENCHES).filter(name => positionals.length === 0 || positionals.includes(name))
  const [events = 0, onServer = events] = values.events.split(',').map(Number)
  if (!Number.isInteger(events) || events < 1 || !Number.isInteger(onServer) || onServer < 1) {
    console.error('--events is a whole number: how many the large archive has; or two, the second for PostgreSQL')
    return 2
  }
  const reports: Report[] = []
  for (const [index, name] of names.entries()) {
    const report = await runBench(
      name,
      { rounds, archived: events, archivedOnServer: onServer },
      places,
      progress(`${index + 1}/${names.length} ${name}`),
    )
    if (report.rows.length > 0) console.log(formatTable(report.rows, report.heads))
    for (const { what, why } of report.skipped) console.log(`not measured: ${what}, as ${why}`)
    // At once: what comes after may fail.
    if (values.write) await writeReport(page, report)
    reports.push(report)
  }
  if (values.write) await writePlots(page, names)
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(reports, undefined, 2)}\n`)
  return reports.every(({ rows }) => rows.length > 0 && rows.every(row => row.met !== false)) ? 0 : 1
}

/** Says what is being done, and since when. */
function progress(name: string): (line: string) => void {
  const begin = performance.now()
  return line =>
    console.error(`[${name}] ${String(Math.round((performance.now() - begin) / 1000)).padStart(4)} s  ${line}`)
}

/** A bench that fails must not take what the others have found. */
async function runBench(
  name: string,
  { rounds, archived, archivedOnServer }: Pick<Task, 'rounds' | 'archived' | 'archivedOnServer'>,
  places: Places,
  say: Task['say'],
): Promise<Report> {
  const { heads, run } = BENCHES[name] as Bench
  const scratch = join(places.root, '.build/bench/scratch')
  await mkdir(scratch, { recursive: true })
  const report = { bench: name, heads, date: new Date().toISOString().slice(0, 10), machine: describeMachine(), rounds }
  const command = join(places.root, 'node_modules/.bin/tiphys')
  try {
    const { figures, measured, skipped } = await run({
      places,
      rounds,
      archived,
      archivedOnServer,
      command,
      scratch,
      say,
    })
    return { ...report, rows: figures.map(rowOf), measured, skipped }
  } catch (thrown) {
    if (thrown instanceof PartMissing) say(`left out: ${thrown.message}`)
    else say(asError(thrown).stack ?? asError(thrown).message)
    const why = thrown instanceof PartMissing ? thrown.message : `it failed: ${asError(thrown).message.split('\n')[0]}`
    return { ...report, rows: [], measured: [], skipped: [{ what: 'all of it', why }] }
  }
}

class PartMissing extends Error {}

/** The path of what a bench cannot do without. */
function needed(part: Part): string {
  if ('missing' in part) throw new PartMissing(part.missing)
  return part.path
}

const without = (what: string, part: Part): Skipped[] => ('missing' in part ? [{ what, why: part.missing }] : [])

const BENCHES: Readonly<Record<string, Bench>> = {
  apiserver: {
    heads: { peer: 'kube-apiserver + etcd', ratio: 'times better' },
    does: 'starts, writes, lists and watches',
    async run({ places: { realServers, loadGenerator, programs }, ...task }) {
      const bench = {
        ...task,
        load: new LoadGenerator(needed(loadGenerator)),
        inProcess: join(programs, 'in-process.mjs'),
        sizes: FULL,
        servers: SERVERS,
      }
      const measured = await measure(bench, 'path' in realServers)
      const skipped = without('the comparison with kube-apiserver + etcd', realServers)
      return { figures: figuresOf(measured, bench), measured, skipped }
    },
  },
  cluster: {
    heads: { peer: 'peer', ratio: 'times the peer' },
    does: 'Deployments, simulated pods, and doing nothing',
    async run({ places: { realServers, loadGenerator }, ...task }) {
      const load = new LoadGenerator(needed(loadGenerator))
      const bench = { ...task, load, pods: 1000, starts: 7, restMs: 10_000 }
      const measured = await measureCluster(bench, 'path' in realServers)
      const skipped = without('the memory of a real control plane', realServers)
      return { figures: clusterFigures(measured, bench), measured, skipped }
    },
  },
  archive: {
    heads: { peer: 'peer', ratio: 'times the peer' },
    does: 'storing, and the first page of every question',
    async run(task) {
      const sizes = { ...FULL_ARCHIVE, large: task.archived, largeOnServer: task.archivedOnServer }
      const measured = await measureArchive({ ...task, ...sizes })
      const why = noPostgres()
      const skipped = why === undefined ? [] : [{ what: 'everything on PostgreSQL', why }]
      return { figures: archiveFigures(measured, sizes), measured, skipped }
    },
  },
  console: {
    heads: { peer: 'peer', ratio: 'times the peer' },
    does: 'its budgets in Chromium, and pages for one person beside another who asks very often',
    async run({ places: { root, programs }, ...task }) {
      const noise = join(programs, 'noise.mjs')
      const operator = join(root, 'examples/memcached')
      const bench = { ...task, noise, operator, objects: 200, pages: 300, pace: 10, times: 100 }
      const measured = await measureConsole(bench)
      const figures = consoleFigures(measured, bench)
      if (!existsSync(CHROMIUM)) {
        const skipped = [{ what: 'the budgets in a browser', why: 'chromium is not installed' }]
        return { figures, measured, skipped }
      }
      const budgets = await measureBudgets({ root, ...task })
      return { figures: [...figures, ...budgetFigures(budgets)], measured: [...measured, ...budgets], skipped: [] }
    },
  },
  events: {
    heads: { peer: 'peer', ratio: 'ratio' },
    does: 'from a change or a request to its effect, against controller-runtime and Kopf',
    async run({ places: { root, programs, realServers, peer }, ...task }) {
      needed(realServers)
      const [controllerRuntime, kopf] = [peer.controllerRuntime(), peer.kopf()]
      const bench = {
        ...task,
        peers: join(root, 'bench/peers'),
        bareWebhook: join(programs, 'bare-webhook.mjs'),
        ...('path' in controllerRuntime && { controllerRuntime: controllerRuntime.path }),
        ...('path' in kopf && { kopf: kopf.path }),
        things: 1000,
        single: 50,
        watched: 10_000,
        requests: 20_000,
        lastingRequests: 100_000,
      }
      const measured = await measureEvents(bench)
      const skipped = [
        ...without('the comparison with controller-runtime', controllerRuntime),
        ...without('the comparison with Kopf', kopf),
      ]
      return { figures: eventFigures(measured, bench), measured, skipped }
    },
  },
  workflows: {
    heads: { peer: 'peer', ratio: 'ratio' },
    does: 'steps in a row, many runs at once, planning',
    async run(task) {
      const bench = { ...task, runs: 1000, repeats: 5 }
      const measured = await measureWorkflows(bench)
      return { figures: workflowFigures(measured, bench), measured, skipped: [] }
    },
  },
}
