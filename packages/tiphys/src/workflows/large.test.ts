import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { seededRandom, systemEnv } from '@tiphys/env'
import { type ArtifactStore, createFileArtifacts, createWorkflowControl } from '@tiphys/workflows'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from '../machine.ts'
import { WorkflowProcesses } from './processes.ts'
import { nodeNamed, type RunNode, type RunObject, WORKFLOW, WorkflowsScene } from './scene.ts'

const obstacle = whyNoNamespaces()
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

/** What an output may have at most, and does not become smaller by being compressed: that many bytes of base64. */
const BYTES = 262_144
const random = (file: string) => `head -c ${BYTES} /dev/urandom | base64 -w0 | head -c ${BYTES} >${file}`

describe.skipIf(obstacle)(`a run that is larger than an object may be${obstacle}`, () => {
  let scene: WorkflowProcesses
  beforeAll(async () => {
    scene = await WorkflowProcesses.start()
  })
  afterAll(() => scene?.close())
  const keptOf = async (name: string) => {
    const files = await readdir(join(scene.cluster.folder, 'artifacts', 'content', 'default', name), {
      recursive: true,
    }).catch(() => [])
    return files.filter(file => /\/[0-9a-f]{64}$/.test(file))
  }

  it('keeps its large values in the artifact store; its status can be read, and steps get the whole value', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `v${index}`)
    await scene.create({
      ...WORKFLOW,
      metadata: { name: 'large' },
      spec: {
        entrypoint: 'main',
        templates: [
          {
            name: 'main',
            steps: [
              [{ name: 'make', template: 'make' }],
              [
                {
                  name: 'take',
                  template: 'take',
                  arguments: {
                    parameters: names.map(name => ({ name, value: `{{steps.make.outputs.parameters.${name}}}` })),
                  },
                },
                {
                  name: 'length',
                  template: 'say',
                  arguments: { parameters: [{ name: 'text', value: '{{=len(steps.make.outputs.parameters.v3)}}' }] },
                },
              ],
              [{ name: 'fail', template: 'fail' }],
            ],
          },
          { name: 'fail', container: { image: 'alpine', command: ['false'] } },
          {
            name: 'make',
            container: {
              image: 'alpine',
              command: ['sh', '-c', names.map(name => `${random(`/tmp/${name}`)}; sha256sum </tmp/${name}`).join('\n')],
            },
            outputs: { parameters: names.map(name => ({ name, valueFrom: { path: `/tmp/${name}` } })) },
          },
          {
            name: 'take',
            inputs: {
              parameters: names.map(name => ({ name })),
              artifacts: names.map(name => ({
                name,
                path: `/tmp/in-${name}`,
                raw: { data: `{{inputs.parameters.${name}}}` },
              })),
            },
            container: {
              image: 'alpine',
              command: ['sh', '-c', names.map(name => `sha256sum </tmp/in-${name}`).join('\n')],
            },
          },
          {
            name: 'say',
            inputs: { parameters: [{ name: 'text' }] },
            container: { image: 'alpine', command: ['echo', '{{inputs.parameters.text}}'] },
          },
        ],
      },
    })
    const run = await scene.untilOver('large')
    expect(nodeNamed(run, 'take').phase).toBe('Succeeded')
    // The nodes are there to be read, with how each value begins and where the whole is.
    expect(JSON.stringify(run).length).toBeLessThan(512 * 1024)
    const [first] = nodeNamed(run, 'make').outputs?.parameters ?? []
    expect(first?.value).toMatch(
      /^[A-Za-z0-9+/]{200}… \(262144 bytes, kept in the artifact store as default\/large\/.*\)$/,
    )
    expect(await scene.logOf(run, nodeNamed(run, 'length').id)).toBe(`${BYTES}\n`)
    const made = await scene.logOf(run, nodeNamed(run, 'make').id)
    expect(made.trim().split('\n')).toHaveLength(8)
    expect(await scene.logOf(run, nodeNamed(run, 'take').id)).toBe(made)
    expect(await keptOf('large')).toHaveLength(8)

    const artifacts = createFileArtifacts({ directory: join(scene.cluster.folder, 'artifacts') })
    const control = createWorkflowControl({ env: systemEnv, artifacts })
    const again = await control.resubmit(
      scene.client,
      { namespace: 'default', name: 'large' },
      {
        name: 'large-again',
        memoized: true,
      },
    )
    expect(JSON.stringify(again).length).toBeLessThan(512 * 1024)
    const repeated = await scene.untilOver('large-again')
    expect(nodeNamed(repeated, 'take')).toMatchObject({ type: 'Skipped', phase: 'Succeeded' })
    expect((await keptOf('large-again')).filter(file => !file.startsWith('status-new/'))).toHaveLength(8)

    await scene.client.delete({ ...WORKFLOW, namespace: 'default', name: 'large' })
    await expect.poll(() => keptOf('large'), { timeout: 10_000 }).toEqual([])
  })
})

/** By the name that is shown. */
async function wholeNodes(store: ArtifactStore, { status }: RunObject): Promise<Record<string, RunNode>> {
  const pieces: Uint8Array[] = []
  for await (const piece of await store.get(status?.offloadNodeStatusVersion as string)) pieces.push(piece)
  const json = gunzipSync(Buffer.from(Buffer.concat(pieces).toString(), 'base64')).toString()
  const nodes = Object.values(JSON.parse(json) as Record<string, RunNode>)
  return Object.fromEntries(nodes.map(node => [node.displayName, node]))
}

it('a run whose nodes are too large all together keeps them in the artifact store, and goes on with them after a restart', async () => {
  const scene = await WorkflowsScene.create()
  try {
    const random = seededRandom(7)
    const text = () => Buffer.from(random.bytes(2400)).toString('base64').replaceAll(/[+/]/g, '_')
    const loops = Array.from({ length: 8 }, (_, index) => `loop${index}`)
    const items = JSON.stringify(Array.from({ length: 60 }, text))
    const list = {
      name: 'list',
      metadata: { annotations: { 'tiphys.dev/simulate': JSON.stringify({ log: items }) } },
      container: { image: 'alpine', command: ['true'] },
    }
    await scene.client.create({
      ...WORKFLOW,
      metadata: { name: 'many', namespace: 'default' },
      spec: {
        entrypoint: 'main',
        templates: [
          {
            name: 'main',
            steps: [
              [{ name: 'list', template: 'list' }],
              // Each node has its item in its name.
              loops.map(name => ({
                name,
                template: 'gate',
                when: '1 == 2',
                withParam: '{{steps.list.outputs.result}}',
              })),
              [{ name: 'gate', template: 'gate' }],
              [
                {
                  name: 'last',
                  template: 'say',
                  arguments: { parameters: [{ name: 'text', value: '{{=len(steps.list.outputs.result)}}' }] },
                },
              ],
            ],
          },
          { name: 'gate', suspend: {} },
          {
            name: 'say',
            inputs: { parameters: [{ name: 'text' }] },
            container: { image: 'alpine', command: ['true'] },
          },
          list,
        ],
      },
    })
    const waiting = await scene.until('many', ({ status }) => typeof status?.offloadNodeStatusVersion === 'string')
    expect(waiting.status?.nodes).toBeUndefined()
    expect(waiting.status?.compressedNodes).toBeUndefined()
    expect(waiting.status).toMatchObject({ phase: 'Running' })
    await scene.stopEngine()
    await scene.startEngine()
    const ref = { namespace: 'default', name: 'many' }
    const blind = createWorkflowControl({ env: systemEnv })
    await expect(blind.retry(scene.client, ref)).rejects.toThrow('are in the artifact store')
    const artifacts = createFileArtifacts({ directory: join(scene.folder, 'artifacts') })
    const control = createWorkflowControl({ env: systemEnv, artifacts })
    await control.resume(scene.client, ref, { nodeFieldSelector: 'displayName=gate' })
    const over = await scene.untilOver('many')
    const nodes = await wholeNodes(artifacts, over)
    expect(nodes.last?.inputs?.parameters).toEqual([{ name: 'text', value: String(items.length) }])
    expect(over.status).toMatchObject({ phase: 'Succeeded', progress: '3/3' })
    expect(JSON.stringify(over).length).toBeLessThan(512 * 1024)
  } finally {
    await scene.close()
  }
})
