import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunItem } from '@tiphys/archive'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { TestCluster } from '../test-cluster.ts'
import { runTiphys, TiphysProcess } from '../tiphys-process.ts'
import { type RunObject, WORKFLOW } from './scene.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 })

const SPEC = {
  entrypoint: 'main',
  templates: [{ name: 'main', container: { image: 'alpine', command: ['true'] } }],
}
const LASTING = {
  entrypoint: 'main',
  templates: [
    {
      name: 'main',
      metadata: { annotations: { 'tiphys.dev/simulate': '{"runFor": "1h"}' } },
      container: { image: 'alpine', command: ['true'] },
    },
  ],
}

describe('`tiphys run`, killed beside a `tiphys cluster`', () => {
  let cluster: TestCluster
  let data: string
  let engine: TiphysProcess | undefined

  beforeAll(async () => {
    cluster = await TestCluster.start(['--runtime', 'simulated'])
    data = await mkdtemp(join(cluster.folder, 'run-'))
    await start()
  })
  afterAll(async () => {
    await engine?.signal('SIGKILL')
    await cluster?.close()
  })

  const start = async () => {
    engine = new TiphysProcess(['run', '--kubeconfig', cluster.kubeconfig, '--data', data, '--no-console'], {
      cwd: data,
    })
    await engine.shows('tiphys is ready\n')
  }

  /** Kills the engine as soon as a run is as asked for. Resolves with what is stored of it. */
  const killWhen = async (name: string, isSo: (run: RunObject) => boolean): Promise<RunObject> => {
    const selection = { ...WORKFLOW, namespace: 'default', fieldSelector: `metadata.name=${name}` }
    for await (const event of cluster.client.watch(selection)) {
      if ((event.type !== 'ADDED' && event.type !== 'MODIFIED') || !isSo(event.object)) continue
      await engine?.signal('SIGKILL')
      return event.object
    }
    throw new Error(`the watch of ${name} ended`)
  }

  const listed = async (name: string): Promise<RunItem | undefined> => {
    const { out, err, code } = await runTiphys(['runs', '--json', '--data', data], { cwd: data })
    expect([code, err]).toEqual([0, ''])
    const runs = out.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as RunItem]))
    return runs.find(({ run }) => run.name === name)
  }

  it('when the end of a run is stored, tells of that end after all', async () => {
    const names = ['a', 'b', 'c']
    for (const name of names) {
      await cluster.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec: SPEC })
      await killWhen(name, ({ status }) => status?.phase === 'Succeeded')
      await start()
    }
    for (const name of names) {
      await expect.poll(() => listed(name), { timeout: 30_000 }).toMatchObject({ phase: 'Succeeded' })
      expect(await listed(name)).toMatchObject({ steps: { total: 1, byPhase: { Succeeded: 1 } } })
    }
  })

  it('before a run is deleted, lists it as failed afterwards, and does not leave it under way', async () => {
    const name = 'dropped'
    await cluster.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec: LASTING })
    const at = ({ status }: RunObject) => Object.values(status?.nodes ?? {}).some(({ phase }) => phase === 'Running')
    await killWhen(name, at)
    await cluster.client.delete({ ...WORKFLOW, namespace: 'default', name })
    await start()
    await expect
      .poll(() => listed(name), { timeout: 30_000 })
      .toMatchObject({
        phase: 'Failed',
        message: 'the Workflow was deleted while no engine ran: how it ended is not known',
        steps: { total: 1, byPhase: { Failed: 1 } },
      })
  })
})
