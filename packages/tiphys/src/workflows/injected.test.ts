import { type KubeObject, kindRef, parseYaml } from '@tiphys/kube'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from '../machine.ts'
import { injectingClient } from './injecting-client.ts'
import { pretend, single, workflow } from './manifests.ts'
import { WorkflowProcesses } from './processes.ts'
import { nodeNamed, type RunObject, WorkflowsScene } from './scene.ts'

const POD = kindRef('v1', 'Pod')
const PROXY = { name: 'proxy', image: 'proxy' }
/** What such containers do: they go on until they are told to end. */
const asLongAsItMay = { proxy: { runFor: '1h', log: 'the proxy is up' } }

const obstacle = whyNoNamespaces()
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

describe('a container that the cluster has put into the pod of a step', () => {
  let scene: WorkflowsScene
  afterEach(() => scene?.close())

  const open = async () => {
    scene = await WorkflowsScene.create()
    await scene.stopEngine()
    await scene.startEngine({ client: injectingClient(scene.client, PROXY) })
  }
  const run = async (manifest: RunObject): Promise<RunObject> => {
    await scene.client.create(manifest)
    return scene.untilOver(manifest.metadata.name ?? '')
  }
  const untilNoPods = (name: string) => expect.poll(() => scene.podsOf(name)).toEqual([])
  const logsOf = async (container: string): Promise<string[]> => {
    await scene.settled()
    const chunks = scene.records.flatMap(record =>
      record.kind === 'log' && record.container === container ? [record.chunk] : [],
    )
    return Promise.all(chunks.map(async chunk => Buffer.from(await scene.logs.read(chunk)).toString()))
  }

  it('is ended when the step is over, and what it printed is kept', async () => {
    await open()
    const say = (log: string) => pretend(log, { log, containers: asLongAsItMay })
    const next = { name: 'next', template: 'two', when: '{{steps.first.outputs.result}} == one' }
    const templates = [{ name: 'main', steps: [[{ name: 'first', template: 'one' }], [next]] }, say('one'), say('two')]
    const done = await run(workflow('steps', { entrypoint: 'main', templates }))
    expect(done.status).toMatchObject({ phase: 'Succeeded' })
    expect(nodeNamed(done, 'first').outputs).toMatchObject({ result: 'one', exitCode: '0' })
    expect(nodeNamed(done, 'next')).toMatchObject({ phase: 'Succeeded' })
    await untilNoPods('steps')
    expect(await logsOf('proxy')).toEqual(['the proxy is up\n', 'the proxy is up\n'])
    expect(await logsOf('main')).toEqual(['one\n', 'two\n'])
    expect((await scene.get('steps')).status?.nodes, 'what became of it when its pods went').toEqual(done.status?.nodes)
  })

  it('neither hides that the step failed nor keeps it from being tried again', async () => {
    await open()
    const failing = single({ exitCode: 3, containers: { proxy: { ...asLongAsItMay.proxy, exitCode: 0 } } })
    const templates = failing.templates.map(template => ({ ...template, retryStrategy: { limit: 1 } }))
    const done = await run(workflow('failing', { ...failing, templates }))
    expect(done.status).toMatchObject({ phase: 'Failed' })
    for (const attempt of ['failing(0)', 'failing(1)'])
      expect(nodeNamed(done, attempt)).toMatchObject({
        phase: 'Failed',
        message: 'main: Error (exit code 3)',
        outputs: { exitCode: '3' },
      })
    await untilNoPods('failing')
  })

  it('does not fail the step by ending badly, or by never starting', async () => {
    await open()
    const crashed = single({ runFor: '1s', containers: { proxy: { runFor: 0, exitCode: 1 } } })
    expect((await run(workflow('crashed', crashed))).status).toMatchObject({ phase: 'Succeeded' })
    const stuck = single({ containers: { proxy: { imageFailure: 'no such image' } } })
    expect((await run(workflow('stuck', stuck))).status).toMatchObject({ phase: 'Succeeded' })
    await untilNoPods('stuck')
  })

  it('is none of the containers of a set', async () => {
    await open()
    const containers = ['a', 'b'].map(name => ({ name, image: 'alpine', command: ['true'] }))
    const set = pretend('main', { containers: asLongAsItMay }, { container: undefined, containerSet: { containers } })
    const done = await run(workflow('set', { entrypoint: 'main', templates: [set] }))
    const nodes = Object.values(done.status?.nodes ?? {}).map(({ displayName, phase }) => [displayName, phase])
    expect(nodes).toEqual([
      ['set', 'Succeeded'],
      ['a', 'Succeeded'],
      ['b', 'Succeeded'],
    ])
    await untilNoPods('set')
  })

  it.each([
    ['Succeeded', 0],
    ['Failed', 3],
  ])(
    'is ended by the next engine when the last one died after it had stored that the step is %s',
    async (phase, exitCode) => {
      await open()
      await scene.stopEngine()
      const client = injectingClient(scene.client, PROXY)
      await scene.startEngine({ client: { ...client, delete: () => Promise.reject(new Error('the process is dead')) } })
      const containers = { proxy: { ...asLongAsItMay.proxy, exitCode: 0 } }
      const done = await run(workflow('left', single({ exitCode, containers })))
      expect(done.status).toMatchObject({ phase })
      await scene.stopEngine()
      const [pod] = await scene.podsOf('left')
      expect(pod?.status?.phase).toBe('Running')
      expect(pod?.metadata.deletionTimestamp).toBeUndefined()
      await scene.startEngine()
      await untilNoPods('left')
      expect((await scene.get('left')).status).toEqual(done.status)
    },
  )
})

describe.skipIf(obstacle)(`a program that the cluster has put beside a step${obstacle}`, () => {
  let scene: WorkflowProcesses
  afterEach(() => scene?.close())

  it('is ended when the step has ended, well or not', async () => {
    const proxy = { name: 'proxy', image: 'alpine', command: ['sleep', '3600'] }
    scene = await WorkflowProcesses.start({}, [], client => injectingClient(client, proxy))
    const run = async (name: string, source: string) => {
      const { value } = await parseYaml(manifest(name, source))
      await scene.create(value as KubeObject)
      return scene.untilOver(name)
    }
    const good = await run('good', 'echo told >/tmp/word')
    expect(good.status).toMatchObject({ phase: 'Succeeded' })
    expect(nodeNamed(good, 'good').outputs?.parameters).toMatchObject([{ name: 'word', value: 'told' }])
    const bad = await run('bad', 'exit 3')
    expect(nodeNamed(bad, 'bad')).toMatchObject({ phase: 'Failed', message: 'main: Error (exit code 3)' })
    await expect.poll(async () => (await scene.client.list({ ...POD, namespace: 'default' })).items).toEqual([])
  })
})

const manifest = (name: string, source: string) => `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: ${name} }
spec:
  entrypoint: main
  podSpecPatch: 'terminationGracePeriodSeconds: 1'
  templates:
    - name: main
      script: { image: alpine, command: [sh], source: "${source}" }
      outputs: { parameters: [{ name: word, valueFrom: { path: /tmp/word } }] }
`
