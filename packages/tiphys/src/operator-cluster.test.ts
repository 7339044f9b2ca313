import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from './machine.ts'
import { starterFiles } from './starter.ts'
import { kindRef, type OperatorCluster, testCluster } from './testing.ts'

// Several processes start one after the other, and a machine that does much else at once takes its time.
vi.setConfig({ testTimeout: 120_000 })

const GREETING = kindRef('example.com/v1', 'Greeting')
const CONFIG_MAP = kindRef('v1', 'ConfigMap')

let folder: string
let cluster: OperatorCluster | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-operator-'))
  for (const [name, text] of Object.entries(starterFiles())) await writeFile(join(folder, name), text)
})
afterEach(async () => {
  await cluster?.close()
  cluster = undefined
  await rm(folder, { recursive: true })
})

describe('a test cluster with an operator', () => {
  it('has handled the sample when it is there', async () => {
    cluster = await testCluster({ manifests: folder })
    expect(await cluster.get({ ...CONFIG_MAP, name: 'world' })).toMatchObject({ data: { text: 'Hello, world!' } })
  })

  it('settles after what is applied and deleted', async () => {
    cluster = await testCluster({ manifests: folder })
    const greeting = { ...GREETING, metadata: { name: 'ada' }, spec: { name: 'Ada' } }
    await cluster.apply(greeting)
    expect(await cluster.get({ ...CONFIG_MAP, name: 'ada' })).toMatchObject({ data: { text: 'Hello, Ada!' } })
    await cluster.apply('apiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: ada}\nspec: {name: Grace}\n')
    expect(await cluster.get({ ...CONFIG_MAP, name: 'ada' })).toMatchObject({ data: { text: 'Hello, Grace!' } })
    await cluster.delete({ ...GREETING, name: 'ada' })
    expect(await cluster.get({ ...CONFIG_MAP, name: 'ada' })).toBeUndefined()
  })

  it('tells what every event set off', async () => {
    cluster = await testCluster({ manifests: folder })
    const trace = cluster.trace()
    expect(trace).toMatch(/^event [0-9a-f]{32}$/m)
    expect(trace).toMatch(/event +greeting\/greetings ADD Greeting default\/world/)
    expect(trace).toMatch(/trigger +greeting\/config-map created ConfigMap default\/world/)
    const [event] = cluster.records.filter(({ kind }) => kind === 'event')
    expect(cluster.trace(event?.trace)).toBe(trace.slice(trace.indexOf(`event ${event?.trace}`)).split('\nevent ')[0])
  })

  it('tells why nothing came of an event', async () => {
    const rbac = starterFiles()['2-rbac.yaml']?.replace('verbs: [get, create, patch]', 'verbs: [get]') ?? ''
    await writeFile(join(folder, '2-rbac.yaml'), rbac)
    cluster = await testCluster({ manifests: folder })
    expect(await cluster.get({ ...CONFIG_MAP, name: 'world' })).toBeUndefined()
    expect(cluster.trace()).toMatch(/✖ trigger +greeting\/config-map failed \(attempt 1\): .*greeting-operator/)
  })

  it('names the place in a manifest that cannot be used', async () => {
    await writeFile(
      join(folder, '6-sample.yaml'),
      'apiVersion: example.com/v1\nkind: Greeting\nmetadata:\n  name: x\nspec:\n  nam: y\n',
    )
    await expect(testCluster({ manifests: folder })).rejects.toThrow(
      /6-sample\.yaml:6: Greeting x: unknown field spec\.nam/,
    )
  })
})

const processes = whyNoNamespaces()
describe(`a test cluster whose pods are processes${processes}`, () => {
  it.skipIf(processes !== '')('waits for what steps do, and counts what they print', async () => {
    await writeFile(join(folder, '7-workflow.yaml'), SHOUT)
    cluster = await testCluster({ manifests: folder, runtime: 'process' })
    const run = await cluster.get({ ...kindRef('argoproj.io/v1alpha1', 'Workflow'), name: 'shout' })
    expect(run?.status).toMatchObject({ phase: 'Succeeded' })
    expect(JSON.stringify(run?.status)).toContain('"parameters":[{"name":"loud","value":"HELLO"}]')
  })
})

const SHOUT = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: shout }
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - { name: shout, template: shout }
        - - name: check
            template: check
            arguments: { parameters: [{ name: loud, value: "{{steps.shout.outputs.result}}" }] }
    - name: shout
      script: { image: alpine, command: [sh], source: "sleep 0.3; echo hello | tr a-z A-Z" }
    - name: check
      inputs: { parameters: [{ name: loud }] }
      script: { image: alpine, command: [sh], env: [{ name: LOUD, value: "{{inputs.parameters.loud}}" }], source: 'test "$LOUD" = HELLO' }
`
