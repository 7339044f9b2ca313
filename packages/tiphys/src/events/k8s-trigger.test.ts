import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { type Env, silentLog, systemRandom, TerminalFailure, VirtualClock } from '@tiphys/env'
import {
  createTriggerTypes,
  type K8sSpec,
  k8sTrigger,
  type TriggerHost,
  type TriggerOutcome,
  triggerOf,
} from '@tiphys/events'
import { triggerHost } from '@tiphys/events/testing'
import { type Client, type KubeObject, LOOPBACK_RANGES } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const KEY = '0123456789abcdef0123456789abcdef'
const OTHER = 'fedcba9876543210fedcba9876543210'

let clock: VirtualClock
let env: Env
let server: ApiServer
let client: Client
let requests: string[]

beforeEach(async () => {
  clock = new VirtualClock(Date.parse('2026-01-02T03:04:05.678Z'))
  env = { clock, random: systemRandom, log: silentLog }
  server = await createApiServer({ env })
  client = server.client()
  requests = []
})

afterEach(() => server.close())

/** The client, with other ways of doing some things. */
function changed(of: Client, changes: Partial<Client>): Client {
  return new Proxy(of, { get: (target, name: keyof Client) => changes[name] ?? target[name].bind(target) })
}

/** Notes the writes that are sent. */
function noting(of: Client): Client {
  const noted = <Arguments extends unknown[], Answer>(name: string, call: (...args: Arguments) => Answer) =>
    ((...args: Arguments) => {
      requests.push(name)
      return call.apply(of, args)
    }) as never
  return changed(of, {
    create: noted('create', of.create),
    update: noted('update', of.update),
    patch: noted('patch', of.patch),
    apply: noted('apply', of.apply),
    delete: noted('delete', of.delete),
  })
}

/** Somebody else writes twice between a read and what follows it. */
function busyClient(): Client {
  let others = 2
  return changed(client, {
    get: async (...args) => {
      const found = await client.get(...args)
      if (others-- > 0) await client.patch(args[0], { type: 'merge', patch: { data: { other: String(others) } } })
      return found
    },
  })
}

function hostOf(actionKey = KEY, more: Partial<TriggerHost> = {}): TriggerHost {
  return triggerHost({
    env,
    trigger: 'make',
    client: noting(client),
    actionKey,
    trace: `event-of-${actionKey.slice(0, 4)}`,
    secret: () => Promise.reject(new Error('there are no secrets')),
    configMap: async ({ name, key }) => `apiVersion: v1
kind: ConfigMap
metadata: {name: from-${name}-${key}}
`,
    ...more,
  })
}

const configMap = (metadata: KubeObject['metadata'], data: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  data,
})

const run = (spec: K8sSpec, host = hostOf()) => k8sTrigger.execute(spec, host)
const write = (operation: string, resource: unknown, host = hostOf(), more: K8sSpec = {}) =>
  run({ operation, source: { resource }, ...more }, host)
const read = (name: string, kind = 'ConfigMap', apiVersion = 'v1') =>
  client.get<KubeObject & { data?: unknown }>({ apiVersion, kind, namespace: 'default', name })
const names = async () =>
  (await client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' })).items.map(o => o.metadata.name)

describe('create', () => {
  it('creates in the namespace of the Sensor, with the labels of Argo Events and with its provenance', async () => {
    const outcome = await run({
      source: { resource: configMap({ name: 'web', labels: { own: 'x' } }, { value: '' }) },
      parameters: [{ src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'data.value' }],
    })
    const made = await read('web')
    expect(made).toMatchObject({
      metadata: {
        namespace: 'default',
        labels: {
          own: 'x',
          'events.argoproj.io/sensor': 'sensor',
          'events.argoproj.io/trigger': 'make',
          'events.argoproj.io/action-timestamp': '1767323045678',
        },
        annotations: { 'tiphys.dev/event': 'event-of-0123', 'tiphys.dev/action': KEY },
      },
      data: { value: 'seven' },
    })
    const { uid, resourceVersion } = made.metadata
    expect(outcome).toEqual({
      summary: 'created ConfigMap default/web',
      written: [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'default',
          name: 'web',
          uid,
          resourceVersion,
          verb: 'create',
        },
      ],
    })
  })

  it('is done once when it is repeated', async () => {
    await write('create', configMap({ generateName: 'web-' }))
    const repeated = await write('create', configMap({ generateName: 'web-' }))
    expect(repeated).toMatchObject({ summary: 'ConfigMap default/web-0123456789 was created by this action before' })
    expect(repeated.written).toHaveLength(1)
    expect(await names()).toEqual(['web-0123456789'])
  })

  it('takes another generated name when something else has the first', async () => {
    await client.create(configMap({ name: 'web-0123456789', namespace: 'default' }))
    await write('create', configMap({ generateName: 'web-' }))
    await write('create', configMap({ generateName: 'web-' }))
    const made = (await names()).filter(name => name !== 'web-0123456789')
    expect(made).toEqual([expect.stringMatching(/^web-[0-9a-f]{10}$/)])
  })

  it('cuts a long prefix of a generated name as the server would', async () => {
    await write('create', configMap({ generateName: 'x'.repeat(70) }))
    expect(await names()).toEqual([`${'x'.repeat(53)}0123456789`])
  })

  it('fails for good when another action has made an object of the fixed name', async () => {
    await write('create', configMap({ name: 'web' }), hostOf(OTHER))
    const failure = await write('create', configMap({ name: 'web' })).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(TerminalFailure)
    expect(failure).toMatchObject({ code: 'trigger-name-taken', what: 'Cannot create ConfigMap default/web' })
  })

  it('makes objects without a namespace where the kind has none', async () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] }
    await write('create', { ...role, metadata: { name: 'seer', namespace: 'ignored' } })
    await client.get({ apiVersion: role.apiVersion, kind: role.kind, name: 'seer' })
  })

  it('says in the words of the server why it refuses', async () => {
    expect(await write('create', configMap({ name: 'Not Valid' })).catch((thrown: unknown) => thrown)).toMatchObject({
      code: 'trigger-refused',
      why: expect.stringContaining('Invalid value: "Not Valid"'),
    })
    expect(
      await write('create', { apiVersion: 'no.such/v1', kind: 'Thing' }).catch((thrown: unknown) => thrown),
    ).toMatchObject({
      code: 'kube-unknown-kind',
    })
  })

  it('says which permission is missing', async () => {
    const somebody = server.client({ name: 'system:serviceaccount:default:poor', groups: ['system:authenticated'] })
    const host = hostOf(KEY, { client: somebody })
    const failure = await write('create', configMap({ name: 'web' }), host).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(TerminalFailure)
    expect(failure).toMatchObject({
      code: 'trigger-forbidden',
      why: expect.stringContaining('User "system:serviceaccount:default:poor" cannot create resource "configmaps"'),
      todo: expect.stringContaining(
        'the verb create on resource "configmaps" in API group "" in the namespace "default"',
      ),
    })
  })
})

describe('update', () => {
  it('merges fields into the live object, replaces lists, and sends nothing when nothing changes', async () => {
    await client.create(
      configMap({ name: 'web', namespace: 'default', finalizers: ['a/b', 'c/d'] }, { a: '1', b: '1' }),
    )
    const wanted = configMap({ name: 'web', finalizers: ['e/f'] }, { b: '', c: '3' })
    await write('update', wanted)
    const updated = await read('web')
    expect(updated).toMatchObject({ metadata: { finalizers: ['e/f'] }, data: { a: '1', b: '', c: '3' } })
    expect(updated.metadata.annotations).toBeUndefined()
    expect(await write('update', wanted)).toEqual({ summary: 'ConfigMap default/web is as wanted already' })
    expect(requests).toEqual(['update'])
  })

  it('creates what is absent, without the labels of a creation', async () => {
    await write('update', configMap({ name: 'web' }, { a: '1' }))
    const made = await read('web')
    expect(made.metadata.labels).toBeUndefined()
    expect(made.metadata.annotations).toEqual({ 'tiphys.dev/event': 'event-of-0123', 'tiphys.dev/action': KEY })
  })

  it('appends to the live object once for every action', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default' }, { story: 'one ' }))
    const append = { src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'data.story', operation: 'append' }
    const spec = { liveObject: true, parameters: [append] }
    const stub = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } }
    await write('update', stub, hostOf(KEY), spec)
    expect(await write('update', stub, hostOf(KEY), spec)).toMatchObject({
      summary: 'ConfigMap default/web was changed by this action before',
    })
    await write('update', stub, hostOf(OTHER), spec)
    await write('update', stub, hostOf(KEY), spec)
    expect((await read('web')).data).toEqual({ story: 'one sevenseven' })
  })

  it('reads again what somebody else changes meanwhile', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default' }, { a: '1' }))
    const busy = busyClient()
    await write('update', configMap({ name: 'web' }, { a: '2' }), hostOf(KEY, { client: busy }))
    expect((await read('web')).data).toEqual({ a: '2', other: '0' })
  })
})

describe('patch', () => {
  const json = { patchStrategy: 'application/json-patch+json' }
  const withOperations = (...patch: unknown[]) => ({ ...configMap({ name: 'web' }), patch })

  it('merges by default, and sends nothing when nothing changes', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default' }, { a: '1', b: '1' }))
    await write('patch', configMap({ name: 'web' }, { a: null, c: '3' }))
    expect((await read('web')).data).toEqual({ b: '1', c: '3' })
    await write('patch', configMap({ name: 'web' }, { a: null, c: '3' }))
    expect(requests).toEqual(['patch'])
  })

  it('creates what is absent', async () => {
    await write('patch', configMap({ name: 'web' }, { a: '1' }))
    expect((await read('web')).data).toEqual({ a: '1' })
  })

  it('carries out a JSON patch that appends once for every action', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default', finalizers: ['x/first'] }))
    const append = (name: string) => withOperations({ op: 'add', path: '/metadata/finalizers/-', value: name })
    await write('patch', append('x/second'), hostOf(KEY), json)
    await write('patch', append('x/second'), hostOf(KEY), json)
    await write('patch', append('x/third'), hostOf(OTHER), json)
    expect((await read('web')).metadata.finalizers).toEqual(['x/first', 'x/second', 'x/third'])
    expect(requests).toEqual(['patch', 'patch'])
  })

  it('appends to what it has seen only', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default', finalizers: ['x/first'] }))
    const append = withOperations({ op: 'add', path: '/metadata/finalizers/-', value: 'x/second' })
    await write('patch', append, hostOf(KEY, { client: noting(busyClient()) }), json)
    expect((await read('web')).metadata.finalizers).toEqual(['x/first', 'x/second'])
    expect(requests).toEqual(['patch', 'patch', 'patch'])
  })

  it('carries out a JSON patch that sets fields, and does not repeat it', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default' }, { a: '1' }))
    const patch = withOperations(
      { op: 'replace', path: '/data/a', value: '2' },
      { op: 'add', path: '/data/b', value: '3' },
    )
    await write('patch', patch, hostOf(KEY), json)
    await write('patch', patch, hostOf(OTHER), json)
    const patched = await read('web')
    expect(patched.data).toEqual({ a: '2', b: '3' })
    expect(patched.metadata.annotations).toBeUndefined()
    expect(requests).toEqual(['patch'])
  })

  it('does not create from a JSON patch, and says where its operations belong', async () => {
    const failing = (resource: unknown) => write('patch', resource, hostOf(), json).catch((thrown: unknown) => thrown)
    expect(await failing(withOperations())).toMatchObject({
      code: 'trigger-refused',
      why: 'configmaps "web" not found',
    })
    expect(await failing(configMap({ name: 'web' }))).toMatchObject({ code: 'trigger-invalid' })
  })

  it('merges lists by their keys when it is strategic', async () => {
    const container = { name: 'a', image: 'a:1' }
    const labels = { app: 'web' }
    const template = { metadata: { labels }, spec: { containers: [container] } }
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' } }
    await client.create({ ...deployment, spec: { selector: { matchLabels: labels }, template } })
    const patch = { ...deployment, spec: { template: { spec: { containers: [{ name: 'b', image: 'b:1' }] } } } }
    const spec = { patchStrategy: 'application/strategic-merge-patch+json' }
    await write('patch', patch, hostOf(KEY), spec)
    const before = await read('web', 'Deployment', 'apps/v1')
    expect(await write('patch', patch, hostOf(OTHER), spec)).toEqual({
      summary: 'Deployment default/web is as wanted already',
    })
    const after = await read('web', 'Deployment', 'apps/v1')
    expect(after).toEqual(before)
    expect(after).toMatchObject({ spec: { template: { spec: { containers: [{ name: 'b' }, { name: 'a' }] } } } })
  })
})

describe('apply', () => {
  it('creates, then owns its fields as tiphys; the first provenance stays and a repeat changes nothing', async () => {
    for (const operation of [
      { operation: 'apply' },
      { operation: 'patch', patchStrategy: 'application/apply-patch+yaml' },
    ]) {
      const name = operation.operation
      const applying = (data: Record<string, string>, key: string) =>
        run({ ...operation, source: { resource: configMap({ name }, data) } }, hostOf(key))
      await applying({ a: '1', b: '1' }, KEY)
      await applying({ a: '2' }, OTHER)
      const before = await read(name)
      expect(before).toMatchObject({ data: { a: '2' }, metadata: { annotations: { 'tiphys.dev/action': KEY } } })
      expect(before.data).toEqual({ a: '2' })
      expect(before.metadata.managedFields).toMatchObject([{ manager: 'tiphys', operation: 'Apply' }])
      expect(await applying({ a: '2' }, '3'.repeat(32))).toEqual({
        summary: `ConfigMap default/${name} is as wanted already`,
      })
      expect(await read(name)).toEqual(before)
    }
  })

  it('adds no provenance to what somebody else created', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default' }, { a: '1' }))
    await write('apply', configMap({ name: 'web' }, { a: '2' }))
    const applied = await read('web')
    expect(applied.data).toEqual({ a: '2' })
    expect(applied.metadata.annotations).toBeUndefined()
  })
})

describe('a subresource', () => {
  const service = (more: object, annotations: Record<string, string> = { 'tiphys.dev/subresource': 'status' }) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', annotations },
    ...more,
  })
  const ready = { conditions: [{ type: 'Ready', status: 'True', reason: 'Made', message: '' }] }
  const made = () => read('web', 'Service') as Promise<KubeObject & { status?: object }>

  it.each(['patch', 'apply'])(
    'is written by %s, and nothing else is; a repeat sends or changes nothing',
    async verb => {
      await write('create', service({ spec: { ports: [{ port: 80 }] } }, {}))
      const status = { ...ready, conditions: [{ ...ready.conditions[0], lastTransitionTime: '2026-01-02T03:04:05Z' }] }
      await write(verb, service({ spec: { ports: [{ port: 81 }] }, status }))
      const first = await made()
      expect(first).toMatchObject({ spec: { ports: [{ port: 80 }] }, status: { conditions: [{ reason: 'Made' }] } })
      expect(first.metadata.annotations).not.toHaveProperty(['tiphys.dev/subresource'])
      const again = await write(verb, service({ status }))
      expect(again.summary).toBe('Service default/web is as wanted already')
      expect((await made()).metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    },
  )

  it('of an object that has gone needs no change', async () => {
    const { summary } = await write('patch', service({ status: ready }))
    expect(summary).toBe('Service default/web is not there, nothing to change')
  })

  it('is not written by what cannot be repeated', async () => {
    await expect(write('create', service({ status: ready }))).rejects.toThrow('Use the operation apply, or patch')
  })
})

describe('delete', () => {
  it('deletes, and is content when nothing is there', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default' }))
    expect(await write('delete', configMap({ name: 'web' }))).toMatchObject({
      summary: 'deleted ConfigMap default/web',
    })
    expect(await write('delete', configMap({ name: 'web' }))).toEqual({
      summary: 'ConfigMap default/web is not there, nothing to delete',
    })
    expect(await names()).toEqual([])
  })

  it('spares the successor of the object that a uid names', async () => {
    await client.create(configMap({ name: 'web', namespace: 'default' }))
    await write('delete', configMap({ name: 'web', uid: '11111111-1111-1111-1111-111111111111' }))
    expect(await names()).toEqual(['web'])
  })
})

describe('what is told of a write', () => {
  const toldOf = async (done: Promise<TriggerOutcome>) =>
    (await done).written?.map(({ verb, diff }) => ({ verb, ...(diff && { diff }) }))

  it.each(['update', 'patch', 'apply'])('is what %s changed, for no more requests', async operation => {
    const labels = { 'app.kubernetes.io/name': 'web' }
    await client.apply(configMap({ name: 'web', namespace: 'default', labels }, { a: '1' }), { fieldManager: 'test' })
    const get = client.get.bind(client)
    const host = hostOf(KEY, {
      client: changed(noting(client), {
        get: (...args) => {
          requests.push('get')
          return get(...args)
        },
      }),
    })
    const wanted = configMap({ name: 'web' }, { a: '2', 'b.c': 'x' })
    expect(await toldOf(write(operation, wanted, host))).toEqual([
      {
        verb: operation,
        diff: [
          { path: 'data.a', from: '1', to: '2' },
          { path: 'data["b.c"]', to: 'x' },
        ],
      },
    ])
    expect(requests).toEqual(['get', operation])
    expect(await toldOf(write(operation, wanted, host))).toBeUndefined()
    expect(await toldOf(write(operation, configMap({ name: 'new' }, { a: '1' }), host))).toEqual([{ verb: 'create' }])
    expect(await toldOf(write('delete', wanted, host))).toEqual([{ verb: 'delete' }])
  })
})

describe('the policy', () => {
  const backoff = { duration: '2s', factor: 1, jitter: 0, steps: 3 }
  const labels = { phase: 'done' }

  /** Lets time pass until the trigger has ended. */
  async function runWith(errorOnBackoffTimeout: boolean, onLook: (looks: number) => unknown = () => {}) {
    let looks = 0
    const watched = changed(client, {
      get: async (...args) => {
        await onLook(++looks)
        return client.get(...args)
      },
    })
    const policy = { k8s: { labels, backoff, errorOnBackoffTimeout } }
    const running = write('create', configMap({ name: 'web' }), hostOf(KEY, { client: watched, policy }))
    let hasEnded = false
    const ended = running
      .catch((thrown: unknown) => thrown)
      .finally(() => {
        hasEnded = true
      })
    while (!hasEnded) {
      await new Promise<void>(resolve => setImmediate(resolve))
      await clock.advance(1000)
    }
    return { outcome: await ended, looks }
  }

  it('waits for the labels', async () => {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'web' }
    const { outcome, looks } = await runWith(true, async look => {
      if (look === 2) await client.patch(ref, { type: 'merge', patch: { metadata: { labels } } })
    })
    expect(outcome).toMatchObject({ summary: 'created ConfigMap default/web' })
    expect(looks).toBe(2)
  })

  it('fails without them only when it says so', async () => {
    const { outcome, looks } = await runWith(true)
    expect(outcome).toMatchObject({ code: 'trigger-labels-missing' })
    expect(looks).toBe(3)
    // The repeat finds what the first attempt created.
    expect((await runWith(false)).outcome).toMatchObject({
      summary: 'ConfigMap default/web was created by this action before',
    })
  })
})

describe('where the object comes from', () => {
  it('reads YAML in the manifest, and ConfigMaps', async () => {
    await run({ source: { inline: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: inline\ndata: {a: "1"}\n' } })
    await run({ source: { configmap: { name: 'objects', key: 'one' } } })
    expect(await names()).toEqual(['from-objects-one', 'inline'])
  })
})

it('sends http requests over TLS to whom the manifest trusts, and to nobody else', async () => {
  const { url, stop } = await server.listen()
  const http = createTriggerTypes().get('http')
  const access = { outbound: { allow: LOOPBACK_RANGES } }
  const host = hostOf(KEY, { access, secret: () => Promise.resolve(server.caCertificate) })
  const tls = { caCertSecret: { name: 'ca', key: 'ca.crt' } }
  expect(await http?.execute({ url: `${url}/version`, method: 'GET', tls }, host)).toMatchObject({ status: 200 })
  const stranger = http?.execute({ url: `${url}/version`, method: 'GET' }, host)
  await expect(stranger).rejects.toMatchObject({
    code: 'outbound-not-reached',
    why: expect.stringContaining('certificate'),
  })
  await stop()
})

it('finds the type of a trigger, and says what it does not support', () => {
  const types = createTriggerTypes()
  expect(triggerOf({ name: 't', log: {} }, types)).toMatchObject({ type: { type: 'log' }, problems: [] })
  expect(triggerOf({ name: 't', slack: {} }, types)).toMatchObject({
    problems: [
      {
        path: 'slack',
        message: expect.stringMatching(/^triggers of the type slack are not supported by Tiphys yet: use http/),
        severity: 'error',
      },
    ],
  })
  expect(
    triggerOf({ name: 't', k8s: { operation: 'creat', source: { git: {} } } }, types).problems.map(p => p.path),
  ).toEqual(['k8s.source.git', 'k8s.operation'])
})
