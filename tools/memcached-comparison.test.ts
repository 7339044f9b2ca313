import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, type KubeObject, kindRef } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { eventually, TiphysFolder } from '../packages/tiphys/src/tiphys-folder.ts'
import { root } from './steps.mjs'

// The table in examples/memcached/README.md that compares the two variants says what is counted and measured here.
const EXAMPLE = 'examples/memcached'
const VARIANTS = [EXAMPLE, join(EXAMPLE, 'improved')] as const

/** The cells of a row, by its first: what this folder has, and what `improved/` has. */
async function cellsOf(row: string): Promise<[string, string]> {
  const readme = await readFile(join(root, EXAMPLE, 'README.md'), 'utf8')
  const line = readme.split('\n').find(candidate => candidate.startsWith(`| ${row} `))
  const [, , first = '', second = ''] = line?.split('|').map(cell => cell.trim()) ?? []
  return [first, second]
}

async function manifestsOf(folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder))
  const wanted = names.filter(name => /^\d.*\.yaml$/.test(name)).sort()
  return await Promise.all(wanted.map(name => readFile(join(root, folder, name), 'utf8')))
}

it('the memcached example has as many files and lines as its README says', async () => {
  const counted = VARIANTS.map(async folder => {
    const manifests = await manifestsOf(folder)
    return `${manifests.length}, ${manifests.reduce((sum, text) => sum + text.split('\n').length - 1, 0)}`
  })
  expect(await cellsOf('files, lines')).toEqual(await Promise.all(counted))
})

const MEMCACHED = kindRef('cache.example.com/v1', 'Memcached')
const DEPLOYMENT = kindRef('apps/v1', 'Deployment')
const WORKFLOW = kindRef('argoproj.io/v1alpha1', 'Workflow')
/** Times are for a machine that does nothing else: they are held to the README in the full run alone, and of several turns the shortest, for
 *  what other tests do meanwhile only adds to them. */
const isQuiet = process.env.TIPHYS_FULL !== undefined
const TURNS = isQuiet ? 5 : 1
/** A machine that takes so many times as long is no defect. */
const SLOWEST = 4

/** Milliseconds from the request that creates a Memcached until its Deployment is there. */
async function untilDeployed(client: Client, namespace: string): Promise<number> {
  await client.create({ ...kindRef('v1', 'Namespace'), metadata: { name: namespace } })
  const watching = new AbortController()
  const deployed = (async () => {
    for await (const { type } of client.watch({ ...DEPLOYMENT, namespace }, { signal: watching.signal }))
      if (type === 'ADDED') return performance.now()
    throw new Error('the watch ended before there was a Deployment')
  })()
  const begin = performance.now()
  await client.create({ ...MEMCACHED, metadata: { name: 'timed', namespace }, spec: { size: 1 } })
  const elapsed = (await deployed) - begin
  watching.abort()
  return elapsed
}

/** Waits until all runs have ended, and gives them. */
const untilIdle = (client: Client): Promise<KubeObject[]> =>
  eventually('the end of the runs', async () => {
    const { items } = await client.list<KubeObject>(WORKFLOW)
    const isOver = ({ status }: KubeObject) => (status as { phase?: string } | undefined)?.phase === 'Succeeded'
    return items.every(isOver) ? items : undefined
  })

/** How many steps a run has had. */
function stepsOf({ status }: KubeObject): number {
  const { nodes = {} } = (status ?? {}) as { nodes?: Record<string, { type: string }> }
  return Object.values(nodes).filter(({ type }) => type === 'Pod').length
}

async function measure(folder: string): Promise<{ shortestMs: number; steps: number }> {
  const place = await TiphysFolder.make()
  try {
    await place.start('up', join(root, folder), '--port', '0', '--console-port', '0')
    const client = await place.client()
    // The first one also waits for what is loaded on first use.
    await untilDeployed(client, 'warm-up')
    const times: number[] = []
    for (let turn = 0; turn < TURNS; turn++) {
      await untilIdle(client)
      times.push(await untilDeployed(client, `turn-${turn}`))
    }
    const items = await untilIdle(client)
    return { shortestMs: Math.min(...times), steps: Math.max(...items.map(stepsOf)) }
  } finally {
    await place.remove()
  }
}

const obstacle = existsSync('/usr/bin/python3') ? '' : ' (skipped: there is no /usr/bin/python3)'
async function checkTimes([plain, improved]: [number, number]): Promise<void> {
  const [seconds, times] = (await cellsOf('from create to Deployment')).map(cell => Number.parseFloat(cell))
  const measured = `${Math.round(plain)} ms and ${Math.round(improved)} ms`
  expect(plain / 1000 / (seconds as number), measured).toBeLessThan(SLOWEST)
  expect(plain / improved / (times as number), measured).toBeGreaterThan(0.5)
  expect(plain / improved / (times as number), measured).toBeLessThan(2)
}

describe.skipIf(obstacle)(`the variants of the memcached example${obstacle}`, { timeout: 180_000 }, () => {
  it('take as many steps, and in comparison as long, as the README says', async () => {
    const found = [await measure(VARIANTS[0]), await measure(VARIANTS[1])] as const
    if (isQuiet) await checkTimes(found.map(({ shortestMs }) => shortestMs) as [number, number])
    const words = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven']
    const promised = (await cellsOf('steps of a run')).map(cell => words.indexOf(cell.split(',')[0] ?? ''))
    expect(found.map(({ steps }) => steps)).toEqual(promised)
  })
})
