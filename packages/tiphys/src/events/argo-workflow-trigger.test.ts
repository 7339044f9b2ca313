import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { type Env, silentLog, systemRandom, TerminalFailure, VirtualClock } from '@tiphys/env'
import {
  type ArgoWorkflowSpec,
  argoWorkflowTrigger,
  type SubmitOptions,
  type TriggerHost,
  type WorkflowControl,
  type WorkflowRef,
} from '@tiphys/events'
import { triggerHost } from '@tiphys/events/testing'
import type { Client, KubeObject } from '@tiphys/kube'
import { createWorkflowControl } from '@tiphys/workflows'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const KEY = '0123456789abcdef0123456789abcdef'
const OTHER = 'fedcba9876543210fedcba9876543210'
const API_VERSION = 'argoproj.io/v1alpha1'

let env: Env
let server: ApiServer
let client: Client
let calls: string[]

beforeEach(async () => {
  env = { clock: new VirtualClock(Date.parse('2026-01-02T03:04:05.678Z')), random: systemRandom, log: silentLog }
  server = await createApiServer({ env })
  client = server.client()
  calls = []
  for (const [kind, scope] of Object.entries({
    Workflow: 'Namespaced',
    WorkflowTemplate: 'Namespaced',
    CronWorkflow: 'Namespaced',
    ClusterWorkflowTemplate: 'Cluster',
  }))
    await established(await client.create(definitionOf(kind, scope)))
})

afterEach(() => server.close())

async function established({ apiVersion, kind, metadata: { name = '' } }: KubeObject): Promise<void> {
  for (;;) {
    const { status } = (await client.get({ apiVersion, kind, name })) as {
      status?: { conditions?: { type: string; status: string }[] }
    }
    if (status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return
    await new Promise<void>(resolve => setImmediate(resolve))
  }
}

function definitionOf(kind: string, scope: string): KubeObject {
  const plural = `${kind.toLowerCase()}s`
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.argoproj.io` },
    spec: {
      group: 'argoproj.io',
      scope,
      names: { kind, plural },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
    },
  }
}

/** The smallest thing that keeps the promises of the interface: Workflows are made and changed in the API, and nothing
 *  runs them. `notes`: whether it sets the annotations that it is given. */
function control({ notes = true } = {}): WorkflowControl {
  const make = (on: Client, { namespace }: WorkflowRef, spec: unknown, options: SubmitOptions) =>
    on.create({
      apiVersion: API_VERSION,
      kind: 'Workflow',
      metadata: {
        namespace,
        name: options.name as string,
        labels: options.labels ?? {},
        annotations: options.annotations ?? {},
      },
      spec: {
        ...(spec as object),
        arguments: { parameters: Object.entries(options.parameters ?? {}).map(([name, value]) => ({ name, value })) },
        ...(options.entrypoint !== undefined && { entrypoint: options.entrypoint }),
        ...(options.serviceAccountName !== undefined && { serviceAccountName: options.serviceAccountName }),
        ...(options.priority !== undefined && { priority: options.priority }),
      },
    })
  const change =
    (name: string) =>
    (on: Client, ref: WorkflowRef, options: { annotations?: Record<string, string> } = {}) => {
      const { annotations, ...rest } = options
      calls.push(`${name} ${JSON.stringify(rest)}`)
      const metadata = { labels: { [name]: 'yes' }, ...(notes && { annotations }) }
      return on.patch({ apiVersion: API_VERSION, kind: 'Workflow', ...ref }, { type: 'merge', patch: { metadata } })
    }
  return {
    submit: (on, workflow) => on.create(workflow),
    async submitFrom(on, { kind, namespace, name }, options) {
      const scope = kind === 'ClusterWorkflowTemplate' ? {} : { namespace }
      await on.get({ apiVersion: API_VERSION, kind, ...scope, name })
      return make(on, { namespace, name }, { workflowTemplateRef: { name } }, options)
    },
    async resubmit(on, ref, { memoized, ...options }) {
      calls.push(`resubmit ${memoized ?? false}`)
      const { spec } = await on.get({ apiVersion: API_VERSION, kind: 'Workflow', ...ref })
      return make(on, ref, spec, options)
    },
    retry: change('retry'),
    resume: change('resume'),
    suspend: change('suspend'),
    stop: change('stop'),
    terminate: change('terminate'),
  }
}

function hostOf(actionKey = KEY, more: Partial<TriggerHost> = {}): TriggerHost {
  return triggerHost({
    env,
    body: { value: 'seven', count: 7, name: 'wf-1' },
    trigger: 'run',
    client,
    actionKey,
    trace: `event-of-${actionKey.slice(0, 4)}`,
    workflows: control(),
    ...more,
  })
}

const workflow = (metadata: object, spec: object = { entrypoint: 'main' }) => ({
  apiVersion: API_VERSION,
  kind: 'Workflow',
  metadata,
  spec,
})

const fromEvent = (dataKey: string, dest: string, useRawData = false) => ({
  src: { dependencyName: 'dep', dataKey, ...(useRawData && { useRawData }) },
  dest,
})

const execute = (spec: ArgoWorkflowSpec, host = hostOf()) => argoWorkflowTrigger.execute(spec, host)
const workflows = async () => (await client.list({ apiVersion: API_VERSION, kind: 'Workflow' })).items
const problems = (spec: ArgoWorkflowSpec) =>
  argoWorkflowTrigger.check(spec).map(({ path, message }) => `${path} ${message}`)

describe('submit', () => {
  const spec: ArgoWorkflowSpec = {
    operation: 'submit',
    source: {
      resource: workflow(
        { generateName: 'hello-', labels: { mine: 'kept' } },
        { entrypoint: 'main', arguments: { parameters: [{ name: 'message', value: 'old' }] } },
      ),
    },
    parameters: [fromEvent('body.value', 'spec.arguments.parameters.0.value')],
  }

  it('creates the Workflow with values of the event, its origin, and a name that the action decides', async () => {
    const done = await execute(spec)
    expect(done).toMatchObject({
      summary: `created Workflow default/hello-${KEY.slice(0, 10)}`,
      written: [{ kind: 'Workflow', namespace: 'default', name: `hello-${KEY.slice(0, 10)}`, verb: 'create' }],
    })
    const [made] = await workflows()
    expect(made).toMatchObject({
      metadata: {
        labels: {
          mine: 'kept',
          'events.argoproj.io/sensor': 'sensor',
          'events.argoproj.io/trigger': 'run',
          'events.argoproj.io/action-timestamp': '1767323045678',
        },
        annotations: { 'tiphys.dev/event': 'event-of-0123', 'tiphys.dev/action': KEY },
      },
      spec: { arguments: { parameters: [{ name: 'message', value: 'seven' }] } },
    })
  })

  it('does it once when it is repeated, and again for another action', async () => {
    await execute(spec)
    expect((await execute(spec)).summary).toBe(
      `Workflow default/hello-${KEY.slice(0, 10)} was created by this action before`,
    )
    await execute(spec, hostOf(OTHER))
    expect(await workflows()).toHaveLength(2)
  })

  it('takes another name when the one of its key is somebody else’s', async () => {
    await client.create(workflow({ namespace: 'default', name: `hello-${KEY.slice(0, 10)}` }) as KubeObject)
    await execute(spec)
    expect((await execute(spec)).summary).toMatch(/was created by this action before/)
    expect(await workflows()).toHaveLength(2)
  })

  it('refuses the second event of a Workflow with a fixed name, and says how to do better', async () => {
    const fixed = { source: { resource: workflow({ name: 'special' }) } }
    await execute(fixed)
    await expect(execute(fixed, hostOf(OTHER))).rejects.toThrow(
      'Cannot create Workflow default/special: another object has this name, and this action did not create it. Use generateName',
    )
  })

  it('understands the arguments of the argo command', async () => {
    await execute({
      ...spec,
      args: '-p message=a=b --parameter=count=7 -pextra=x --generate-name given- -l a=1,b=2 --serviceaccount runner --entrypoint=other --priority 5'.split(
        ' ',
      ),
    })
    const [made] = await workflows()
    expect(made?.metadata).toMatchObject({
      name: `given-${KEY.slice(0, 10)}`,
      labels: { a: '1', b: '2', mine: 'kept' },
    })
    expect(made?.spec).toEqual({
      entrypoint: 'other',
      serviceAccountName: 'runner',
      priority: 5,
      arguments: {
        parameters: [
          { name: 'message', value: 'a=b' },
          { name: 'count', value: '7' },
          { name: 'extra', value: 'x' },
        ],
      },
    })
  })

  it('waits for the labels of its policy', async () => {
    const policy = {
      k8s: { labels: { phase: 'done' }, backoff: { duration: 1, steps: 1 }, errorOnBackoffTimeout: true },
    }
    await expect(execute(spec, hostOf(KEY, { policy }))).rejects.toMatchObject({ code: 'trigger-labels-missing' })
    await client.patch(
      { apiVersion: API_VERSION, kind: 'Workflow', namespace: 'default', name: `hello-${KEY.slice(0, 10)}` },
      { type: 'merge', patch: { metadata: { labels: { phase: 'done' } } } },
    )
    await expect(execute(spec, hostOf(KEY, { policy }))).resolves.toBeDefined()
  })

  it.each([
    [{ source: { resource: workflow({}) } }, /neither name nor generateName is given/],
    [
      { source: { resource: { ...workflow({ name: 'x' }), kind: 'WorkflowTemplate' } } },
      /Use the operation submit-from/,
    ],
    [
      { source: { resource: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } } } },
      /Use a k8s trigger to create it/,
    ],
  ])('refuses %j', async (refused, message) => {
    await expect(execute(refused)).rejects.toThrow(message)
    await expect(execute(refused)).rejects.toBeInstanceOf(TerminalFailure)
  })

  it('is refused where nothing runs Workflows', async () => {
    const { workflows: _, ...host } = hostOf()
    await expect(execute(spec, host)).rejects.toMatchObject({ code: 'trigger-no-workflows' })
  })
})

describe('submit-from', () => {
  const source = (kind: string, parameters: unknown = []) => ({
    resource: { apiVersion: API_VERSION, kind, metadata: { name: 'hello' }, spec: { arguments: { parameters } } },
  })

  it.each(['WorkflowTemplate', 'CronWorkflow', 'ClusterWorkflowTemplate'])('makes a Workflow of a %s', async kind => {
    const scope = kind.startsWith('Cluster') ? {} : { namespace: 'default' }
    await client.create({ apiVersion: API_VERSION, kind, metadata: { ...scope, name: 'hello' } })
    const done = await execute({
      operation: 'submit-from',
      source: source(kind, [{ name: 'message' }, { name: 'count', value: '' }, { name: 'untouched' }]),
      parameters: [
        fromEvent('body.value', 'spec.arguments.parameters.0.value'),
        fromEvent('body.count', 'spec.arguments.parameters.#(name=="count").value', true),
      ],
      args: ['-p', 'more=yes'],
    })
    expect(done.summary).toBe(`created Workflow default/hello-${KEY.slice(0, 10)}`)
    const [made] = await workflows()
    // The values of the event reach the Workflow, which they cannot upstream.
    expect(made?.spec).toEqual({
      workflowTemplateRef: { name: 'hello' },
      arguments: {
        parameters: [
          { name: 'message', value: 'seven' },
          { name: 'count', value: '7' },
          { name: 'more', value: 'yes' },
        ],
      },
    })
    expect(made?.metadata.annotations).toEqual({ 'tiphys.dev/event': 'event-of-0123', 'tiphys.dev/action': KEY })
  })

  it('makes one Workflow however often it is repeated', async () => {
    await client.create({
      apiVersion: API_VERSION,
      kind: 'WorkflowTemplate',
      metadata: { namespace: 'default', name: 'hello' },
    })
    const spec = { operation: 'submit-from', source: source('WorkflowTemplate') }
    await execute(spec)
    await execute(spec)
    expect(await workflows()).toHaveLength(1)
  })

  it('says which template is not there', async () => {
    const spec = { operation: 'submit-from', source: source('WorkflowTemplate') }
    await expect(execute(spec)).rejects.toThrow(
      'Cannot submit-from WorkflowTemplate hello: workflowtemplates.argoproj.io "hello" not found',
    )
  })

  it('refuses a parameter without a name, which would reach nothing', async () => {
    const spec = {
      operation: 'submit-from',
      source: {
        resource: { apiVersion: API_VERSION, kind: 'WorkflowTemplate', metadata: { name: 'hello' }, spec: {} },
      },
      parameters: [fromEvent('body.value', 'spec.arguments.parameters.0.value')],
    }
    await expect(execute(spec)).rejects.toThrow('spec.arguments.parameters[0] of the source has no name')
  })

  it('refuses other kinds', async () => {
    await expect(execute({ operation: 'submit-from', source: source('Sensor') })).rejects.toThrow('invalid kind Sensor')
  })
})

describe('what is done to a Workflow', () => {
  const source = { resource: workflow({ name: 'set-by-the-event' }) }
  const parameters = [fromEvent('body.name', 'metadata.name')]
  const live = () => client.get({ apiVersion: API_VERSION, kind: 'Workflow', namespace: 'default', name: 'wf-1' })

  beforeEach(() => client.create(workflow({ namespace: 'default', name: 'wf-1' }) as KubeObject))

  it.each([
    ['resume', 'resumed', ['--node-field-selector', 'displayName=wait'], { nodeFieldSelector: 'displayName=wait' }],
    ['retry', 'retried', ['--restart-successful', '-p', 'a=b'], { restartSuccessful: true, parameters: { a: 'b' } }],
    ['suspend', 'suspended', [], {}],
    ['stop', 'stopped', ['--message', 'enough'], { message: 'enough' }],
    ['terminate', 'terminated', [], {}],
  ])('%s acts on the Workflow that the event names, once', async (operation, did, args, options) => {
    for (const notes of [true, false]) {
      calls = []
      const host = hostOf(notes ? KEY : OTHER, { workflows: control({ notes }) })
      const done = await execute({ operation, source, parameters, args }, host)
      expect(done).toMatchObject({
        summary: `${did} Workflow default/wf-1`,
        written: [{ name: 'wf-1', verb: 'update' }],
      })
      expect(calls).toEqual([`${operation} ${JSON.stringify(options)}`])
      expect((await live()).metadata.labels).toHaveProperty(operation, 'yes')
      expect((await execute({ operation, source, parameters, args }, host)).summary).toBe(
        `Workflow default/wf-1 was ${did} by this action before`,
      )
      expect(calls).toHaveLength(1)
    }
  })

  it('resubmit makes a new Workflow, once', async () => {
    const spec = { operation: 'resubmit', source, parameters, args: ['--memoized'] }
    expect((await execute(spec)).summary).toBe(`created Workflow default/wf-1-${KEY.slice(0, 10)}`)
    await execute(spec)
    expect(await workflows()).toHaveLength(2)
    expect(calls).toContain('resubmit true')
  })

  it('says which Workflow is not there, and that it needs a name', async () => {
    await expect(execute({ operation: 'stop', source })).rejects.toThrow(
      'Cannot stop Workflow set-by-the-event: workflows.argoproj.io "set-by-the-event" not found',
    )
    await expect(execute({ operation: 'stop', source: { resource: workflow({}) } })).rejects.toThrow(
      'failed to execute the workflow stop operation, no name is given',
    )
  })
})

describe('checks', () => {
  const source = { resource: workflow({ name: 'x' }) }

  it('finds nothing wrong with what it supports', () => {
    expect(problems({ source })).toEqual([])
    expect(problems({ source, operation: 'submit-from', args: ['--name', 'a', '-p=b=c'] })).toEqual([])
  })

  it('names what it does not', () => {
    expect(problems({ source, operation: 'lint' })[0]).toMatch(
      /^operation unknown operation lint: it is one of submit,/,
    )
    expect(problems({ source, args: ['--wait', '--name', '--priority', 'high', '-p', 'x', '--message=a'] })).toEqual([
      expect.stringMatching(/^args\[0\] the argument "--wait" is not supported by Tiphys: submit knows --parameter,/),
      expect.stringMatching(/^args\[3\] the argument "high" is not supported/),
      'args[4] -p: expected a parameter of the form NAME=VALUE, not "x"',
      expect.stringMatching(/^args\[6\] the argument --message is not for the operation submit/),
    ])
    expect(problems({ source, operation: 'terminate', args: ['--name'] })).toEqual([
      'args[0] the argument --name needs a value',
    ])
    expect(problems({})).toEqual(['source is missing: it says which object to write'])
  })
})

describe('with the control of the workflow engine', () => {
  const spec = {
    entrypoint: 'main',
    arguments: { parameters: [{ name: 'message', value: 'default' }] },
    templates: [{ name: 'main', container: { image: 'x', command: ['true'] } }],
  }
  const host = (key = KEY) => hostOf(key, { workflows: createWorkflowControl({ env }) })
  const live = (name = 'wf-1') => client.get({ apiVersion: API_VERSION, kind: 'Workflow', namespace: 'default', name })
  const parameters = [fromEvent('body.value', 'spec.arguments.parameters.0.value')]
  const about = { resource: workflow({ name: 'wf-1' }) }

  it('submits, and makes a Workflow of a template with the values of the event, each once', async () => {
    await client.create({
      apiVersion: API_VERSION,
      kind: 'WorkflowTemplate',
      metadata: { namespace: 'default', name: 'hello' },
      spec,
    })
    const template = { ...workflow({ name: 'hello' }, spec), kind: 'WorkflowTemplate' }
    for (let i = 0; i < 2; i++) {
      await execute({ source: { resource: workflow({ generateName: 'run-' }, spec) }, parameters }, host())
      await execute({ operation: 'submit-from', source: { resource: template }, parameters }, host())
    }
    const made = await workflows()
    expect(made.map(({ metadata }) => metadata.name ?? '').sort()).toEqual([
      `hello-${KEY.slice(0, 10)}`,
      `run-${KEY.slice(0, 10)}`,
    ])
    for (const { metadata, spec } of made) {
      expect(metadata.annotations).toMatchObject({ 'tiphys.dev/event': 'event-of-0123', 'tiphys.dev/action': KEY })
      expect((spec as { arguments: unknown }).arguments).toEqual({ parameters: [{ name: 'message', value: 'seven' }] })
    }
  })

  it('suspends, resumes, stops and terminates, each once', async () => {
    await client.create(workflow({ namespace: 'default', name: 'wf-1' }, spec) as KubeObject)
    await execute({ operation: 'suspend', source: about }, host())
    expect((await live()).spec).toMatchObject({ suspend: true })
    // Another action resumes it; the first one, repeated, does not suspend it again.
    await execute({ operation: 'resume', source: about }, host(OTHER))
    await execute({ operation: 'suspend', source: about }, host())
    expect((await live()).spec).not.toHaveProperty('suspend')
    await execute({ operation: 'stop', source: about, args: ['--message', 'enough'] }, host('1'.repeat(32)))
    expect((await live()).spec).toMatchObject({ shutdown: 'Stop' })
    await execute({ operation: 'terminate', source: about }, host('2'.repeat(32)))
    expect((await live()).spec).toMatchObject({ shutdown: 'Terminate' })
  })

  it('resubmits what is over, and says what cannot be done', async () => {
    const status = { phase: 'Failed', nodes: {} }
    await client.create({ ...workflow({ namespace: 'default', name: 'wf-1' }, spec), status } as KubeObject)
    await execute({ operation: 'resubmit', source: about }, host())
    await execute({ operation: 'resubmit', source: about }, host())
    expect((await workflows()).map(({ metadata }) => metadata.name ?? '').sort()).toEqual([
      'wf-1',
      `wf-1-${KEY.slice(0, 10)}`,
    ])
    await expect(execute({ operation: 'stop', source: about }, host())).rejects.toThrow(
      'The workflow wf-1 cannot be stopped: it is over: Failed',
    )
  })
})
