import { type Client, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually, TiphysFolder } from '../tiphys-folder.ts'
import type { TiphysProcess } from '../tiphys-process.ts'

// Several processes start one after the other, and a machine that does much else at once takes its time.
vi.setConfig({ testTimeout: 120_000 })

const CONFIG_MAP = kindRef<ConfigMap>('v1', 'ConfigMap')
const WORKFLOW = kindRef('argoproj.io/v1alpha1', 'Workflow')

const HELLO = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  generateName: hello-
spec:
  entrypoint: main
  arguments:
    parameters: [{ name: who, value: nobody }]
  templates:
    - name: main
      steps:
        - - { name: greet, template: say, arguments: { parameters: [{ name: text, value: "Hello {{workflow.parameters.who}}" }] } }
        - - { name: leave, template: say, arguments: { parameters: [{ name: text, value: Goodbye }] } }
    - name: say
      inputs: { parameters: [{ name: text }] }
      script:
        image: alpine
        command: [sh]
        env: [{ name: TEXT, value: "{{inputs.parameters.text}}" }]
        source: echo "$TEXT"
`
const BROKEN = HELLO.replace('echo "$TEXT"', 'echo "$TEXT"; echo it broke; exit 3').replace('hello-', 'broken-')
const WAITING = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  name: waiting
spec:
  entrypoint: main
  templates: [{ name: main, suspend: {} }]
`
const TEMPLATE = `${HELLO.replace('kind: Workflow', 'kind: WorkflowTemplate').replace('generateName: hello-', 'name: hello')}`

let folder: TiphysFolder
let running: TiphysProcess
let client: Client

beforeAll(async () => {
  folder = await TiphysFolder.make()
  await folder.tiphys('init', 'op')
  await folder.write({
    'hello.yaml': HELLO,
    'broken.yaml': BROKEN,
    'waiting.yaml': WAITING,
    'more/template.yaml': TEMPLATE,
  })
  running = await folder.start('up', 'op', '--port', '0', '--console-port', '0')
  client = await folder.client()
  await eventually('the sample', () => text('world'))
})
afterAll(() => folder.remove())

const text = async (name: string) => {
  try {
    return (await client.get({ ...CONFIG_MAP, namespace: 'default', name })).data?.text
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}
const ok = async (...args: string[]) => {
  const { code, out, err } = await folder.tiphys(...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}
const fails = async (...args: string[]) => {
  const { code, err } = await folder.tiphys(...args)
  expect(code).toBe(1)
  return err
}
const firstEvent = async () =>
  (JSON.parse((await ok('events', 'object:Greeting/default/world', '--json')).split('\n')[0] ?? '') as { id: string })
    .id
const phaseOf = async (name: string) =>
  ((await client.get<KubeObject>({ ...WORKFLOW, namespace: 'default', name })).status as { phase?: string } | undefined)
    ?.phase

describe('looking', () => {
  it('events lists, filters and shows', async () => {
    expect(await ok('events')).toMatch(/^AGE +VERDICT +SOURCE +TYPE +OBJECT +ID\n/)
    expect(await ok('events', 'source:greeting', '-type:DELETE')).toMatch(
      /ran +greeting\/greetings +ADD +Greeting default\/world +[0-9a-f]{32}\n/,
    )
    expect(await ok('events', 'source:nothing')).toBe('No event is like that.\n')
    expect(await ok('events', await firstEvent())).toMatch(
      /^trigger +greeting\/config-map ran created ConfigMap default\/world$/m,
    )
    expect(await fails('events', 'sorce:x')).toMatch(/there is no field "sorce" here, did you mean source\?/)
    expect(await fails('events', '0'.repeat(32))).toMatch(/there is no event 0{32}\. tiphys events lists them/)
  })

  it('events -f tells what comes', async () => {
    const following = folder.begin('events', '-f', '--json')
    // The first answer shows that it listens; events until then may be missed.
    let number = 0
    await eventually('an event', async () => {
      await ok('apply', await manifest(`seen-${number++}`))
      return following.out === '' ? undefined : true
    })
    expect(JSON.parse(following.out.split('\n')[0] ?? '')).toMatchObject({
      source: { name: 'greeting' },
      type: 'resource',
    })
    expect(await following.signal('SIGINT')).toMatchObject({ code: 0 })
  })

  it('trace draws what an event, an object and its effect have in common', async () => {
    const id = await firstEvent()
    const drawn = await ok('trace', id)
    expect(drawn).toContain('greeting/greetings')
    expect(drawn).toMatch(/ConfigMap default\/world/)
    expect(await ok('trace', 'Greeting/world')).toBe(drawn)
    expect(await ok('trace', 'ConfigMap/default/world')).toBe(drawn)
    expect(await fails('trace', 'Greeting/nobody')).toMatch(/nothing is recorded of Greeting nobody/)
  })

  it('explain says it in words', async () => {
    expect(await ok('explain', 'ConfigMap/world')).toMatch(/ConfigMap default\/world.*\n.*greeting-operator/s)
    expect(await fails('explain', 'ConfigMap/nobody')).toMatch(/nothing is recorded of ConfigMap nobody/)
  })
})

describe('acting', () => {
  it('apply applies once, and says what it did', async () => {
    const file = await manifest('applied')
    expect(await ok('apply', file)).toBe('Greeting default/applied created\n')
    expect(await ok('apply', file)).toBe('Greeting default/applied unchanged\n')
    expect(await eventually('its ConfigMap', () => text('applied'))).toBe('Hello, applied!')
    await folder.write({ 'bad.yaml': 'apiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: x}\nspec: {}\n' })
    expect(await fails('apply', 'bad.yaml')).toMatch(/bad\.yaml:4: Greeting .*x: .*spec\.name.*Required/)
  })

  it('fire publishes an event by hand', async () => {
    const body = { metadata: { name: 'fired', namespace: 'default', uid: '1' }, spec: { name: 'fire', greeting: 'Hi' } }
    await folder.write({ 'fired.json': JSON.stringify({ type: 'ADD', body }) })
    expect(await ok('fire', 'greeting', 'greetings', '--data', 'fired.json')).toMatch(/^event [0-9a-f]{32}\n/)
    expect(await fails('fire', 'greeting', 'nope')).toMatch(/No entry nope .* It is one of greetings/)
    expect(await fails('fire', 'greeting', 'greetings', '--data', 'gone')).toMatch(/cannot be read from gone: ENOENT/)
  })

  it('replay sends an event again', async () => {
    const id = await firstEvent()
    expect(await ok('replay', 'source:greeting', '--count')).toMatch(/^\d+ events?\n$/)
    expect(await ok('replay', id)).toMatch(/^Replay succeeded: 1 of 1/)
    expect(await ok('events', `replayof:${id}`, '--json')).toContain(`"replayOf":"${id}"`)
    expect(await fails('replay', '0'.repeat(32))).toMatch(/there is no event/)
  })

  it('retry and discard deal with what was given up', async () => {
    const role = { ...kindRef('rbac.authorization.k8s.io/v1', 'Role'), namespace: 'default', name: 'greeting-operator' }
    const { rules } = (await client.get<KubeObject>(role)) as { rules?: unknown }
    await client.patch(role, { type: 'merge', patch: { rules: (rules as object[]).slice(0, 1) } })
    await ok('apply', await manifest('parked'), await manifest('unwanted'))
    const parkedOf = async (name: string) => {
      const lines = (await ok('events', `object:Greeting/default/${name}`, 'status:parked', '--json')).split('\n')
      return lines[0] ? (JSON.parse(lines[0]) as { id: string }).id : undefined
    }
    const [parked, unwanted] = [
      await eventually('a parked one', () => parkedOf('parked')),
      await eventually('another', () => parkedOf('unwanted')),
    ]
    await client.patch(role, { type: 'merge', patch: { rules } })
    expect(await ok('discard', unwanted, '--reason', 'a test')).toMatch(/^Discard succeeded: 1 of 1/)
    expect(await ok('retry', parked)).toMatch(/^Retry succeeded: 1 of 1/)
    expect(await eventually('its ConfigMap', () => text('parked'))).toBe('Hello, parked!')
    expect(await text('unwanted')).toBeUndefined()
    expect(await fails('retry', parked)).toMatch(/no delivery of the event .* waits for a person/)
    expect((await folder.tiphys('discard', 'sensor/greeting')).err).toMatch(/discard needs --reason TEXT/)
  })
})

describe('runs', () => {
  it('are submitted, watched, read and shown', async () => {
    const out = await ok('submit', 'hello.yaml', '-p', 'who=Ada', '--watch', '--log')
    expect(out).toMatch(/^Workflow default\/hello-\w+ submitted\n/)
    expect(out).toMatch(/✔ greet/)
    expect(out).toContain('greet | Hello Ada\n')
    const [, name = ''] = /default\/(hello-\w+)/.exec(out) ?? []
    expect(await ok('runs')).toMatch(new RegExp(`^default/${name} +Succeeded +2/2 `, 'm'))
    expect(await ok('get', 'run', name)).toMatch(
      /^✔ default\/hello-\w+ {2}Succeeded 2\/2 .*\n {2}✔ hello-\w+ Steps .*\n {4}✔ greet .*\n {4}✔ leave /,
    )
    expect(await ok('logs', name)).toBe('greet | Hello Ada\nleave | Goodbye\n')
    expect(await ok('logs', name, 'leave')).toBe('Goodbye\n')
    expect(await fails('logs', name, 'nope')).toMatch(/has no step nope\. It has greet, leave/)
    expect(await fails('get', 'run', 'nobody')).toMatch(/there is no run nobody\. tiphys runs lists them/)
  })

  it('that fail end the command with 1 and show the last lines; retry tries again', async () => {
    const { code, out } = await folder.tiphys('submit', 'broken.yaml', '--watch')
    expect(code).toBe(1)
    expect(out).toMatch(/✖ greet.*\n {2}it broke\n$/s)
    const [, name = ''] = /default\/(broken-\w+)/.exec(out) ?? []
    expect(await ok('get', 'run', name)).toMatch(/the last lines of greet\n.*\n? *it broke\n/)
    expect(await ok('retry', name)).toBe(`Workflow default/${name} is tried again\n`)
    await eventually('the second failure', async () => ((await phaseOf(name)) === 'Failed' ? true : undefined))
    expect(await fails('retry', 'nobody')).toMatch(/there is no run default\/nobody in the cluster/)
  })

  it('come from templates as well, and are resubmitted', async () => {
    await ok('apply', 'more')
    const out = await ok('submit', '--from', 'workflowtemplate/hello', '-p', 'who=Grace', '--log')
    expect(out).toContain('greet | Hello Grace\n')
    const [, name = ''] = /default\/(hello-\w+)/.exec(out) ?? []
    expect(await ok('resubmit', name, '--watch')).toMatch(/✔ leave/)
    expect((await folder.tiphys('submit')).err).toMatch(/submit needs a FILE or --from KIND\/NAME/)
    expect(await fails('submit', '--from', 'WorkflowTemplate/nobody')).toMatch(/nobody/)
  })

  it('are suspended, resumed, stopped and terminated', async () => {
    await ok('submit', 'waiting.yaml')
    await eventually('it runs', async () => ((await phaseOf('waiting')) === 'Running' ? true : undefined))
    expect(await ok('suspend', 'waiting')).toBe('Workflow default/waiting is suspended\n')
    expect(await ok('resume', 'waiting')).toBe('Workflow default/waiting goes on\n')
    await eventually('its end', async () => ((await phaseOf('waiting')) === 'Succeeded' ? true : undefined))
    await ok('submit', 'waiting.yaml', '--name', 'second')
    await eventually('it runs', async () => ((await phaseOf('second')) === 'Running' ? true : undefined))
    expect(await ok('stop', 'second', '--message', 'enough')).toBe('Workflow default/second is told to stop\n')
    await eventually('its end', async () => ((await phaseOf('second')) === 'Failed' ? true : undefined))
    await ok('submit', 'waiting.yaml', '--name', 'third')
    await eventually('it runs', async () => ((await phaseOf('third')) === 'Running' ? true : undefined))
    expect(await ok('terminate', 'third')).toBe('Workflow default/third is told to end at once\n')
    await eventually('its end', async () => ((await phaseOf('third')) === 'Failed' ? true : undefined))
    expect(await fails('stop', 'nobody')).toMatch(/there is no run default\/nobody/)
  })
})

describe('when nothing runs', () => {
  it('the past is read from the files, and what needs somebody says so', async () => {
    const before = await ok('events', '--json')
    expect(await running.signal('SIGTERM')).toMatchObject({ code: 0 })
    expect(await ok('events', '--json')).toBe(before)
    expect(await ok('trace', 'Greeting/world')).toContain('ConfigMap default/world')
    expect(await fails('fire', 'greeting', 'greetings')).toMatch(
      /nothing runs on .*\.tiphys\. Start it with tiphys up DIR/,
    )
    expect(await fails('events', '--data', 'elsewhere')).toMatch(/nothing runs on .*elsewhere/)
  })
})

async function manifest(name: string): Promise<string> {
  const file = `${name}.yaml`
  await folder.write({
    [file]: `apiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: ${name}}\nspec: {name: ${name}}\n`,
  })
  return file
}
