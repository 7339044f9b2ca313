import { seededRandom } from '@tiphys/env'
import { type Client, kindRef } from '@tiphys/kube'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { eventually, TiphysFolder } from '../tiphys-folder.ts'
import { type RunObject, WORKFLOW } from '../workflows/scene.ts'

vi.setConfig({ testTimeout: 120_000 })

let folder: TiphysFolder
let client: Client
beforeEach(async () => {
  folder = await TiphysFolder.make()
  await folder.start('up', '--port', '0', '--console-port', '0', '--runtime', 'simulated')
  client = await folder.client()
})
afterEach(() => folder.remove())

const untilFailed = (name: string) =>
  eventually(`${name} to fail`, async () => {
    const run = await client.get<RunObject>({ ...WORKFLOW, namespace: 'default', name })
    return run.status?.phase === 'Failed' ? run : undefined
  })

const failedPods = async () => {
  const selection = { ...kindRef('v1', 'Pod'), namespace: 'default', fieldSelector: 'status.phase=Failed' }
  return (await client.list(selection)).items.map(({ metadata }) => metadata.uid)
}

const pretending = (simulation: object) => ({
  metadata: { annotations: { 'tiphys.dev/simulate': JSON.stringify(simulation) } },
  container: { image: 'alpine', command: ['true'] },
})

it('a run whose steps are in the artifact store is retried and resubmitted by the instance that has it', async () => {
  const random = seededRandom(7)
  const text = () => Buffer.from(random.bytes(2400)).toString('base64').replaceAll(/[+/]/g, '_')
  const items = JSON.stringify(Array.from({ length: 60 }, text))
  // Each node has its item in its name.
  const loops = Array.from({ length: 8 }, (_, index) => ({
    name: `loop${index}`,
    template: 'never',
    when: '1 == 2',
    withParam: '{{steps.list.outputs.result}}',
  }))
  await client.create({
    ...WORKFLOW,
    metadata: { name: 'many', namespace: 'default' },
    spec: {
      entrypoint: 'main',
      templates: [
        { name: 'main', steps: [[{ name: 'list', template: 'list' }], loops, [{ name: 'last', template: 'fail' }]] },
        { name: 'never', suspend: {} },
        { name: 'list', ...pretending({ log: items }) },
        { name: 'fail', ...pretending({ exitCode: 1 }) },
      ],
    },
  })
  const { status } = await untilFailed('many')
  expect(status).toMatchObject({ offloadNodeStatusVersion: expect.any(String) as string })
  expect(status?.nodes).toBeUndefined()

  const before = await failedPods()
  const elsewhere = await folder.tiphys('retry', 'many', '--kubeconfig', '.tiphys/kubeconfig')
  expect(elsewhere.code).toBe(1)
  expect(elsewhere.err).toMatch(/are in the artifact store.*Call it without --kubeconfig.*tiphys resubmit many/)

  expect(await folder.tiphys('retry', 'many')).toMatchObject({
    code: 0,
    out: 'Workflow default/many is tried again\n',
  })
  await untilFailed('many')
  const after = await failedPods()
  expect([before.length, after.length]).toEqual([1, 1])
  expect(after).not.toEqual(before)

  const again = await folder.tiphys('resubmit', 'many', '--memoized', '--json')
  expect(again.code).toBe(0)
  const { name } = JSON.parse(again.out) as { name: string }
  expect((await untilFailed(name)).status).toMatchObject({ offloadNodeStatusVersion: expect.any(String) as string })
})
