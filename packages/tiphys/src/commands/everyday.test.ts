import { spawnSync } from 'node:child_process'
import { type Client, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually, TiphysFolder } from '../tiphys-folder.ts'
import { builtCommand, type TiphysProcess } from '../tiphys-process.ts'

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
const HALF = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  name: half
spec:
  entrypoint: main
  templates:
    - name: main
      dag: { tasks: [{ name: bad, template: bad }, { name: gate, template: gate }] }
    - { name: bad, container: { image: alpine, command: [sh, -c, "echo it broke; exit 3"] } }
    - { name: gate, suspend: {} }
`
const WRITING = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  name: writing
spec:
  entrypoint: main
  serviceAccountName: greeting-operator
  templates:
    - name: main
      resource:
        action: apply
        manifest: '{ apiVersion: v1, kind: ConfigMap, metadata: { name: by-hand }, data: { text: hello } }'
`
const TEMPLATE = `${HELLO.replace('kind: Workflow', 'kind: WorkflowTemplate').replace('generateName: hello-', 'name: hello')}`

let folder: TiphysFolder
let running: TiphysProcess
let client: Client
/** Of objects that are made to be seen. */
let number = 0

beforeAll(async () => {
  folder = await TiphysFolder.make()
  await folder.tiphys('init', 'op')
  await folder.write({
    'hello.yaml': HELLO,
    'broken.yaml': BROKEN,
    'waiting.yaml': WAITING,
    'half.yaml': HALF,
    'writing.yaml': WRITING,
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
    const following = await followEvents()
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
    expect(await ok('trace', id.slice(0, 12))).toBe(drawn)
    expect(await ok('events', id.slice(0, 12))).toContain(`tiphys trace ${id} shows what it set off`)
    expect(await ok('trace', 'Greeting/world')).toBe(drawn)
    expect(await ok('trace', 'greeting/world')).toBe(drawn)
    expect(await ok('trace', 'ConfigMap/default/world')).toBe(drawn)
    expect(await fails('trace', 'Greeting/nobody')).toMatch(/nothing is recorded of Greeting nobody/)
  })

  it('trace draws the run that made an object, where no event led to it', async () => {
    await ok('submit', 'writing.yaml', '--watch')
    const drawn = await ok('trace', 'ConfigMap/by-hand')
    expect(drawn).toMatch(/^no event: somebody started it\n.*run default\/writing .*apply ConfigMap default\/by-hand/s)
    expect(await ok('trace', 'writing')).toBe(drawn)
  })

  it('explain says it in words', async () => {
    const said = await ok('explain', 'ConfigMap/world')
    expect(said).toMatch(/ConfigMap default\/world.*\n.*greeting-operator/s)
    expect(await ok('explain', 'configmap/default/world')).toMatch(/^ConfigMap default\/world/)
    expect(await fails('explain', 'ConfigMap/nobody')).toMatch(/nothing is recorded of ConfigMap nobody/)
    const isThere = /of that name there are: .*ConfigMap default\/world/
    expect(await fails('explain', 'cm/world')).toMatch(isThere)
    expect(await fails('explain', 'ConfigMap/world', '-n', 'elsewhere')).toMatch(isThere)
    expect(await fails('explain', 'Greeting/nobody')).toMatch(/the newest of that kind: Greeting default\//)
    expect(await fails('explain', 'Pod/nobody')).toMatch(/\(Deployment\/web\)\n$/)
  })
})

describe('moving the history', () => {
  it('export prints it, and import takes it elsewhere, once', async () => {
    const all = await folder.tiphys('export')
    const lines = all.out.trim().split('\n')
    expect(all).toMatchObject({ code: 0, err: `${lines.length} records\n` })
    const id = await firstEvent()
    const some = (await folder.tiphys('export', `id:${id}`)).out
    expect(some.split('\n').length).toBeLessThan(lines.length)
    await folder.write({ 'all.jsonl': all.out, 'some.jsonl': some, 'bad.jsonl': `${lines[0]}\nno record\n` })
    const there = ['--data', 'colleague']
    expect(await ok('import', 'some.jsonl', ...there)).toMatch(/^\d+ records were taken\n$/)
    expect(await ok('trace', id, ...there)).toBe(await ok('trace', id))
    expect(JSON.parse(await ok('import', 'some.jsonl', ...there, '--json'))).toMatchObject({ records: 0 })
    expect(await ok('import', 'all.jsonl')).toMatch(/^0 records were taken, \d+ were there already\n$/)
    expect(await fails('import', 'bad.jsonl')).toMatch(/Line 2 /)
    expect(await fails('import', 'gone.jsonl')).toMatch(/gone\.jsonl cannot be read: ENOENT.*tiphys export/)
    expect(await fails('import', 'gone.jsonl', ...there)).toMatch(/gone\.jsonl cannot be read: ENOENT/)
  })
})

describe('acting', () => {
  it('apply applies once, and says what it did', async () => {
    const file = await manifest('applied')
    expect(await ok('apply', file)).toBe('Greeting default/applied created\n')
    expect(await ok('apply', file)).toBe('Greeting default/applied unchanged\n')
    expect(await eventually('its ConfigMap', () => text('applied'))).toBe('Hello, applied!')
    await folder.write({ 'bad.yaml': 'apiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: x}\nspec: {}\n' })
    await folder.write({ 'empty/notes.txt': '' })
    expect(await fails('apply', 'empty')).toMatch(/^error: there are no manifests in empty\. /)
    expect(await fails('apply', 'bad.yaml')).toMatch(/bad\.yaml:4: Greeting .*x: .*spec\.name.*Required/)
  })

  it('fire publishes an event by hand', async () => {
    const body = { metadata: { name: 'fired', namespace: 'default', uid: '1' }, spec: { name: 'fire', greeting: 'Hi' } }
    await folder.write({ 'fired.json': JSON.stringify({ type: 'ADD', body }) })
    expect(await ok('fire', 'greeting', 'greetings', '--data', 'fired.json')).toMatch(/^event [0-9a-f]{32}\n/)
    await folder.write({ 'long.yaml': `type: ADD\nbody: ${JSON.stringify(body)}\nnumber: 9007199254740993\n` })
    const { id } = JSON.parse(await ok('fire', 'greeting', 'greetings', '--data', 'long.yaml', '--json'))
    expect((await folder.tiphys('export', `id:${id}`)).out).toContain('"number":9007199254740993')
    expect(await fails('fire', 'greeting', 'nope')).toMatch(/No entry nope .* It is one of greetings/)
    expect(await fails('fire', 'greeting', 'greetings', '--data', 'gone')).toMatch(/cannot be read from gone: ENOENT/)
  })

  it('replay sends an event again', async () => {
    const id = await firstEvent()
    expect(await ok('replay', 'source:greeting', '--count')).toMatch(/^\d+ events?\n$/)
    expect(await ok('replay', 'source:nothing', '--count', '--json')).toBe('{"count":0}\n')
    expect(await ok('replay', 'source:greeting', '-n', 'elsewhere')).toBe(
      'No event is like that: nothing to send again.\n',
    )
    expect(await ok('replay', id.slice(0, 20))).toMatch(/^Replay succeeded: 1 of 1/)
    expect(await ok('events', `replayof:${id}`, '--json')).toContain(`"replayOf":"${id}"`)
    expect(await fails('replay', '0'.repeat(32))).toMatch(/there is no event/)
    const counted = async (...args: string[]) =>
      (JSON.parse(await ok('replay', 'source:greeting', '--count', '--json', ...args)) as { count: number }).count
    expect(await counted('--mode', 'without-run')).toBe(await counted())
    expect(await counted('--mode', 'failed')).toBe(0)
    // What was sent again is not sent again with what it repeats.
    const before = await counted()
    expect(await ok('replay', 'source:greeting', '--rate', '1000')).toContain(`${before} of ${before}`)
    expect(await counted()).toBe(before)
    expect(await folder.tiphys('replay', id, '--mode', 'failed')).toMatchObject({ code: 2 })
    expect(await fails('replay', id, '--sensor', 'nobody')).toMatch(/there is no Sensor default\/nobody/)
    expect(await fails('replay', id, '--sensor', 'greeting', '--trigger', 'x')).toMatch(
      /no trigger x\. It has config-map/,
    )
    expect(await folder.tiphys('replay', id, '--trigger', 'x')).toMatchObject({ code: 2 })
    expect(await folder.tiphys('replay', '', '--count')).toMatchObject({
      code: 2,
      err: expect.stringContaining('neither events nor a query'),
    })
    // What only the history has: an event of another instance.
    const foreign = 'f'.repeat(32)
    const { out } = await folder.tiphys('export', `id:${id}`)
    await folder.write({ 'foreign.jsonl': out.replaceAll(id, foreign) })
    await ok('import', 'foreign.jsonl')
    expect(await ok('replay', foreign, id, id)).toBe('Replay succeeded: 2 of 2: 2 events were sent again\n')
    expect(await ok('events', `replayof:${foreign}`, '--json')).toContain(`"replayOf":"${foreign}"`)
    // One that its own source had ended was on no bus.
    const ended = 'd'.repeat(32)
    const line = out.split('\n').find(text => text.includes('"kind":"event"')) ?? ''
    await folder.write({
      'ended.jsonl': line.replaceAll(id, ended).replace('"kind":"event"', '"kind":"event","isEnded":true'),
    })
    await ok('import', 'ended.jsonl')
    expect(await ok('events', ended)).not.toContain('replay')
    expect(await fails('replay', ended)).toMatch(/was on no bus: the filter of its own source ended it.*tiphys fire/s)
    // Of one of them the history does not have all.
    const masked = 'e'.repeat(32)
    await folder.write({
      'masked.jsonl': out.replaceAll(id, masked).replaceAll(/"spec":\{[^}]*\}/g, '"spec":"(masked)"'),
    })
    await ok('import', 'masked.jsonl')
    // Whoever asks before is told so before, and nothing is sent.
    expect(await ok('replay', masked, id, '--count')).toMatch(
      /^2 events: 1 event would be sent, 1 would not: e{32}: .*masked/,
    )
    expect(JSON.parse(await ok('replay', masked, '--count', '--json'))).toMatchObject({ count: 1, refused: 1 })
    expect(await ok('events', `replayof:${masked}`)).toBe('No event is like that.\n')
    const { code, out: said } = await folder.tiphys('replay', masked, id)
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringMatching(/^Replay failed: 1 of 2: 1 event was sent again, 1 was not: e{32}: .*masked/),
    })
  })

  it('replay goes on when nobody waits for it any more, until it is deleted, and says so', async () => {
    const id = await firstEvent()
    const events = Array.from({ length: 300 }, () => id)
    const ref = { apiVersion: 'tiphys.dev/v1alpha1', kind: 'Replay', namespace: 'default' }
    const { out } = await folder.tiphys('export', `id:${id}`)
    const [line = ''] = out.split('\n').filter(one => one.includes('"kind":"event"'))
    // About another object: whether a Replay sends any of them before it is deleted must not decide which is the newest of
    // the sample's.
    const other = line.replaceAll('world', 'many')
    const many = events.map((_, i) => other.replaceAll(id, `d${i.toString(16).padStart(31, '0')}`))
    await folder.write({ 'many.jsonl': many.join('\n') })
    await ok('import', 'many.jsonl')
    const client = await folder.client()
    const replaysUnderWay = async () => {
      const { items } = await client.list<KubeObject>(ref)
      return items.filter(({ status }) => (status as { phase?: string } | undefined)?.phase === 'Running')
    }
    const waiting = folder.begin('replay', 'id:d00000*', '--rate', '1')
    const [under] = await eventually('the Replay', async () => {
      const found = await replaysUnderWay()
      return found.length > 0 ? found : undefined
    })
    const name = under?.metadata.name ?? ''
    expect(await waiting.signal('SIGINT')).toEqual({
      code: 130,
      out: expect.stringMatching(/^Replay running: \d+ of 300\n$/),
      err: `note: 300 events, 1 in a second, take 5m00s; --rate changes that\nIt goes on without this command; kubectl delete replay ${name} -n default ends it\n`,
    })
    await client.delete({ ...ref, name })
    const again = folder.begin('replay', 'id:d00000*', '--rate', '1')
    const [second] = await eventually('the other Replay', async () => {
      const found = await replaysUnderWay()
      return found.length > 0 ? found : undefined
    })
    await client.delete({ ...ref, name: second?.metadata.name ?? '' })
    expect(await again.ended).toMatchObject({ code: 1, out: expect.stringMatching(/^Replay deleted: \d+ of \d+: /) })
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
    expect(await folder.tiphys('retry', parked, '-p', 'a=b')).toMatchObject({
      code: 2,
      err: `error: --parameter is of runs, and ${parked} is none. Leave it out\n`,
    })
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
    expect(await fails('get', 'run', 'nobody')).toMatch(/there is no run nobody\. tiphys runs lists them\n/)
    expect(await fails('get', 'run', 'hello')).toMatch(/the newest that begin so: default\/hello-\w+/)
  })

  it('that fail end the command with 1 and show the last lines; retry tries again', async () => {
    const { code, out } = await folder.tiphys('submit', 'broken.yaml', '--watch')
    expect(code).toBe(1)
    expect(out).toMatch(/✖ greet.*\n {2}it broke\n$/s)
    const [, name = ''] = /default\/(broken-\w+)/.exec(out) ?? []
    expect(await ok('get', 'run', name)).toMatch(/the last lines of greet\n.*\n? *it broke\n/)
    const again = await folder.tiphys('retry', name, '--node', 'greet', '-p', 'whom=Ada', '--watch')
    expect(again).toMatchObject({ code: 1, err: 'note: the workflow has no parameter "whom", did you mean who?\n' })
    expect(again.out).toMatch(/^Workflow default\/broken-\w+ is tried again\n.*✖ greet.* {2}it broke\n$/s)
    const twice = ['Hello nobody', 'it broke', '', '[tiphys] attempt 2 of the run', 'Hello nobody', 'it broke']
    expect(await ok('logs', name, 'greet')).toBe(`${twice.join('\n')}\n`)
    const lines = (await ok('logs', '-f', name, '--json')).trim().split('\n')
    expect(lines.map(line => JSON.parse(line) as { attempt: number; line: string })).toEqual(
      twice.map((line, i) => ({
        step: 'greet',
        container: 'main',
        attempt: i < 3 ? 1 : 2,
        line,
        ...(i === 3 && { isNote: true }),
      })),
    )
    expect(await fails('retry', name, '--node', 'gret')).toMatch(/has no step gret\. It has .*greet/)
    expect((await folder.tiphys('retry', name, '--restart-successful')).err).toMatch(/needs --node STEP/)
    expect(await fails('retry', 'nobody')).toMatch(/there is no run default\/nobody in the cluster/)
  })

  it('tell whose lines they print from the first step on', async () => {
    await folder.write({
      'slow.yaml': HELLO.replace('echo "$TEXT"', 'echo "$TEXT"; sleep 1').replace('hello-', 'slow-'),
    })
    expect((await ok('submit', 'slow.yaml', '--log')).split('\n').slice(1)).toEqual([
      'greet | Hello nobody',
      'leave | Goodbye',
      '',
    ])
  })

  it('whose watcher is interrupted go on, and JSON stays JSON', async () => {
    const watching = folder.begin('submit', 'waiting.yaml', '--name', 'watched', '--watch', '--json')
    await eventually('it waits', () => /waits: tiphys resume default\/watched/.test(watching.err) || undefined)
    expect(await watching.signal('SIGINT')).toMatchObject({ code: 130 })
    expect(JSON.parse(watching.out)).toMatchObject({ namespace: 'default', name: 'watched' })
    expect(watching.err).toMatch(
      /The run goes on: tiphys get run default\/watched shows it, tiphys stop default\/watched ends it\n$/,
    )
    expect(await ok('get', 'run', 'watched')).toMatch(/waits: tiphys resume default\/watched$/m)
    expect(await fails('submit', 'waiting.yaml', '--name', 'watched')).toMatch(
      /there is a run watched already\. .* tiphys delete watched/,
    )
    const reading = folder.begin('logs', '-f', 'watched')
    expect(await ok('delete', 'watched')).toMatch(/^Workflow default\/watched is deleted/)
    expect(await reading.ended).toMatchObject({ code: 0, out: '' })
    expect(await ok('get', 'run', 'watched')).toMatch(/Failed .*the Workflow was deleted before it ended/)
    expect(await fails('delete', 'watched')).toMatch(
      /the run default\/watched is not in the cluster any more: it was deleted/,
    )
  })

  it('come from templates as well, and are resubmitted', async () => {
    await ok('apply', 'more')
    const out = await ok('submit', '--from', 'workflowtemplate/hello', '-p', 'who=Grace', '--log')
    expect(out).toContain('greet | Hello Grace\n')
    const [, name = ''] = /default\/(hello-\w+)/.exec(out) ?? []
    expect(await ok('resubmit', name, '--watch')).toMatch(/✔ leave/)
    expect(await fails('retry', name)).toMatch(
      /cannot be retried\. Name the step .* or start all of it with tiphys resubmit/,
    )
    expect(await ok('retry', name, '--node', 'leave', '--watch')).toMatch(/✔ leave/)
    expect((await folder.tiphys('submit')).err).toMatch(/submit needs a FILE or --from KIND\/NAME/)
    expect((await folder.tiphys('submit', 'hello.yaml', '--from', 'a/b')).err).toMatch(/not both/)
    expect(await fails('submit', '--from', 'WorkflowTemplate/nobody')).toMatch(
      /there is no WorkflowTemplate default\/nobody in the cluster\. Apply it with tiphys apply/,
    )
  })

  it('that the engine would refuse are refused when they are submitted, with file and line, and none is made', async () => {
    const before = await ok('runs', '--json', '--limit', '1000')
    await folder.write({
      'wrong.yaml': `${HELLO}---\n${HELLO.replace('template: say, arg', 'template: sey, arg')}`,
      'needs.yaml': TEMPLATE.replace('name: hello', 'name: needs').replace(', value: nobody', ''),
    })
    expect(await fails('submit', 'wrong.yaml')).toBe(
      'error: wrong.yaml:33: spec.templates[0].steps[0][0]: template sey is not in spec.templates. Correct it and try again\n',
    )
    expect((await folder.tiphys('submit', 'wrong.yaml', '--name', 'both')).err).toMatch(
      /^error: --name is the name of one run, and wrong\.yaml has 2 Workflows/,
    )
    await ok('apply', 'needs.yaml')
    expect(await fails('submit', '--from', 'WorkflowTemplate/needs', '-p', 'whom=Ada')).toMatch(
      /^note: the workflow has no parameter "whom", did you mean who\?\nerror: WorkflowTemplate default\/needs cannot be started: .*the parameter who has no value.* Give its parameters with -p NAME=VALUE/,
    )
    expect(await ok('runs', '--json', '--limit', '1000')).toBe(before)
  })

  it('that fail say why behind their lines', async () => {
    const { code, out, err } = await folder.tiphys('submit', 'broken.yaml', '--log')
    expect(code).toBe(1)
    expect(out).toMatch(/^it broke\n$/m)
    expect(err).toMatch(/^Workflow default\/broken-\w+ failed: .*exit code 3\)\n$/)
    const watched = await folder.tiphys('submit', 'broken.yaml', '--watch', '--log')
    expect(watched).toMatchObject({ code: 1, err: expect.stringMatching(/ failed: .*exit code 3\)\n$/) })
    expect(watched.out).toMatch(/\n\nthe last lines of greet\n {2}Hello nobody\n {2}it broke\n$/)
  })

  it('that have failed in part are not to be tried again before they are over', async () => {
    await ok('submit', 'half.yaml')
    const shown = () => ok('get', 'run', 'half')
    const half = await eventually('a failed step', async () => /^.*it broke\n[^]*/m.exec(await shown())?.[0])
    expect(half).toMatch(/tiphys logs default\/half shows all$/m)
    await ok('resume', 'half')
    await eventually('its end', async () => ((await phaseOf('half')) === 'Failed' ? true : undefined))
    expect(await shown()).toMatch(/shows all; tiphys retry default\/half starts the failed steps again$/m)
  })

  it('are suspended, resumed, stopped and terminated', async () => {
    await ok('submit', 'waiting.yaml')
    await eventually('it runs', async () => ((await phaseOf('waiting')) === 'Running' ? true : undefined))
    expect(await ok('suspend', 'waiting')).toBe('Workflow default/waiting is suspended\n')
    expect(await ok('get', 'run', 'waiting')).toMatch(
      /^◷ default\/waiting {2}Suspended .* waits: tiphys resume default\/waiting$/m,
    )
    expect(await ok('resume', 'waiting')).toBe('Workflow default/waiting goes on\n')
    await eventually('its end', async () => ((await phaseOf('waiting')) === 'Succeeded' ? true : undefined))
    await ok('submit', 'waiting.yaml', '--name', 'second')
    await eventually('it runs', async () => ((await phaseOf('second')) === 'Running' ? true : undefined))
    expect(await ok('stop', 'second', '--message', 'enough')).toBe('Workflow default/second is told to stop\n')
    await eventually('its end', async () => ((await phaseOf('second')) === 'Failed' ? true : undefined))
    expect(await ok('get', 'run', 'second')).toMatch(/^✖ default\/second .* Stopped with strategy 'Stop': enough$/m)
    await ok('submit', 'waiting.yaml', '--name', 'third')
    await eventually('it runs', async () => ((await phaseOf('third')) === 'Running' ? true : undefined))
    expect(await ok('terminate', 'third')).toBe('Workflow default/third is told to end at once\n')
    await eventually('its end', async () => ((await phaseOf('third')) === 'Failed' ? true : undefined))
    expect(await fails('stop', 'nobody')).toMatch(/there is no run default\/nobody/)
    expect(await fails('stop', 'thi')).toMatch(/there is no run default\/thi .*begin so: default\/third; -n names/)
    expect(await fails('resume', 'third', '-n', 'elsewhere')).toMatch(/elsewhere\/third .*begin so: default\/third; -n/)
  })
})

describe('when it does not answer', () => {
  it('the past is read from the files, and nobody says that nothing runs', async () => {
    const before = await ok('events', '--json', '--limit', '1000')
    process.kill(running.pid, 'SIGSTOP')
    try {
      const silent = `tiphys up runs on ${folder.path}/.tiphys (process ${running.pid}) and does not answer`
      expect(await fails('stop', 'waiting')).toContain(`error: ${silent}`)
      expect(await fails('up', '--port', '0')).toContain(`error: ${silent}`)
      const { out, err } = await folder.tiphys('events', '--json', '--limit', '1000')
      expect(out).toBe(before)
      expect(err).toContain(`note: tiphys up (process ${running.pid}) does not answer`)
    } finally {
      process.kill(running.pid, 'SIGCONT')
    }
  })
})

describe('when nothing runs', () => {
  it('the past is read from the files, and what needs somebody says so', async () => {
    const following = await followEvents()
    const watching = folder.begin('submit', 'waiting.yaml', '--name', 'forsaken', '--watch')
    await eventually('it waits', () => /waits: tiphys resume default\/forsaken/.test(watching.out) || undefined)
    const underWay = () => ok('events', 'name:seen-*', 'status:pending,running,waiting', '--json')
    await eventually('rest', async () => ((await underWay()) === '' ? true : undefined))
    const before = await ok('events', '--json', '--limit', '1000')
    expect(await running.signal('SIGTERM')).toMatchObject({ code: 0 })
    const err = 'error: the running instance does not answer any more. See whether it still runs, and start it again\n'
    expect(await following.ended).toMatchObject({ code: 1, err })
    expect(await watching.ended).toMatchObject({ code: 1, err })
    expect(await folder.tiphys('get', 'run', 'forsaken')).toMatchObject({
      code: 0,
      err: `note: nothing runs on ${folder.path}/.tiphys: it goes no further than this\n`,
    })
    expect(await folder.tiphys('runs', 'name:forsaken')).toMatchObject({
      code: 0,
      err: `note: nothing runs on ${folder.path}/.tiphys: what is under way goes no further than this\n`,
    })
    expect(await ok('events', '--json', '--limit', '1000')).toBe(before)
    // One whose output nobody reads closes what it has open: whoever comes next takes over from nobody.
    const { status } = spawnSync('sh', ['-c', `"${process.execPath}" "${builtCommand}" export | true`], {
      cwd: folder.path,
    })
    expect([status, (await folder.tiphys('events', '--limit', '1')).err]).toEqual([0, ''])
    expect(await ok('trace', 'Greeting/world')).toContain('ConfigMap default/world')
    expect(await fails('fire', 'greeting', 'greetings')).toMatch(
      /nothing runs on .*\.tiphys\. Start it with tiphys up DIR/,
    )
    const nothing = /^error: nothing runs on .*\.tiphys\. Start it with tiphys up DIR/
    for (const args of [
      ['stop', 'waiting'],
      ['submit', 'hello.yaml'],
    ])
      expect(await fails(...args)).toMatch(nothing)
    expect(await fails('events', '-f')).toMatch(
      /nothing runs on .*\.tiphys\. Start it with tiphys up DIR, or .* --data\n/,
    )
    expect(await fails('events', '--data', 'elsewhere')).toMatch(/nothing runs on .*elsewhere/)
  })
})

/** Begins to follow, and waits until something comes: until then events may be missed. */
async function followEvents(): Promise<TiphysProcess> {
  const following = folder.begin('events', '-f', '--json')
  await eventually('an event', async () => {
    await ok('apply', await manifest(`seen-${number++}`))
    return following.out === '' ? undefined : true
  })
  return following
}

async function manifest(name: string): Promise<string> {
  const file = `${name}.yaml`
  await folder.write({
    [file]: `apiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: ${name}}\nspec: {name: ${name}}\n`,
  })
  return file
}
