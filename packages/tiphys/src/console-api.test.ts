import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Archive } from '@tiphys/archive'
import { type ConsoleOptions, startConsole } from '@tiphys/console'
import { buildAssets, idOf, STORY } from '@tiphys/console/testing'
import { type KubeObject, openWebSocket } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleScene, TOKEN } from './console-scene.ts'

let assets: string
let scene: ConsoleScene
/** Tokens of ServiceAccounts: may read everything of one namespace, may do everything, may do nothing. */
let tokens: { reader: string; admin: string; other: string }

const RBAC = 'rbac.authorization.k8s.io/v1'

async function tokenOf(name: string): Promise<string> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'shop', name }
  await scene.client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'shop', name } })
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { audiences: [] } }
  const { status } = await scene.client.subresource<KubeObject>('create', account, 'token', review)
  return (status as { token: string }).token
}

beforeAll(async () => {
  assets = await mkdtemp(join(tmpdir(), 'tiphys-assets-'))
  await buildAssets(assets)
  scene = await ConsoleScene.start({ assets, authentication: 'cluster' })
  const subject = (name: string) => ({ kind: 'ServiceAccount', namespace: 'shop', name })
  await scene.client.create({
    apiVersion: RBAC,
    kind: 'Role',
    metadata: { namespace: 'shop', name: 'reader' },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
  })
  await scene.client.create({
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { namespace: 'shop', name: 'reader' },
    subjects: [subject('reader')],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
  })
  await scene.client.create({
    apiVersion: RBAC,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'console-admin' },
    subjects: [subject('admin')],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  })
  tokens = { reader: await tokenOf('reader'), admin: await tokenOf('admin'), other: await tokenOf('other') }
}, 60_000)

afterAll(async () => {
  await scene?.close()
  await rm(assets, { recursive: true, force: true })
})

/** Something to ask of every route, with what it needs. */
const READS: readonly string[] = [
  '/session',
  '/overview',
  '/parked',
  '/health',
  '/health-history',
  '/audit',
  '/complete?field=status',
  '/status',
  '/events',
  '/runs',
  '/run-groups?by=template',
  '/kinds',
  '/objects',
  '/search?text=cache&limit=5',
  '/templates?ns=shop',
  '/pipeline?ns=shop',
  '/replays?ns=shop',
  '/operators?ns=shop',
  '/access?ns=shop',
  '/buses',
  '/figures',
]
const OF_SHOP: readonly string[] = [
  `/events/${STORY.failed}`,
  `/events/${STORY.failed}/payload`,
  `/events/${STORY.failed}/export`,
  '/runs/shop/reconcile-cache-7',
  '/runs/shop/reconcile-cache-7/manifest',
  '/runs/shop/reconcile-cache-7/logs/apply-1/main',
  '/runs/shop/reconcile-cache-7/logs/apply-1/main/file',
  '/objects/Memcached.v1alpha1.cache.example.com/shop/cache-7',
]
const WRITES: readonly (readonly [path: string, body: object])[] = [
  ['/actions/replay', { query: `id:${STORY.failed}`, mode: 'all' }],
  ['/actions/retry', { namespace: 'shop', sensor: 'memcached' }],
  ['/actions/discard', { namespace: 'shop', sensor: 'memcached', reason: 'test' }],
  ['/actions/submit', { kind: 'WorkflowTemplate', namespace: 'shop', name: 'reconcile', parameters: {} }],
  ['/actions/run', { action: 'stop', runs: [{ namespace: 'shop', name: 'reconcile-cache-7' }] }],
  ['/actions/run', { action: 'terminate', runs: [{ namespace: 'shop', name: 'reconcile-cache-7' }] }],
  ['/actions/run', { action: 'suspend', runs: [{ namespace: 'shop', name: 'reconcile-cache-7' }] }],
  ['/actions/run', { action: 'resume', runs: [{ namespace: 'shop', name: 'reconcile-cache-7' }] }],
  ['/actions/cancel', { kind: 'Replay', namespace: 'shop', name: 'morning' }],
  ['/actions/import', { lines: '{"record":{"kind":"gap"}}' }],
]
const statusOf = async (path: string, token?: string) =>
  (await scene.api(path, token === undefined ? {} : { token })).status

describe('without being known', () => {
  it('nothing of the API answers: not without a token, not with garbage', async () => {
    const routes = [...READS, ...OF_SHOP, '/openapi.json', '/poll?topic=events']
    for (const path of routes)
      expect([path, await statusOf(path), await statusOf(path, 'garbage')]).toEqual([path, 401, 401])
    for (const [path, body] of WRITES) {
      const answers = await Promise.all([
        scene.api(path, { method: 'POST', body }),
        scene.api(path, { method: 'POST', body, token: 'garbage' }),
      ])
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 401, 401])
    }
  })

  it('no WebSocket opens', async () => {
    const opened = await openWebSocket({
      url: `${scene.origin}/api/v1/live`,
      subprotocols: ['tiphys.live.v1'],
      headers: { origin: scene.origin },
    })
    expect('refusal' in opened && opened.refusal.statusCode).toBe(401)
  })

  it('the pages come, with a policy that lets nothing else in', async () => {
    const response = await fetch(`${scene.origin}/events/anything`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
    expect(response.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('an administrator', () => {
  it('reads everything', async () => {
    for (const path of [...READS, ...OF_SHOP, '/openapi.json'])
      expect([path, await statusOf(path, tokens.admin)]).toEqual([path, 200])
  })

  it('gets the API described by the table of its routes', async () => {
    const document = (await scene.api('/openapi.json', { token: tokens.admin })).json() as {
      paths: Record<string, Record<string, { parameters: { name: string }[] }>>
    }
    expect(document.paths['/api/v1/events/{id}']?.get?.parameters.map(({ name }) => name)).toEqual(['id', 'depth'])
    for (const [path] of WRITES) expect(document.paths[`/api/v1${path}`]).toHaveProperty('post')
  })

  it('tries an event against a Sensor, as it is and as it might be, and nothing comes of it', async () => {
    const rehearse = async (body: object) => {
      const answer = await scene.api('/rehearsals', { method: 'POST', token: tokens.admin, body })
      return { status: answer.status, ...(answer.json() as object) }
    }
    const sensor = { namespace: 'shop', sensor: 'memcached' }
    const filter = { kind: 'data', text: 'body.spec.size <= 3' }
    expect(await rehearse({ ...sensor, event: STORY.filtered })).toMatchObject({
      status: 200,
      dependencies: [{ name: 'changed', filters: [filter] }],
      triggers: [{ name: 'reconcile', type: 'k8s' }],
    })
    const made = { source: 'memcached/changes', payload: '{"body":{"spec":{"size":9}}}' }
    expect(await rehearse({ ...sensor, ...made })).toMatchObject({
      dependencies: [{ verdict: 'filtered', filters: [{ ...filter, passed: false, inputs: [{ value: '9' }] }] }],
      triggers: [{ verdict: 'filtered' }],
    })
    const manifest = JSON.stringify({
      kind: 'Sensor',
      metadata: { name: 'draft' },
      spec: {
        dependencies: [{ name: 'changed', eventSourceName: 'memcached', eventName: 'changes' }],
        triggers: [{ template: { name: 'log', log: {} } }],
      },
    })
    expect(await rehearse({ ...sensor, ...made, manifest })).toMatchObject({ triggers: [{ verdict: 'fires' }] })
    expect(await rehearse({ ...sensor, event: 'f'.repeat(32) })).toMatchObject({ status: 404 })
    expect(await rehearse({ ...sensor, manifest: 'a: [', ...made })).toMatchObject({ status: 400 })
    expect(await rehearse({ ...sensor })).toMatchObject({ status: 400 })
  })

  it('hears what is wrong with a manifest, with the line, beside what is in the cluster', async () => {
    const lint = async (manifest: string) =>
      (
        await scene.api('/lint', { method: 'POST', token: tokens.admin, body: { namespace: 'shop', manifest } })
      ).json() as { line: number; message: string; severity: string }[]
    const { yaml } = (
      await scene.api('/templates/WorkflowTemplate/shop/reconcile', { token: tokens.admin })
    ).json() as { yaml: string }
    expect(await lint(yaml)).toEqual([])
    const broken = yaml.replace('template: lint', 'template: lynt')
    const line = broken.split('\n').findIndex(text => text.includes('- name: lint')) + 1
    expect(await lint(broken)).toContainEqual(
      expect.objectContaining({ line, severity: 'error', message: expect.stringContaining('lynt') }),
    )
    expect(await lint('a: [')).toMatchObject([{ severity: 'error' }])
  })

  it('alone may try things out: whoever has nothing to do with sensors is refused', async () => {
    const bodies = {
      '/rehearsals': { namespace: 'shop', manifest: '{}', source: 'a/b', payload: '{}' },
      '/lint': { namespace: 'shop', manifest: 'kind: Sensor' },
    }
    for (const [path, body] of Object.entries(bodies)) {
      const answer = await scene.api(path, { method: 'POST', token: tokens.other, body })
      expect([path, answer.status]).toEqual([path, 403])
      expect(answer.text).toContain('sensors.argoproj.io')
    }
  })

  it('does things that become objects of the cluster, and records', async () => {
    const retry = await scene.api('/actions/retry', {
      method: 'POST',
      token: tokens.admin,
      body: { namespace: 'shop', sensor: 'memcached', trigger: 'reconcile' },
    })
    expect(retry.status).toBe(200)
    const { items } = await scene.client.list({ apiVersion: 'tiphys.dev/v1alpha1', kind: 'Retry', namespace: 'shop' })
    expect(items.at(-1)?.spec).toMatchObject({ sensor: 'memcached', trigger: 'reconcile' })
    const stop = await scene.api('/actions/run', {
      method: 'POST',
      token: tokens.admin,
      body: { action: 'stop', runs: [STORY.failedRun] },
    })
    expect(stop.status).toBe(200)
    const stopped = await scene.client.get<KubeObject>({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      ...STORY.failedRun,
    })
    expect(stopped.spec).toMatchObject({ shutdown: 'Stop' })
    await scene.settled()
    const audit = (await scene.api('/audit?q=who%3Asystem*', { token: tokens.admin })).json() as {
      items: { did: string; who: string; outcome: string }[]
    }
    expect(audit.items.slice(0, 2)).toMatchObject([
      { did: 'stop', who: 'system:serviceaccount:shop:admin', outcome: 'allowed' },
      { did: 'retry', outcome: 'allowed' },
    ])
  })

  it('replays what a query finds, each event once and only what is meant', async () => {
    const body = { query: 'sensor:memcached ns:shop', mode: 'failed' }
    const preview = (
      await scene.api('/actions/replay/preview', { method: 'POST', token: tokens.admin, body })
    ).json() as { count: number }
    // Three whose delivery failed, and one whose run did.
    expect(preview.count).toBe(4)
    const made = (
      await scene.api('/actions/replay', { method: 'POST', token: tokens.admin, body: { ...body, rate: 5 } })
    ).json() as { objects: { namespace: string; name: string }[] }
    const [object] = made.objects
    const replay = await scene.client.get<KubeObject>({
      apiVersion: 'tiphys.dev/v1alpha1',
      kind: 'Replay',
      namespace: object?.namespace ?? '',
      name: object?.name ?? '',
    })
    expect(replay.spec).toMatchObject({ eventBusName: 'default', mode: 'Run', rate: 5 })
    expect((replay.spec as { events: string[] }).events).toHaveLength(4)
  })

  it('takes a trace in again, of which everything is there already, and refuses what is no trace', async () => {
    const exported = await scene.api(`/events/${STORY.failed}/export`, { token: tokens.admin })
    const put = (lines: string) =>
      scene.api('/actions/import', { method: 'POST', token: tokens.admin, body: { lines } })
    expect((await put(exported.text)).json()).toMatchObject({ records: 0, events: [STORY.failed] })
    expect((await put('{"hello":1}')).status).toBe(400)
    expect((await put('')).status).toBe(400)
  })
})

describe('a reader of one namespace', () => {
  it('sees that namespace, and nothing of another, in every list and by every id', async () => {
    for (const path of OF_SHOP) expect([path, await statusOf(path, tokens.reader)]).toEqual([path, 200])
    for (const list of ['/events', '/runs', '/objects']) {
      const text = (await scene.api(list, { token: tokens.reader })).text
      expect(text).toContain('"shop"')
      expect(text).not.toContain('"namespace":"default"')
    }
    const { run, steps } = (await scene.api('/runs/default/reconcile-cache-2', { token: tokens.admin })).json() as {
      run: { uid: string }
      steps: { items: { step: string; logs: unknown[] }[] }
    }
    const logs = `/runs/default/reconcile-cache-2/logs/${steps.items.find(step => step.logs.length > 0)?.step}/main`
    expect(await statusOf(`${logs}?uid=${run.uid}`, tokens.admin)).toBe(200)
    expect(await statusOf(`${logs}?uid=${run.uid}`, tokens.reader)).toBe(404)
    expect(await statusOf(`/events/${STORY.ran}`, tokens.reader)).toBe(404)
    expect(await statusOf('/runs/default/reconcile-cache-1', tokens.reader)).toBe(404)
    const { items } = (await scene.api('/search?text=cache-2&limit=50', { token: tokens.reader })).json() as {
      items: object[]
    }
    expect(JSON.stringify(items)).not.toContain('reconcile-cache-2')
  })

  it('is refused every action with the verb and resource in words, and each refusal is on record', async () => {
    for (const [path, body] of WRITES) {
      const answer = await scene.api(path, { method: 'POST', token: tokens.reader, body })
      expect([path, answer.status]).toEqual([path, 403])
      expect(answer.json()).toMatchObject({
        code: 'console-forbidden',
        what: expect.stringMatching(/^you may not (create|patch|update|delete) [a-z.]+ .*in (shop|all namespaces)$/),
      })
    }
    await scene.settled()
    const { items } = (await scene.api('/audit?q=outcome%3Arefused', { token: tokens.admin })).json() as {
      items: { who: string }[]
    }
    expect(items.filter(({ who }) => who === 'system:serviceaccount:shop:reader').length).toBe(WRITES.length)
    const { items: made } = await scene.client.list({
      apiVersion: 'tiphys.dev/v1alpha1',
      kind: 'Discard',
      namespace: 'shop',
    })
    expect(made).toEqual([])
  })

  it('reads what it may do, allowed and denied', async () => {
    const access = (await scene.api('/access?ns=shop', { token: tokens.reader })).json() as {
      actions: { action: string; answer: string; words: string }[]
      reads: { answer: string }[]
    }
    expect(new Set(access.actions.map(({ answer }) => answer))).toEqual(new Set(['denied']))
    expect(new Set(access.reads.map(({ answer }) => answer))).toEqual(new Set(['allowed']))
  })
})

describe('somebody without any right', () => {
  it('is known, and sees empty lists and no detail', async () => {
    for (const list of ['/events', '/runs', '/objects', '/parked', '/health']) {
      const answer = (await scene.api(list, { token: tokens.other })).json() as { items?: unknown[] } | unknown[]
      expect(Array.isArray(answer) ? answer : answer.items).toEqual([])
    }
    for (const path of OF_SHOP.filter(each => !each.includes('manifest')))
      expect([path, await statusOf(path, tokens.other)]).toEqual([path, 404])
    const manifest = (await scene.api('/runs/shop/reconcile-cache-7/manifest', { token: tokens.other })).text
    expect(manifest).toMatch(/^\{"missing":.*forbidden/)
  })
})

describe('live', () => {
  const happening = (namespace: string, name: string) =>
    scene.recorder.record({
      kind: 'event',
      trace: idOf(`${namespace}/${name}`),
      source: { namespace, name: 'memcached', part: 'changes' },
      type: 'resource',
      object: { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached', namespace, name },
      body: { type: 'ADD' },
    })

  it('a reader follows what is new from a cursor on, of what they may see alone', async () => {
    const opened = await openWebSocket({
      url: `${scene.origin}/api/v1/live`,
      subprotocols: ['tiphys.live.v1'],
      headers: { authorization: `Bearer ${tokens.reader}` },
    })
    if (!('socket' in opened)) throw new Error(`refused with ${opened.refusal.statusCode}`)
    opened.socket.write(JSON.stringify({ subscribe: { id: 1, topic: 'events', q: 'name:live*' } }))
    const rows: { object: { namespace: string; name: string } }[] = []
    for await (const message of opened.socket) {
      const { id, rows: some = [] } = JSON.parse(String(message)) as { id?: number; rows?: typeof rows }
      if (id === 1 && some.length === 0) {
        // It follows now: one that is not theirs, then one that is.
        happening('default', 'live-1')
        happening('shop', 'live-2')
      }
      rows.push(...some)
      if (rows.length > 0) break
    }
    expect(rows.map(({ object }) => object.name)).toEqual(['live-2'])
  })

  it('what is no request ends the connection, and a topic that does not exist too', async () => {
    for (const message of [
      '{',
      '{"subscribe":{"id":1,"topic":"secrets"}}',
      '{"subscribe":{"id":"x","topic":"events"}}',
    ]) {
      const opened = await openWebSocket({
        url: `${scene.origin}/api/v1/live`,
        subprotocols: ['tiphys.live.v1'],
        headers: { authorization: `Bearer ${tokens.reader}` },
      })
      if (!('socket' in opened)) throw new Error('refused')
      opened.socket.on('error', () => {}).resume()
      opened.socket.write(message)
      await new Promise(resolve => opened.socket.once('close', resolve))
    }
  })

  it('without a WebSocket a long request waits for what is new, and tells where to go on', async () => {
    const { items } = (await scene.api('/events?limit=1', { token: tokens.admin })).json() as {
      items: { cursor: string }[]
    }
    const waiting = scene.api(`/poll?topic=events&q=name:polled*&cursor=${items[0]?.cursor}`, { token: tokens.admin })
    happening('default', 'polled-1')
    const answer = (await waiting).json() as { rows: { object: { name: string } }[]; cursor: string }
    expect(answer.rows.map(({ object }) => object.name)).toEqual(['polled-1'])
    expect(answer.cursor).not.toBe('')
  })
})

describe('a noisy neighbour', () => {
  it('does not keep others waiting behind all that it has asked for', async () => {
    // The archive answers a question when it is told to; who asked is told by how many rows they want.
    const asked: number[] = []
    const received: string[] = []
    const answers: (() => void)[] = []
    const slow = new Proxy(scene.archive, {
      get: (archive, name: keyof Archive) =>
        name !== 'events'
          ? archive[name]
          : async (...[selection, page]: Parameters<Archive['events']>) => {
              asked.push(page?.limit ?? 0)
              await new Promise<void>(resolve => answers.push(resolve))
              return archive.events(selection, page)
            },
    })
    const console = await startConsole({
      env: scene.env,
      archive: slow,
      recorder: scene.recorder,
      assets,
      port: 0,
      authentication: { mode: 'cluster', reviewer: scene.client },
      clientFor({ user, groups }) {
        received.push(user)
        return scene.server.client().as({ user, groups })
      },
    })
    const ask = async (path: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`http://127.0.0.1:${console.port}/api/v1${path}`, { headers })
      await response.arrayBuffer()
      return response.status
    }
    try {
      // Who they are and what they may see is known then.
      await Promise.all([ask('/objects', tokens.admin), ask('/objects', tokens.reader)])
      received.length = 0
      const flood = Array.from({ length: 40 }, () => ask('/events?limit=100', tokens.admin))
      await expect.poll(() => received.length).toBeGreaterThanOrEqual(40)
      const quiet = ask('/events?limit=1', tokens.reader)
      await expect.poll(() => received.some(user => user.endsWith(':reader'))).toBe(true)
      // What is left of the way to the archive waits for nothing outside this process.
      for (let turn = 0; turn < 100; turn++) await setImmediate()
      const answerAll = async () => {
        while (asked.length < 41 || answers.length > 0) {
          answers.shift()?.()
          await setImmediate()
        }
      }
      const [status] = await Promise.all([quiet, answerAll(), ...flood])
      expect(status).toBe(200)
      // Behind all of them it would have been the 41st.
      expect(asked.indexOf(1)).toBeLessThan(20)
    } finally {
      await console.close()
    }
  })
})

describe('bad requests', () => {
  it.each([
    ['/events?limit=0', 400],
    ['/events?limit=x', 400],
    ['/events?unknown=1', 400],
    ['/events?q=nofield%3A1', 400],
    ['/events?q=%22open', 400],
    ['/events/%ff', 400],
    ['/nothing', 404],
    ['/objects/nokind/-/x', 400],
    ['/run-groups?by=colour', 400],
    ['/runs/shop/none', 404],
  ])('%s is answered with %i and a code', async (path, status) => {
    const answer = await scene.api(path, { token: tokens.admin })
    expect(answer.status).toBe(status)
    expect(answer.json()).toMatchObject({ code: expect.stringMatching(/^(console|query)-/), what: expect.any(String) })
  })

  it('bodies that are too large, no JSON, or of another shape are refused', async () => {
    const post = (body: string, headers = {}) =>
      fetch(`${scene.origin}/api/v1/actions/discard`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens.admin}`,
          'content-type': 'application/json',
          'x-tiphys': '1',
          ...headers,
        },
        body,
      }).then(({ status }) => status)
    expect(await post('{')).toBe(400)
    expect(await post('{"namespace":"shop","sensor":"memcached","reason":" "}')).toBe(400)
    expect(await post('{"namespace":"shop","sensor":"memcached","reason":"x","more":1}')).toBe(400)
    expect(await post(JSON.stringify({ reason: 'x'.repeat(2 ** 20) }))).toBe(413)
    expect(await post('{}', { 'x-tiphys': '0', authorization: 'Basic dTpw' })).toBe(403)
  })

  it('a name that was bound to this machine is refused before anything is read', async () => {
    const call = request({
      host: '127.0.0.1',
      port: scene.console.port,
      path: '/api/v1/events',
      headers: { host: `evil.test:${scene.console.port}`, authorization: `Bearer ${tokens.admin}` },
    }).end()
    const [response] = await once(call, 'response')
    expect(response.statusCode).toBe(421)
    response.resume()
  })
})

describe('starting', () => {
  const options = (more: Partial<ConsoleOptions>): ConsoleOptions => ({
    env: scene.env,
    archive: scene.archive,
    recorder: scene.recorder,
    assets,
    clientFor: () => scene.client,
    authentication: { mode: 'local', token: TOKEN, caller: { user: 'local', groups: [] } },
    ...more,
  })

  it('refuses any address but loopback without the cluster’s authentication', async () => {
    for (const host of ['0.0.0.0', '::', '192.168.0.1'])
      await expect(startConsole(options({ host, port: 0 }))).rejects.toMatchObject({
        code: 'console-needs-authentication',
      })
  })

  it('takes the next port when one is taken, and is not reachable elsewhere', async () => {
    const taken = createServer()
    await once(taken.listen(0, '127.0.0.1'), 'listening')
    const { port } = taken.address() as { port: number }
    const console = await startConsole(options({ port }))
    expect(console.port).toBeGreaterThan(port)
    expect(console.url).toBe(`http://127.0.0.1:${console.port}/#token=${TOKEN}`)
    const outside = Object.values(networkInterfaces())
      .flat()
      .find(each => each?.family === 'IPv4' && !each.internal)
    if (outside) await expect(fetch(`http://${outside.address}:${console.port}/`)).rejects.toThrow()
    await console.close()
    taken.close()
  })

  it('takes the word of a proxy at an address that is trusted, of nobody else, and never beside the local token', async () => {
    const trustedProxy = { from: ['127.0.0.1'], groupsHeader: 'x-forwarded-groups' }
    await expect(startConsole(options({ trustedProxy, port: 0 }))).rejects.toMatchObject({
      code: 'console-proxy-invalid',
    })
    const cluster = { authentication: { mode: 'cluster', reviewer: scene.client }, port: 0 } as const
    const clientFor: ConsoleOptions['clientFor'] = ({ user, groups }) => scene.server.client().as({ user, groups })
    await scene.client.create({
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: { namespace: 'shop', name: 'proxied' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'shop-readers' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    })
    const behind = await startConsole(options({ ...cluster, clientFor, trustedProxy }))
    const elsewhere = await startConsole(options({ ...cluster, clientFor, trustedProxy: { from: ['10.0.0.7'] } }))
    const ask = async (of: { port: number }, path: string, headers: Record<string, string>) => {
      const response = await fetch(`http://127.0.0.1:${of.port}/api/v1${path}`, { headers })
      return { status: response.status, text: await response.text() }
    }
    const jane = { 'x-forwarded-user': 'jane', 'x-forwarded-groups': 'shop-readers,system:masters' }
    try {
      const session = await ask(behind, '/session', jane)
      expect(JSON.parse(session.text)).toMatchObject({ user: 'jane', groups: ['shop-readers'] })
      const events = await ask(behind, '/events', jane)
      expect(events.text).toContain('"shop"')
      expect(events.text).not.toContain('"namespace":"default"')
      expect((await ask(behind, '/session', {})).status).toBe(401)
      expect((await ask(behind, '/session', { 'x-forwarded-user': 'system:admin' })).status).toBe(401)
      expect((await ask(behind, '/session', { ...jane, origin: 'http://evil.test' })).status).toBe(403)
      expect((await ask(elsewhere, '/session', jane)).status).toBe(401)
      expect((await ask(elsewhere, '/session', { ...jane, authorization: `Bearer ${tokens.reader}` })).status).toBe(200)
      const opened = await openWebSocket({
        url: `http://127.0.0.1:${behind.port}/api/v1/live`,
        subprotocols: ['tiphys.live.v1'],
        headers: { origin: `http://127.0.0.1:${behind.port}`, ...jane },
      })
      if ('refusal' in opened) throw new Error(`refused with ${opened.refusal.statusCode}`)
      opened.socket.on('error', () => {}) // it is ended without a goodbye
      opened.socket.destroy()
    } finally {
      await behind.close()
      await elsewhere.close()
    }
  })

  it('says what to do when its pages were not built', async () => {
    await expect(startConsole(options({ assets: '/nowhere' }))).rejects.toMatchObject({
      code: 'console-assets-missing',
      todo: 'Build them with npm run build',
    })
  })
})
