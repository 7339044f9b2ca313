import { setMaxListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from '../machine.ts'
import { readCorpus, runCase } from './corpus.ts'
import { WorkflowProcesses } from './processes.ts'
import { letStepsDoEverything } from './scene.ts'

const obstacle = whyNoNamespaces()
const AT_ONCE = 8
const TIMEOUT_MS = 120_000

/** The machine may be busy with other tests. */
vi.setConfig({ testTimeout: 900_000, hookTimeout: 120_000 })
setMaxListeners(0)

describe.skipIf(obstacle)(`the corpus of workflows${obstacle}`, () => {
  let scene: WorkflowProcesses
  /** What the corpus calls receiver.test. */
  const receiver = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://receiver.test')
    const [, word, rest = ''] = pathname.split('/')
    void text(request).then(body => {
      if (word === 'say') response.end(decodeURIComponent(rest))
      else if (word === 'status') response.writeHead(Number(rest)).end()
      else if (word !== 'slow') response.end(`${request.method} ${body}\n${String(request.headers['x-mark'] ?? '')}`)
    })
  })
  beforeAll(async () => {
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    scene = await WorkflowProcesses.start({ access: { outbound: { allow: LOOPBACK_RANGES } } })
    await letStepsDoEverything(scene.client)
  })
  afterAll(async () => {
    receiver.close()
    receiver.closeAllConnections()
    await scene?.close()
  })

  it('comes out as upstream has it, with real processes', async () => {
    const only = process.env.TIPHYS_CORPUS
    const cases = (await readCorpus()).filter(
      ({ world, name }) =>
        world !== 'simulated' && (only === undefined || only.split(',').some(part => name.includes(part))),
    )
    expect(cases.length).toBeGreaterThanOrEqual(only === undefined ? 120 : 1)
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const waiting = [...cases]
    const failed: Record<string, string[]> = {}
    const work = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const problems = await withTimeout(runCase(scene, one, address), one.name)
        if (problems.length > 0) failed[one.name] = problems
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(failed).toEqual({})
  })

  const withTimeout = async (run: Promise<string[]>, name: string): Promise<string[]> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string[]>(resolve => {
      timer = setTimeout(() => resolve([`${name} does not end`]), TIMEOUT_MS)
    })
    try {
      return await Promise.race([run.catch((thrown: unknown) => [String(thrown)]), late])
    } finally {
      clearTimeout(timer)
    }
  }
})
