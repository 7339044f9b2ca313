import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, connect, type KubeObject, kindRef } from '@tiphys/kube'
import { Asker } from './asker.ts'
import type { Figure } from './figure.ts'
import { OperatorProcess } from './operator-process.ts'

export interface ConsoleBench {
  /** The `tiphys` command. */
  command: string
  /** The folder of the operator whose history is looked at. */
  operator: string
  /** The bundled program that asks very often. */
  noise: string
  scratch: string
  rounds: number
  /** How many objects there is something to be read about. */
  objects: number
  /** How many pages the quiet person asks for, and how often a second. */
  pages: number
  pace: number
  /** How many times as often the noisy one asks. */
  times: number
  say: (line: string) => void
}

export interface ConsoleRound {
  /** Milliseconds within which 99 of 100 pages of the quiet person are there. */
  aloneMs: number
  besideMs: number
  /** What the noisy one got a second, and how much of it was refused. */
  answered: number
  refused: number
}

const PATH = '/api/v1/events?limit=50'

/** One `tiphys up` and two people, each with a token of the cluster: the quiet one alone, and beside the noisy one. */
export async function measureConsole(bench: ConsoleBench): Promise<ConsoleRound[]> {
  const directory = await mkdtemp(join(bench.scratch, 'console-'))
  const kubeconfig = join(directory, 'kubeconfig')
  const flags = ['--runtime', 'simulated', '--port', '0', '--console-port', '0', '--console-auth', 'cluster']
  const places = ['--data', join(directory, 'data'), '--kubeconfig-out', kubeconfig]
  const operator = new OperatorProcess(bench.command, ['up', bench.operator, ...flags, ...places], { cwd: directory })
  try {
    const [, address = ''] = await operator.says(/(http:\/\/127\.0\.0\.1:\d+)/)
    await operator.says(/tiphys is ready/)
    const client = await connect({ kubeconfig })
    const quiet = new Asker(address, await tokenOf(client, 'quiet'), 1)
    const noisyToken = await tokenOf(client, 'noisy')
    await fill(client, quiet, bench.objects)
    await client.close()
    const rounds: ConsoleRound[] = []
    for (let number = 0; number < bench.rounds; number++) {
      bench.say(`round ${number + 1} of ${bench.rounds}`)
      const aloneMs = await pagesOf(quiet, bench)
      // In a process of its own: its work must not be taken for the console's.
      const noise = new OperatorProcess(
        process.execPath,
        [bench.noise, address, PATH, String(bench.pace * bench.times)],
        {
          cwd: directory,
          env: { NOISY_TOKEN: noisyToken },
        },
      )
      await noise.says(/asking/)
      const besideMs = await pagesOf(quiet, bench)
      await noise.stop()
      const [, answered, refused] = await noise.says(/answered ([\d.]+) refused ([\d.]+)/)
      rounds.push({ aloneMs, besideMs, answered: Number(answered), refused: Number(refused) })
    }
    return rounds
  } finally {
    await operator.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

async function tokenOf(client: Client, name: string): Promise<string> {
  const place = { namespace: 'default', name }
  const account = kindRef('v1', 'ServiceAccount')
  await client.create({ ...account, metadata: place })
  await client.create({
    ...kindRef('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'),
    metadata: { name: `bench-${name}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...place }],
  })
  const answer = await client.subresource<KubeObject & { status: { token: string } }>(
    'create',
    { ...account, ...place },
    'token',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { expirationSeconds: 3600 } },
  )
  return answer.status.token
}

/** Gives the operator something to do, and waits until the archive has it. */
async function fill(client: Client, person: Asker, objects: number): Promise<void> {
  for (let i = 0; i < objects; i++)
    await client.create({
      apiVersion: 'cache.example.com/v1',
      kind: 'Memcached',
      metadata: { namespace: 'default', name: `bench-${i}` },
      spec: { size: 1 },
    })
  for (;;) {
    const { text } = await person.ask('/api/v1/events?limit=1')
    if ((JSON.parse(text) as { total: { count: number } }).total.count >= objects) return
    await pause(200)
  }
}

/** Asks for pages at a pace; within how many milliseconds 99 of 100 are there. */
async function pagesOf(person: Asker, { pages, pace }: ConsoleBench): Promise<number> {
  const times: number[] = []
  const begin = performance.now()
  for (let i = 0; i < pages; i++) {
    await pause(Math.max(0, begin + (i * 1000) / pace - performance.now()))
    const asked = performance.now()
    const { status } = await person.ask(PATH)
    if (status !== 200) throw new Error(`the console answered ${status}`)
    times.push(performance.now() - asked)
  }
  times.sort((a, b) => a - b)
  return times[Math.ceil(times.length * 0.99) - 1] as number
}

export function consoleFigures(rounds: readonly ConsoleRound[], { times, pace }: ConsoleBench): Figure[] {
  return [
    {
      what: `99 of 100 pages of the console, ${pace} a second, beside somebody who asks ${times} times as often; peer: alone`,
      unit: 'ms',
      better: 'less',
      share: 2,
      ours: rounds.map(({ besideMs }) => besideMs),
      peers: rounds.map(({ aloneMs }) => aloneMs),
    },
    {
      what: 'what that somebody gets',
      unit: '/s',
      better: 'more',
      ours: rounds.map(({ answered }) => answered),
    },
  ]
}

/** What a test has measured in Chromium, with what it may be. */
interface Budget {
  what: string
  budget: number
  unit: 'ms' | 'KB' | 'MB' | 'nodes' | 'lost'
  was: number
}

export interface BudgetBench {
  root: string
  scratch: string
  rounds: number
  say: (line: string) => void
}

/** The budgets of the console, each round in a browser and on an archive of its own, with as many rows and lines as the budgets
 *  are about. */
export async function measureBudgets({ root, scratch, rounds, say }: BudgetBench): Promise<Budget[][]> {
  const directory = await mkdtemp(join(scratch, 'budgets-'))
  try {
    const measured: Budget[][] = []
    for (let number = 0; number < rounds; number++) {
      say(`budgets, round ${number + 1} of ${rounds}`)
      const report = join(directory, `${number}.json`)
      const env = { ...process.env, TIPHYS_FULL: '1', TIPHYS_SLOWNESS: 'Infinity', TIPHYS_BUDGETS: report }
      const vitest = join(root, 'node_modules/vitest/vitest.mjs')
      const test = spawn(process.execPath, [vitest, 'run', '--project', 'tiphys', 'console/budgets'], {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const output: Buffer[] = []
      test.stdout.on('data', (part: Buffer) => output.push(part))
      await once(test, 'close')
      // A budget that is missed fails the test, and is measured all the same.
      const text = await readFile(report, 'utf8').catch(() => undefined)
      if (text === undefined)
        throw new Error(`the budgets were not measured:\n${Buffer.concat(output).toString().slice(-2000)}`)
      measured.push(JSON.parse(text) as Budget[])
    }
    return measured
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const UNITS = { ms: 'ms', KB: 'KB', MB: 'MB', nodes: 'elements', lost: 'rows' } as const

export function budgetFigures(rounds: readonly (readonly Budget[])[]): Figure[] {
  return (rounds[0] ?? []).map(({ what, budget, unit }) => ({
    what,
    unit: UNITS[unit],
    better: 'less',
    limit: budget,
    ours: rounds.map(round => round.find(each => each.what === what)?.was ?? Infinity),
  }))
}
