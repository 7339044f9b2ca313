import { kindRef } from '@tiphys/kube'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WORKFLOW, WorkflowsScene } from './scene.ts'

vi.setConfig({ testTimeout: 300_000 })

const isFull = process.env.TIPHYS_FULL !== undefined
const NODES = isFull ? 1000 : 200
const RUNS = isFull ? 1000 : 100

const STEP = { name: 'step', container: { image: 'alpine', command: ['true'] } }

describe('many steps and many runs', () => {
  let scene: WorkflowsScene
  afterEach(() => scene?.close())

  it(`finishes a dag of ${NODES} tasks`, async () => {
    scene = await WorkflowsScene.create({ nodes: 20 })
    const tasks = Array.from({ length: NODES }, (_, index) => ({
      name: `t${index}`,
      template: 'step',
      ...(index >= 10 && { dependencies: [`t${index - 10}`, `t${Math.floor(index / 2)}`] }),
    }))
    const started = performance.now()
    await scene.client.create({
      ...WORKFLOW,
      metadata: { name: 'wide', namespace: 'default' },
      spec: { entrypoint: 'main', templates: [{ name: 'main', dag: { tasks } }, STEP] },
    })
    const { status } = await scene.untilOver('wide')
    if (isFull) console.log(`${NODES} tasks: ${Math.round(performance.now() - started)} ms`)
    expect(status).toMatchObject({ phase: 'Succeeded', progress: `${NODES}/${NODES}` })
    const { items } = await scene.client.list({ ...kindRef('v1', 'Pod'), namespace: 'default' })
    expect(items).toHaveLength(NODES)
  })

  it(`finishes ${RUNS} runs of three steps at once`, async () => {
    scene = await WorkflowsScene.create({ nodes: 20 })
    const spec = {
      entrypoint: 'main',
      templates: [{ name: 'main', steps: ['a', 'b', 'c'].map(name => [{ name, template: 'step' }]) }, STEP],
    }
    const started = performance.now()
    const names = Array.from({ length: RUNS }, (_, index) => `run-${index}`)
    const isDone = Promise.all(names.map(name => scene.untilOver(name)))
    await Promise.all(
      names.map(name => scene.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec })),
    )
    const runs = await isDone
    if (isFull) console.log(`${RUNS} runs: ${Math.round(performance.now() - started)} ms`)
    expect(runs.filter(({ status }) => status?.phase === 'Succeeded')).toHaveLength(RUNS)
  })
})
