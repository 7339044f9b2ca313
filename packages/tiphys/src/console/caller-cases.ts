import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { startConsole } from '@tiphys/console'
import { idOf, STORY } from '@tiphys/console/testing'
import { type KubeObject, openWebSocket } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { RBAC } from './scene.ts'
import type { ConsoleStage } from './stage.ts'

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
/** What each kind of caller sees and may do. */
export function callerCases(stage: ConsoleStage): void {
  /** Every route but those of signing in and out, with something for each part of its path. */
  async function describedRoutes(): Promise<readonly { method: 'GET' | 'POST'; path: string }[]> {
    const { paths } = (await stage.scene.api('/openapi.json', { token: stage.tokens.admin })).json() as {
      paths: Record<string, object>
    }
    return Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .map(method => method.toUpperCase() as 'GET' | 'POST')
        .filter(method => method === 'GET' || path !== '/api/v1/session')
        .map(method => ({ method, path: path.slice('/api/v1'.length).replaceAll(/\{\w+\}/g, 'x') })),
    )
  }

  describe('without being known', () => {
    it('nothing of the API answers: not without a token, not with garbage', async () => {
      const routes = [...READS, ...OF_SHOP, '/openapi.json', '/poll?topic=events']
      for (const path of routes)
        expect([path, await stage.statusOf(path), await stage.statusOf(path, 'garbage')]).toEqual([path, 401, 401])
      for (const [path, body] of WRITES) {
        const answers = await Promise.all([
          stage.scene.api(path, { method: 'POST', body }),
          stage.scene.api(path, { method: 'POST', body, token: 'garbage' }),
        ])
        expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 401, 401])
      }
    })

    it('no route that the API describes answers, whatever is asked of it', async () => {
      const routes = await describedRoutes()
      expect(routes.length).toBeGreaterThan(45)
      for (const { method, path } of routes) {
        const call = { method, ...(method === 'POST' && { body: {} }) }
        const answers = await Promise.all([
          stage.scene.api(path, call),
          stage.scene.api(path, { ...call, token: 'garbage' }),
        ])
        expect([method, path, ...answers.map(({ status }) => status)]).toEqual([method, path, 401, 401])
      }
    })

    it('no WebSocket opens', async () => {
      const opened = await openWebSocket({
        url: `${stage.scene.origin}/api/v1/live`,
        subprotocols: ['tiphys.live.v1'],
        headers: { origin: stage.scene.origin },
      })
      expect('refusal' in opened && opened.refusal.statusCode).toBe(401)
    })

    it('the pages come, with a policy that lets nothing else in', async () => {
      const response = await fetch(`${stage.scene.origin}/events/anything`)
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
        expect([path, await stage.statusOf(path, stage.tokens.admin)]).toEqual([path, 200])
    })

    it('reads one namespace alone where it is named: in every list, in what is found, in what is offered to be typed', async () => {
      const namesOf = async (path: string) => {
        const { text } = await stage.scene.api(path, { token: stage.tokens.admin })
        return new Set([...text.matchAll(/"namespace":"([^"]*)"/g)].map(([, name]) => name))
      }
      const lists = ['/events', '/runs', '/objects', '/health', '/health-history', '/search?text=cache&limit=100']
      for (const list of lists) {
        expect([list, (await namesOf(list)).size > 1]).toEqual([list, true])
        const narrowed = `${list}${list.includes('?') ? '&' : '?'}ns=shop`
        expect([list, [...(await namesOf(narrowed))]]).toEqual([list, ['shop']])
      }
      const offered = async (ns: string) => {
        const path = `/complete?field=name&of=objects&prefix=cache&ns=${ns}`
        const values = (await stage.scene.api(path, { token: stage.tokens.admin })).json() as { value: string }[]
        return values.map(({ value }) => value).sort()
      }
      expect(await offered('')).toContain('cache-1')
      expect(await offered('shop')).toEqual(['cache-0', 'cache-3', 'cache-6', 'cache-7'])
    })

    it('reads why runs failed in the same way: of the step that did, not that a child of the run failed', async () => {
      for (const name of ['twin-1', 'twin-2']) {
        const about = { trace: '', run: { namespace: 'shop', name, uid: `${name}-uid` } }
        const at = Date.now() - 60_000
        const times = { startedAt: at, finishedAt: at + 1000 }
        const message = `child '${name}-3002051226' failed`
        const cause = { step: 'second', message: 'Error (exit code 3)' }
        stage.scene.recorder.record({
          kind: 'run',
          ...about,
          phase: 'Failed',
          message,
          cause,
          template: 'twins',
          ...times,
        })
      }
      await stage.scene.settled()
      const why = 'second: Error (exit code 3)'
      const overview = (await stage.scene.api('/overview', { token: stage.tokens.admin })).json() as {
        attention: object[]
      }
      expect(overview.attention).toContainEqual(
        expect.objectContaining({ title: '2 runs failed in the same way', detail: why, count: 2 }),
      )
      const groups = (
        await stage.scene.api('/run-groups?by=fingerprint&q=template:twins', { token: stage.tokens.admin })
      ).json()
      expect(groups).toEqual([expect.objectContaining({ count: 2, message: why })])
    })

    it('reads who owns an object and what it owns, as far as others may list it', async () => {
      const deployment = await stage.scene.client.get<KubeObject>({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'default',
        name: 'cache-1',
      })
      const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cache-1', uid: deployment.metadata.uid ?? '' }
      await stage.scene.client.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { namespace: 'default', name: 'cache-1-abc', ownerReferences: [{ ...owner, controller: true }] },
        spec: { ...(deployment.spec as object), replicas: 0, strategy: undefined },
      })
      const read = async (path: string) =>
        (await stage.scene.api(path, { token: stage.tokens.admin })).json() as { owners: object[]; owned: object[] }
      const [above, below] = await Promise.all([
        read('/objects/Deployment.v1.apps/default/cache-1'),
        read('/objects/ReplicaSet.v1.apps/default/cache-1-abc'),
      ])
      expect(above.owned).toEqual([expect.objectContaining({ kind: 'ReplicaSet', name: 'cache-1-abc' })])
      expect(below.owners).toEqual([expect.objectContaining({ kind: 'Deployment', name: 'cache-1' })])
    })

    it('tries an event against a Sensor, as it is and as it might be, and nothing comes of it', async () => {
      const rehearse = async (body: object) => {
        const answer = await stage.scene.api('/rehearsals', { method: 'POST', token: stage.tokens.admin, body })
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
          await stage.scene.api('/lint', {
            method: 'POST',
            token: stage.tokens.admin,
            body: { namespace: 'shop', manifest },
          })
        ).json() as { line: number; message: string; severity: string }[]
      const { yaml } = (
        await stage.scene.api('/templates/WorkflowTemplate/shop/reconcile', { token: stage.tokens.admin })
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
        const answer = await stage.scene.api(path, { method: 'POST', token: stage.tokens.other, body })
        expect([path, answer.status]).toEqual([path, 403])
        expect(answer.text).toContain('sensors.argoproj.io')
      }
    })

    it('does things that become objects of the cluster, and records', async () => {
      const retry = await stage.scene.api('/actions/retry', {
        method: 'POST',
        token: stage.tokens.admin,
        body: { namespace: 'shop', sensor: 'memcached', trigger: 'reconcile' },
      })
      expect(retry.status).toBe(200)
      const { items } = await stage.scene.client.list({
        apiVersion: 'tiphys.dev/v1alpha1',
        kind: 'Retry',
        namespace: 'shop',
      })
      expect(items.at(-1)?.spec).toMatchObject({ sensor: 'memcached', trigger: 'reconcile' })
      const stop = await stage.scene.api('/actions/run', {
        method: 'POST',
        token: stage.tokens.admin,
        body: { action: 'stop', runs: [STORY.failedRun] },
      })
      expect(stop.status).toBe(200)
      const stopped = await stage.scene.client.get<KubeObject>({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Workflow',
        ...STORY.failedRun,
      })
      expect(stopped.spec).toMatchObject({ shutdown: 'Stop' })
      await stage.scene.settled()
      const audit = (await stage.scene.api('/audit?q=who%3Asystem*', { token: stage.tokens.admin })).json() as {
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
        await stage.scene.api('/actions/replay/preview', { method: 'POST', token: stage.tokens.admin, body })
      ).json() as { count: number }
      // Three whose delivery failed, and one whose run did.
      expect(preview.count).toBe(4)
      const made = (
        await stage.scene.api('/actions/replay', {
          method: 'POST',
          token: stage.tokens.admin,
          body: { ...body, rate: 5 },
        })
      ).json() as { objects: { namespace: string; name: string }[] }
      const [object] = made.objects
      const replay = await stage.scene.client.get<KubeObject>({
        apiVersion: 'tiphys.dev/v1alpha1',
        kind: 'Replay',
        namespace: object?.namespace ?? '',
        name: object?.name ?? '',
      })
      expect(replay.spec).toMatchObject({ eventBusName: 'default', mode: 'Run', rate: 5 })
      expect((replay.spec as { events: string[] }).events).toHaveLength(4)
    })

    it('replays as many events as one object takes when they are chosen one by one, without those that were on no bus', async () => {
      const source = { namespace: 'shop', name: 'memcached', part: 'changes' }
      const chosen = Array.from({ length: 600 }, (_, i) => idOf(`chosen-${i}`))
      for (const trace of chosen)
        stage.scene.recorder.record({
          kind: 'event',
          trace,
          source,
          bus: 'shop/default',
          type: 'webhook',
        })
      const onNone = idOf('chosen-on-none')
      stage.scene.recorder.record({ kind: 'event', trace: onNone, source, type: 'webhook', isEnded: true })
      await stage.scene.settled()
      const call = { method: 'POST', token: stage.tokens.admin } as const
      const body = { events: [...chosen.toReversed(), onNone, ...chosen.slice(0, 5)], mode: 'no-run' }
      const preview = await stage.scene.api('/actions/replay/preview', { ...call, body })
      expect(preview.json()).toMatchObject({ count: 600, isCut: false, runs: 0 })
      const made = await stage.scene.api('/actions/replay', { ...call, body: { ...body, rate: 100 } })
      expect(made.json()).toMatchObject({ count: 600, objects: [{ namespace: 'shop' }] })
    })

    it('fires an event in their own name, not in that of whoever started the console', async () => {
      const body = { namespace: 'shop', source: 'orders', entry: 'incoming', payload: {} }
      const call = { method: 'POST', token: stage.tokens.admin, body } as const
      expect((await stage.scene.api('/actions/fire', call)).status).toBe(200)
      expect(stage.firedBy.at(-1)).toBe('system:serviceaccount:shop:admin')
    })

    it('starts what a CronWorkflow has inside before its time', async () => {
      const body = { kind: 'CronWorkflow', namespace: 'shop', name: 'nightly', parameters: { day: 'yesterday' } }
      const { status, text } = await stage.scene.api('/actions/submit', {
        token: stage.tokens.admin,
        method: 'POST',
        body,
      })
      expect(status).toBe(200)
      const made = JSON.parse(text) as KubeObject
      expect(made.metadata).toMatchObject({
        name: expect.stringMatching(/^nightly-/),
        labels: { 'workflows.argoproj.io/cron-workflow': 'nightly' },
      })
      expect(made.spec).toMatchObject({
        entrypoint: 'report',
        arguments: { parameters: [{ name: 'day', value: 'yesterday' }] },
      })
    })

    it('reads which sensor ends events at a filter that cannot be carried out, and what it says; none of them waits', async () => {
      const at = Date.now()
      for (const trace of [idOf('undecided-1'), idOf('undecided-2')]) {
        const source = { namespace: 'shop', name: 'orders', part: 'incoming' }
        stage.scene.recorder.record({ kind: 'event', at, trace, source, type: 'webhook', body: { country: 'FR' } })
        stage.scene.recorder.record({
          kind: 'decision',
          at,
          trace,
          trigger: { namespace: 'shop', name: 'memcached', part: 'reconcile' },
          events: [trace],
          dependency: 'order',
          verdict: 'failed',
          by: 'exprs',
          message: 'No parameter found.',
        })
      }
      await stage.scene.settled()
      const { attention, flow } = (await stage.scene.api('/overview', { token: stage.tokens.admin })).json() as {
        attention: object[]
        flow: { nodes: { id: string; backlog: number }[] }
      }
      expect(attention).toContainEqual(
        expect.objectContaining({
          title: 'Sensor shop/memcached: 2 events ended at a filter that could not be carried out',
          detail: 'exprs: No parameter found.',
          events: 'sensor:shop/memcached status:failed',
        }),
      )
      const trigger = flow.nodes.find(({ id }) => id === 'trigger:shop:memcached:reconcile')
      expect(trigger?.backlog).toBe(0)
    })

    it('replays of a query what tiphys replay would: not what was sent again itself, unless it is asked for', async () => {
      const counted = async (query: string) => {
        const call = { method: 'POST', token: stage.tokens.admin, body: { query, mode: 'all' } } as const
        return ((await stage.scene.api('/actions/replay/preview', call)).json() as { count: number }).count
      }
      const { total } = await stage.scene.archive.events({ query: 'ns:default' })
      const replays = (await stage.scene.archive.events({ query: 'ns:default replayof:*' })).total.count
      expect(replays).toBeGreaterThan(0)
      expect(await counted('ns:default')).toBe(total.count - replays)
      expect(await counted('ns:default replayof:*')).toBe(replays)
    })

    it('reads of a Secret the names of what it keeps, never the values', async () => {
      const [value, encoded] = ['correct horse', Buffer.from('correct horse').toString('base64')]
      await stage.scene.client.create<KubeObject>({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          namespace: 'shop',
          name: 'database',
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":{"password":"${value}"}}` },
        },
        data: { password: encoded },
      })
      const { text } = await stage.scene.api('/objects/Secret.v1/shop/database', { token: stage.tokens.admin })
      expect(text).toContain('password: (masked)')
      expect([text.includes(value), text.includes(encoded)]).toEqual([false, false])
    })

    it('takes a trace in again, of which everything is there already, and refuses what is no trace', async () => {
      const exported = await stage.scene.api(`/events/${STORY.failed}/export`, { token: stage.tokens.admin })
      const put = (lines: string) =>
        stage.scene.api('/actions/import', { method: 'POST', token: stage.tokens.admin, body: { lines } })
      expect((await put(exported.text)).json()).toMatchObject({ records: 0, events: [STORY.failed] })
      expect((await put('{"hello":1}')).status).toBe(400)
      expect((await put('')).status).toBe(400)
    })
  })

  describe('a reader of one namespace', () => {
    it('sees that namespace, and nothing of another, in every list and by every id', async () => {
      for (const path of OF_SHOP) expect([path, await stage.statusOf(path, stage.tokens.reader)]).toEqual([path, 200])
      for (const list of ['/events', '/runs', '/objects']) {
        const text = (await stage.scene.api(list, { token: stage.tokens.reader })).text
        expect(text).toContain('"shop"')
        expect(text).not.toContain('"namespace":"default"')
      }
      const { run, steps } = (
        await stage.scene.api('/runs/default/reconcile-cache-2', { token: stage.tokens.admin })
      ).json() as {
        run: { uid: string }
        steps: { items: { step: string; logs: unknown[] }[] }
      }
      const logs = `/runs/default/reconcile-cache-2/logs/${steps.items.find(step => step.logs.length > 0)?.step}/main`
      expect(await stage.statusOf(`${logs}?uid=${run.uid}`, stage.tokens.admin)).toBe(200)
      expect(await stage.statusOf(`${logs}?uid=${run.uid}`, stage.tokens.reader)).toBe(404)
      expect(await stage.statusOf(`/events/${STORY.ran}`, stage.tokens.reader)).toBe(404)
      expect(await stage.statusOf('/runs/default/reconcile-cache-1', stage.tokens.reader)).toBe(404)
      const { items } = (
        await stage.scene.api('/search?text=cache-2&limit=50', { token: stage.tokens.reader })
      ).json() as {
        items: object[]
      }
      expect(JSON.stringify(items)).not.toContain('reconcile-cache-2')
    })

    it('is told how far the archive is, and not how much is in it', async () => {
      const toldTo = async (token: string) => Object.keys((await stage.scene.api('/status', { token })).json()).sort()
      const common = ['database', 'gaps', 'lag', 'lagMs', 'schema', 'state']
      const ofAll = ['bytes', 'events', 'head', 'newestAt', 'oldestAt', 'position', 'records', 'runs', 'unknown']
      expect(await toldTo(stage.tokens.reader)).toEqual(common)
      expect(await toldTo(stage.tokens.other)).toEqual(common)
      expect(await toldTo(stage.tokens.admin)).toEqual([...common, ...ofAll].sort())
    })

    it('is refused every action with the verb and resource in words, and each refusal is on record', async () => {
      for (const [path, body] of WRITES) {
        const answer = await stage.scene.api(path, { method: 'POST', token: stage.tokens.reader, body })
        expect([path, answer.status]).toEqual([path, 403])
        expect(answer.json()).toMatchObject({
          code: 'console-forbidden',
          what: expect.stringMatching(/^you may not (create|patch|update|delete) [a-z.]+ .*in (shop|all namespaces)$/),
        })
      }
      await stage.scene.settled()
      const { items } = (await stage.scene.api('/audit?q=outcome%3Arefused', { token: stage.tokens.admin })).json() as {
        items: { who: string }[]
      }
      expect(items.filter(({ who }) => who === 'system:serviceaccount:shop:reader').length).toBe(WRITES.length)
      const { items: made } = await stage.scene.client.list({
        apiVersion: 'tiphys.dev/v1alpha1',
        kind: 'Discard',
        namespace: 'shop',
      })
      expect(made).toEqual([])
    })

    it('reads what it may do, allowed and denied', async () => {
      const access = (await stage.scene.api('/access?ns=shop', { token: stage.tokens.reader })).json() as {
        actions: { action: string; answer: string; words: string }[]
        reads: { answer: string }[]
      }
      expect(new Set(access.actions.map(({ answer }) => answer))).toEqual(new Set(['denied']))
      expect(new Set(access.reads.map(({ answer }) => answer))).toEqual(new Set(['allowed']))
    })
  })

  describe('a reader of one kind', () => {
    it('exports of an event what they may see of it, and no run, step, output or write of another kind', async () => {
      const role = { namespace: 'shop', name: 'caches' }
      await stage.scene.client.create<KubeObject>({
        apiVersion: RBAC,
        kind: 'Role',
        metadata: role,
        rules: [{ apiGroups: ['cache.example.com'], resources: ['memcacheds'], verbs: ['get', 'list'] }],
      })
      await stage.scene.client.create<KubeObject>({
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: role,
        subjects: [{ kind: 'ServiceAccount', ...role }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'caches' },
      })
      const exported = async (token: string) => {
        const { text } = await stage.scene.api(`/events/${STORY.failed}/export`, { token })
        const lines = text.trim().split('\n')
        const kinds = new Set(lines.map(line => (JSON.parse(line) as { record: { kind: string } }).record.kind))
        return ['event', 'delivery', 'run', 'step', 'log'].filter(kind => kinds.has(kind))
      }
      expect(await exported(await stage.scene.tokenOf('caches'))).toEqual(['event', 'delivery'])
      expect(await exported(stage.tokens.admin)).toEqual(['event', 'delivery', 'run', 'step', 'log'])
    })
  })

  describe('whoever signs in', () => {
    const headers = { 'content-type': 'application/json', 'x-tiphys': '1' }
    const session = (method: string, more: { cookie?: string; token?: string } = {}) => {
      const { cookie, token } = more
      return fetch(`${stage.scene.origin}/api/v1/session`, {
        method,
        headers: { ...headers, ...(cookie !== undefined && { cookie }) },
        ...(method !== 'GET' && { body: JSON.stringify(token === undefined ? {} : { token }) }),
      })
    }

    it('and out again leaves a cookie behind that is worth nothing, and nobody else’s', async () => {
      const signIn = async () => {
        const [cookie = ''] = (await session('POST', { token: stage.tokens.reader })).headers.getSetCookie()
        return cookie.slice(0, cookie.indexOf(';'))
      }
      const [here, elsewhere] = [await signIn(), await signIn()]
      expect((await session('GET', { cookie: here })).status).toBe(200)
      expect((await session('DELETE', { cookie: here })).status).toBe(200)
      const [left, other] = [await session('GET', { cookie: here }), await session('GET', { cookie: elsewhere })]
      expect([left.status, other.status]).toEqual([401, 200])
    })

    it('with a token that no cookie holds is told so, rather than asked to sign in for ever', async () => {
      const { env, archive, recorder, client } = stage.scene
      const token = 'x'.repeat(3500)
      const caller = { user: 'local', groups: [] }
      const console = await startConsole({
        env,
        archive,
        recorder,
        assets: stage.assets,
        port: 0,
        authentication: { mode: 'local', token, caller },
        clientFor: () => client,
      })
      try {
        const body = JSON.stringify({ token })
        const answer = await fetch(`http://127.0.0.1:${console.port}/api/v1/session`, { method: 'POST', headers, body })
        expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('too long for the cookie')])
      } finally {
        await console.close()
      }
    })
  })

  describe('somebody who may not import', () => {
    it('is refused before what they send is read, and that is on record', async () => {
      const call = request({
        host: '127.0.0.1',
        port: stage.scene.console.port,
        path: '/api/v1/actions/import',
        method: 'POST',
        headers: {
          authorization: `Bearer ${stage.tokens.other}`,
          'content-type': 'application/json',
          'content-length': 60 * 2 ** 20,
        },
      })
      call.flushHeaders()
      const [response] = (await once(call, 'response')) as [IncomingMessage]
      response.resume()
      call.on('error', () => {}).destroy()
      expect(response.statusCode).toBe(403)
      await stage.scene.settled()
      const path = '/audit?q=outcome%3Arefused%20did%3Aimport%20who%3A*other'
      const { items } = (await stage.scene.api(path, { token: stage.tokens.admin })).json() as { items: object[] }
      expect(items).toEqual([expect.objectContaining({ did: 'import', outcome: 'refused' })])
    })
  })

  describe('somebody without any right', () => {
    it('is known, and sees empty lists and no detail', async () => {
      for (const list of ['/events', '/runs', '/objects', '/parked', '/health']) {
        const answer = (await stage.scene.api(list, { token: stage.tokens.other })).json() as
          | { items?: unknown[] }
          | unknown[]
        expect(Array.isArray(answer) ? answer : answer.items).toEqual([])
      }
      for (const path of OF_SHOP.filter(each => !each.includes('manifest')))
        expect([path, await stage.statusOf(path, stage.tokens.other)]).toEqual([path, 404])
      const manifest = (await stage.scene.api('/runs/shop/reconcile-cache-7/manifest', { token: stage.tokens.other }))
        .text
      expect(manifest).toMatch(/^\{"missing":.*forbidden/)
    })
  })
}
