import { createSimulatedRuntime, type PodRuntime } from '@tiphys/cluster'
import type { Env } from '@tiphys/env'
import { kindRef } from '@tiphys/kube'
import { afterEach, describe, expect, it } from 'vitest'
import { nodeNamed, WORKFLOW, WorkflowsScene } from './scene.ts'

const POD = kindRef('v1', 'Pod')
type Container = Awaited<ReturnType<Awaited<ReturnType<PodRuntime['createSandbox']>>['start']>>

/** Images in which there is nothing but the program itself, as runtimes on top of runc speak of them. */
function withoutShell(env: Env, onStart: (argv: readonly string[]) => void): PodRuntime {
  const simulated = createSimulatedRuntime({ env })
  return {
    ...simulated,
    async createSandbox(config) {
      const sandbox = await simulated.createSandbox(config)
      return {
        ips: sandbox.ips,
        resolveImage: request => sandbox.resolveImage(request),
        dial: (port, host) => sandbox.dial(port, host),
        remove: () => sandbox.remove(),
        async start(container) {
          const { argv } = container.image
          onStart(argv)
          const started = await sandbox.start(container)
          return argv[0] === '/bin/sh' ? neverRan(started, env) : started
        },
      }
    },
  }
}

const neverRan = ({ id, startedAt }: Container, env: Env): Container => ({
  id,
  startedAt,
  stdin: undefined,
  exited: Promise.resolve({
    exitCode: 128,
    isOutOfMemory: false,
    finishedAt: env.clock.now(),
    startError:
      'failed to create containerd task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown',
  }),
  kill: async () => {},
  exec: () => Promise.reject(new Error('it has ended')),
  resize: async () => {},
  usage: async () => undefined,
})

describe('a step of an image without a shell', () => {
  let scene: WorkflowsScene
  let started: string[]
  afterEach(() => scene?.close())

  const run = async (name: string, template: Record<string, unknown>, message = '') => {
    started = []
    scene = await WorkflowsScene.create({
      runtime: env => withoutShell(env, argv => void started.push(argv[0] ?? '')),
    })
    const annotations = { 'tiphys.dev/simulate': JSON.stringify({ message, log: 'printed' }) }
    const main = { name: 'main', metadata: { annotations }, container: { image: 'scratch', command: ['/app'] } }
    const templates = [{ ...main, ...template }]
    await scene.client.create({
      ...WORKFLOW,
      metadata: { name, namespace: 'default' },
      spec: { entrypoint: 'main', templates },
    })
    const over = await scene.untilOver(name)
    await scene.settled()
    return nodeNamed(over, name)
  }
  const parameter = (name: string) => ({ name, valueFrom: { path: `/tmp/${name}` } })

  it('hands its output on as the termination message, without being asked, and runs once', async () => {
    const node = await run('bare', { outputs: { parameters: [parameter('x')] } }, 'from afar')
    expect(node).toMatchObject({ phase: 'Succeeded', outputs: { parameters: [{ name: 'x', value: 'from afar' }] } })
    expect(node.message).toBeUndefined()
    expect(started).toEqual(['/bin/sh', '/app'])
    const { items } = await scene.client.list({ ...POD, namespace: 'default' })
    expect(items.map(({ metadata, spec }) => [metadata.name, spec?.containers[0]?.terminationMessagePath])).toEqual([
      ['bare', '/tmp/x'],
    ])
    expect(items[0]?.metadata.finalizers ?? []).toEqual([])
  })

  it('fails when its output may have been cut', async () => {
    const node = await run('long', { outputs: { parameters: [parameter('x')] } }, 'x'.repeat(4096))
    expect(node).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('4096 bytes or more') as string,
    })
  })

  it.each([
    ['two files', { outputs: { parameters: [parameter('x'), parameter('y')] } }, 'it has 2 output parameters'],
    ['an artifact', { outputs: { artifacts: [{ name: 'a', path: '/tmp/a' }] } }, 'its output artifact a needs sh'],
    [
      'a file beside an init container that may have done something',
      {
        outputs: { parameters: [parameter('x')] },
        initContainers: [{ name: 'before', image: 'scratch', command: ['/before'] }],
      },
      'have run already',
    ],
  ])('cannot hand on %s; it says what to write, and nothing is started twice', async (_, template, why) => {
    const node = await run('refused', template)
    expect(node.phase).toBe('Failed')
    expect(node.message).toContain('the image scratch has no /bin/sh')
    expect(node.message).toContain(why)
    expect(node.message).toContain('tiphys.dev/outputs: termination-message')
    expect(started.filter(program => program === '/bin/sh')).toHaveLength(1)
    expect(started).not.toContain('/app')
  })
})
