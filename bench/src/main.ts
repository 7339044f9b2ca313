import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ApiserverBench, FULL, figuresOf, measure } from './apiserver.ts'
import { rowOf } from './figure.ts'
import { LoadGenerator } from './load-generator.ts'
import { describeMachine } from './machine.ts'
import { type Report, writeTable } from './report.ts'
import { formatTable } from './table.ts'

const LEAST_ROUNDS = 5
const SERVERS = 100

export interface Places {
  root: string
  /** The folder of the bundled programs. */
  programs: string
  loadGenerator: string
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
  const unknown = positionals.find(name => name !== 'apiserver')
  if (unknown !== undefined) {
    console.error(`there is no bench ${JSON.stringify(unknown)}. Known: apiserver`)
    return 2
  }
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1 || (values.write && rounds < LEAST_ROUNDS)) {
    console.error(`--rounds is a whole number, at least ${LEAST_ROUNDS} with --write`)
    return 2
  }
  const report = await runApiserver(places, rounds)
  console.log(formatTable(report.rows))
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, undefined, 2)}\n`)
  if (values.write) await writeTable(join(places.root, 'docs/performance.md'), report)
  return report.rows.every(row => row.met !== false) ? 0 : 1
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
  const date = new Date().toISOString().slice(0, 10)
  const rows = figuresOf(measured, bench).map(rowOf)
  return { bench: 'apiserver', date, machine: describeMachine(), rows, rounds: measured }
}
