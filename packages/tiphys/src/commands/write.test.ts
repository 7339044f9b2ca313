import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TiphysFolder } from '../tiphys-folder.ts'

// Several processes start one after the other, and a machine that does much else at once takes its time.
vi.setConfig({ testTimeout: 120_000 })

let folder: TiphysFolder
beforeEach(async () => {
  folder = await TiphysFolder.make()
  await folder.tiphys('init', 'op')
})
afterEach(() => folder.remove())

const change = async (file: string, from: string, to: string) =>
  await folder.write({ [file]: (await folder.read(file)).replace(from, to) })

describe('tiphys init', () => {
  it('says what it wrote and what to do with it', async () => {
    const { code, out } = await folder.tiphys('init', 'other')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^wrote other\/1-greeting-crd\.yaml\n.*wrote other\/README\.md\n\ntiphys up other .*\ntiphys test other /s,
    )
  })

  it('writes over nothing', async () => {
    await folder.write({ 'op/2-rbac.yaml': 'mine' })
    const { code, err } = await folder.tiphys('init', 'op')
    expect(code).toBe(1)
    expect(err).toMatch(/^error: op has 1-greeting-crd\.yaml, .* already\. Choose another folder: tiphys init DIR\n$/)
    expect(await folder.read('op/2-rbac.yaml')).toBe('mine')
  })
})

describe('tiphys lint', () => {
  it('finds nothing in what tiphys init writes', async () => {
    expect(await folder.tiphys('lint', 'op')).toEqual({ code: 0, out: '8 objects, nothing wrong\n', err: '' })
  })

  it('does not call a folder well that has no manifests', async () => {
    await folder.write({ 'empty/notes.txt': '', 'chart/Chart.yaml': 'name: x' })
    const empty = await folder.tiphys('lint', 'empty')
    expect(empty).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^error: there are no manifests in empty\. /),
    })
    const chart = await folder.tiphys('lint', 'chart')
    expect(chart).toMatchObject({ code: 1, out: expect.stringContaining('render it with helm template') })
  })

  it('names file, line and field of what the engines and the server would not take', async () => {
    await change('op/4-sensor.yaml', 'eventName: greetings', 'eventName: greetngs')
    await change('op/5-eventsource.yaml', 'eventTypes:', 'eventTypse:')
    await folder.write({ 'op/7-pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {}\n' })
    await change('op/2-rbac.yaml', 'verbs: [get, list, watch]', 'verb: [get, list, watch]')
    const { code, out } = await folder.tiphys('lint', 'op')
    expect(code).toBe(1)
    expect(out).toMatch(/^op\/4-sensor\.yaml:\d+: error: spec\.dependencies\[0\]/m)
    expect(out).toMatch(/^op\/5-eventsource\.yaml:18: error: spec\.resource\.greetings\.eventTypse: /m)
    expect(out).toMatch(/^op\/7-pod\.yaml:4: error: Pod x: spec\.containers: Required value/m)
    expect(out).toMatch(/^op\/2-rbac\.yaml:12: error: Role greeting-operator: .*verb/m)
    expect(out).toMatch(/\n\d errors, \d warnings?\n$/)
  })

  it('names every unknown field of an object, not the first alone', async () => {
    const workflow = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { generateName: hello- }
spec:
  entrypoint: main
  paralellism: 3
  templates:
    - name: main
      container: { image: busybox, comand: [echo], command: [echo] }
  timeout: 3
`
    await folder.write({ 'hello.yaml': workflow })
    const { out } = await folder.tiphys('lint', 'hello.yaml')
    expect(out.split('\n').map(line => line.replace(/.*: (?=unknown)/, ''))).toEqual([
      'unknown field spec.paralellism',
      'unknown field spec.templates[0].container.comand',
      'unknown field spec.timeout',
      '3 errors, 0 warnings',
      '',
    ])
  })

  it('checks what a definition in the same folder says of its kind', async () => {
    await change('op/6-sample.yaml', 'spec:\n  name: world', 'spec:\n  name: ""')
    const { code, out } = await folder.tiphys('lint', 'op', '--json')
    expect(code).toBe(1)
    expect(
      out
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as object),
    ).toEqual([
      {
        file: 'op/6-sample.yaml',
        line: 6,
        severity: 'error',
        message: expect.stringMatching(/^Greeting world: .*spec\.name/),
      },
    ])
  })

  it('finds what a run would stumble over', async () => {
    const template = `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: { name: greet }
spec:
  templates:
    - name: main
      steps: [[{ name: say, template: sya }]]
`
    const sensor = `apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: { name: starter }
spec:
  dependencies: [{ name: greeting, eventSourceName: greetings, eventName: greetings }]
  triggers:
    - template:
        name: start
        argoWorkflow:
          operation: submit
          source:
            resource:
              apiVersion: argoproj.io/v1alpha1
              kind: Workflow
              metadata: { generateName: greet- }
              spec:
                entrypoint: mian
                entrypiont: main
                templates: [{ name: main, suspend: {} }]
`
    await folder.write({ 'op/7-template.yaml': template, 'op/8-sensor.yaml': sensor })
    const { code, out } = await folder.tiphys('lint', 'op')
    expect(code).toBe(1)
    expect(out).toMatch(/^op\/7-template\.yaml:7: error: spec\.templates\[0\]\.steps\[0\]\[0\].*sya/m)
    expect(out).toMatch(/^op\/8-sensor\.yaml:17: error: .*\.source\.resource\.spec\.entrypoint: .*mian/m)
    expect(out).toMatch(/^op\/8-sensor\.yaml:18: error: .*entrypiont/m)
  })

  it('warns once of a value that becomes a part of a program, and shows how it stays data', async () => {
    const templates = `
  - name: main
    inputs: { parameters: [{ name: text }] }
    container: { image: alpine, command: [sh, -c], args: ['echo "{{inputs.parameters.text}}"'] }
`
    const form = /write env: \[\{ name: TEXT, value: "\{\{inputs\.parameters\.text\}\}" \}\] and use "\$TEXT" here/
    await folder.write({
      'op/7-template.yaml': `apiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nmetadata: { name: echo }\nspec:\n  templates:${templates.replaceAll('\n  ', '\n    ')}`,
    })
    const { code, out } = await folder.tiphys('lint', 'op')
    const [finding = '', ...more] = out.trim().split('\n')
    expect({ code, more }).toEqual({ code: 0, more: ['0 errors, 1 warning'] })
    expect(finding).toMatch(/^op\/7-template\.yaml:8: warning: spec\.templates\[0\]\.container\.args\[0\]: /)
    expect(finding).toMatch(form)
  })

  it('says where a file stops being YAML', async () => {
    await folder.write({ 'op/6-sample.yaml': 'apiVersion: v1\nkind: {\n' })
    const { code, out } = await folder.tiphys('lint', 'op')
    expect(code).toBe(1)
    expect(out).toMatch(/^op\/6-sample\.yaml:\d: error: /)
  })
})

describe('tiphys test', () => {
  it('runs the tests that tiphys init writes', async () => {
    const { code, out } = await folder.tiphys('test', 'op')
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^op\/greeting\.test\.ts\n {2}✔ a greeting becomes a config map {2}\d+ ms\n(?: {2}✔ .*\n){2}\n3 passed {2}\d+ ms\n$/,
      ),
    })
  })

  it('shows what went wrong in the cluster of a test that failed', async () => {
    await change('op/2-rbac.yaml', 'verbs: [get, create, patch]', 'verbs: [get]')
    const { code, out } = await folder.tiphys('test', 'op')
    expect(code).toBe(1)
    expect(out).toMatch(
      /^ {2}✖ a greeting becomes a config map {2}\d+ ms\n {4}Expected values to be strictly deep-equal:$/m,
    )
    expect(out).toMatch(/^ {4}at op\/greeting\.test\.ts:18:10$/m)
    expect(out).toMatch(/\n2 failed, 1 passed {2}\d+ ms\n$/)
    expect(out).not.toMatch(/SourceMissing|node:internal/)
    expect(out).toMatch(/What went wrong in the cluster of this file:/)
    expect(out).toMatch(
      /event +greeting\/greetings ADD Greeting default\/ada\n.*✖ trigger +greeting\/config-map failed.*cannot patch resource/,
    )
  })

  it('says so when there is nothing to run', async () => {
    await folder.write({ 'empty/x.yaml': '' })
    const { code, err } = await folder.tiphys('test', 'empty')
    expect(code).toBe(1)
    expect(err).toMatch(/^error: there is no test in empty\. Tests are files called NAME\.test\.ts/)
  })
})
