import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kindRef } from '@tiphys/kube'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from '../machine.ts'
import { TestCluster } from '../test-cluster.ts'
import { defineWorkflows, type RunObject, WORKFLOW } from './scene.ts'

const obstacle = whyNoNamespaces()
const POINTS = process.env.TIPHYS_FULL === undefined ? [2, 7] : [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 })

const SPEC = {
  entrypoint: 'main',
  templates: [
    {
      name: 'main',
      steps: [
        [
          { name: 'a', template: 'count', arguments: { parameters: [{ name: 'of', value: 'a' }] } },
          { name: 'b', template: 'count', arguments: { parameters: [{ name: 'of', value: 'b' }] } },
        ],
        [
          {
            name: 'c',
            template: 'count',
            arguments: {
              parameters: [{ name: 'of', value: '{{steps.a.outputs.result}}{{steps.b.outputs.parameters.x}}' }],
            },
          },
        ],
      ],
    },
    {
      name: 'count',
      inputs: { parameters: [{ name: 'of' }] },
      script: { image: 'alpine', command: ['sh'], source: "printf '{{inputs.parameters.of}}' | tee /x; sleep 0.3" },
      outputs: { parameters: [{ name: 'x', valueFrom: { path: '/x' } }] },
    },
  ],
}

describe.skipIf(obstacle)(`a workflow engine whose process is killed${obstacle}`, () => {
  let cluster: TestCluster
  let program: string
  beforeAll(async () => {
    cluster = await TestCluster.start()
    await defineWorkflows(cluster.client)
    program = join(cluster.folder, 'engine.mjs')
    await build({
      entryPoints: [fileURLToPath(new URL('engine-program.ts', import.meta.url))],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'error',
    })
  })
  afterAll(() => cluster?.close())

  const start = (killAt: number) =>
    spawn(process.execPath, [program, cluster.kubeconfig, cluster.folder, String(killAt)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })

  const untilOver = async (name: string): Promise<RunObject> => {
    const selection = { ...WORKFLOW, namespace: 'default', fieldSelector: `metadata.name=${name}` }
    for await (const event of cluster.client.watch(selection)) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
      if (event.object.metadata.labels?.['workflows.argoproj.io/completed'] === 'true') return event.object
    }
    throw new Error('the watch ended')
  }

  it.each(POINTS)('after its write number %d is replaced, and every step has run once', async point => {
    const name = `killed-${point}`
    await cluster.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec: SPEC })
    const first = start(point)
    const [, signal] = (await once(first, 'exit')) as [number | null, string | null]
    expect(signal).toBe('SIGKILL')
    const second = start(0)
    const { status } = await untilOver(name)
    second.kill('SIGKILL')
    await once(second, 'exit')
    expect(status?.phase).toBe('Succeeded')
    const last = Object.values(status?.nodes ?? {}).find(({ displayName }) => displayName === 'c')
    expect(last?.inputs?.parameters?.[0]?.value).toBe('ab')
    const { items } = await cluster.client.list({
      ...kindRef('v1', 'Pod'),
      namespace: 'default',
      labelSelector: `workflows.argoproj.io/workflow=${name}`,
    })
    expect(items).toHaveLength(3)
    expect(items.map(({ status: { containerStatuses = [] } = {} }) => containerStatuses[0]?.restartCount)).toEqual([
      0, 0, 0,
    ])
  })
})
