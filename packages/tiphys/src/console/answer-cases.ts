import { ARTIFACT_RUN, STORY } from '@tiphys/console/testing'
import { type KubeObject, openWebSocket } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import type { ConsoleStage } from './stage.ts'

const RUN = '/runs/shop/reconcile-cache-7'
const OF_ARTIFACTS = `/runs/${ARTIFACT_RUN.namespace}/${ARTIFACT_RUN.name}/artifacts`
const REPLAY = { query: 'status:failed', mode: 'all' }
const PARKED = { namespace: 'shop', sensor: 'memcached', trigger: 'reconcile' }

const OPERATORS: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'operators.tiphys.dev' },
  spec: {
    group: 'tiphys.dev',
    scope: 'Namespaced',
    names: { kind: 'Operator', plural: 'operators', singular: 'operator', listKind: 'OperatorList' },
    versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

/** For every operation that the API describes a request that it grants. */
const REQUESTS: Readonly<Record<string, readonly [path: string, body?: object]>> = {
  'GET /session': ['/session'],
  'DELETE /session': ['/session'],
  'GET /openapi.json': ['/openapi.json'],
  'GET /overview': ['/overview?window=604800'],
  'GET /parked': ['/parked'],
  'GET /health': ['/health'],
  'GET /health-history': ['/health-history'],
  'GET /audit': ['/audit'],
  'GET /complete': ['/complete?field=status'],
  'GET /status': ['/status'],
  'GET /events': ['/events?limit=1000'],
  'GET /sensors/{namespace}/{name}/events': ['/sensors/shop/memcached/events?limit=100'],
  'GET /events/{id}': [`/events/${STORY.failed}?depth=5`],
  'GET /events/{id}/payload': [`/events/${STORY.failed}/payload`],
  'GET /events/{id}/export': [`/events/${STORY.failed}/export`],
  'GET /events/{id}/relatives': [`/events/${STORY.ran}/relatives`],
  'POST /events/{namespace}/{discriminator}': ['/events/shop/hello', { any: ['thing'] }],
  'POST /events/{namespace}/': ['/events/shop/', {}],
  'GET /runs': ['/runs?limit=1000'],
  'GET /run-groups': ['/run-groups?by=fingerprint'],
  'GET /runs/{namespace}/{name}': [RUN],
  'GET /runs/{namespace}/{name}/manifest': [`${RUN}/manifest`],
  'GET /runs/{namespace}/{name}/logs/{step}/{container}': [`${RUN}/logs/apply-1/main?tail=true`],
  'GET /runs/{namespace}/{name}/logs/{step}/{container}/file': [`${RUN}/logs/apply-1/main/file`],
  'GET /kinds': ['/kinds'],
  'GET /objects': ['/objects?limit=1000'],
  'GET /objects/{gvk}/{namespace}/{name}': ['/objects/Deployment.v1.apps/default/cache-1'],
  'GET /search': ['/search?text=cache&limit=100'],
  'GET /templates': ['/templates'],
  'GET /pipeline': ['/pipeline'],
  'GET /replays': ['/replays'],
  'GET /operators': ['/operators'],
  'GET /templates/{kind}/{namespace}/{name}': ['/templates/WorkflowTemplate/shop/reconcile'],
  'GET /pipeline/{kind}/{namespace}/{name}': ['/pipeline/Sensor/shop/memcached'],
  'GET /replays/{kind}/{namespace}/{name}': ['/replays/Replay/shop/morning'],
  'GET /access': ['/access?ns=shop'],
  'GET /buses': ['/buses'],
  'GET /figures': ['/figures'],
  'POST /actions/replay/preview': ['/actions/replay/preview', REPLAY],
  'POST /actions/replay': ['/actions/replay', REPLAY],
  'POST /actions/retry': ['/actions/retry', PARKED],
  'POST /actions/discard': ['/actions/discard', { ...PARKED, reason: 'It is a test.' }],
  'POST /actions/fire': ['/actions/fire', { namespace: 'shop', source: 'orders', entry: 'incoming', payload: {} }],
  'POST /actions/submit': [
    '/actions/submit',
    { kind: 'WorkflowTemplate', namespace: 'shop', name: 'reconcile', parameters: { mode: 'dry-run' } },
  ],
  'POST /actions/run': ['/actions/run', { action: 'resubmit', runs: [STORY.failedRun] }],
  'POST /rehearsals': ['/rehearsals', { namespace: 'shop', sensor: 'memcached', event: STORY.filtered }],
  'POST /lint': ['/lint', { namespace: 'shop', manifest: 'kind: Sensor' }],
}

/** The API's document says the truth. `ConsoleScene.api` holds every answer against it, in whatever test. */
export function answerCases(stage: ConsoleStage): void {
  const admin = () => ({ token: stage.tokens.admin })
  const post = async (path: string, body: object) => stage.scene.api(path, { ...admin(), method: 'POST', body })

  const oldest = async (): Promise<string> => {
    const { items } = (await stage.scene.api('/events?order=oldest&limit=1', admin())).json() as {
      items: { cursor: string }[]
    }
    return items[0]?.cursor ?? ''
  }

  /** Those that depend on what is there. */
  const found: Readonly<Record<string, () => Promise<{ status: number }>>> = {
    'POST /session': () => post('/session', { token: stage.tokens.admin }),
    'GET /poll': async () => stage.scene.api(`/poll?topic=changes&cursor=${await oldest()}`, admin()),
    'GET /parked/{fingerprint}': async () => {
      const [group] = (await stage.scene.api('/parked', admin())).json() as { fingerprint: string }[]
      return stage.scene.api(`/parked/${group?.fingerprint}`, admin())
    },
    'GET /writes/{write}': async () => {
      const { writes } = (await stage.scene.api(`/events/${STORY.ran}`, admin())).json() as { writes: { id: number }[] }
      return stage.scene.api(`/writes/${writes[0]?.id}`, admin())
    },
    'GET /runs/{namespace}/{name}/artifacts/{step}': async () => {
      await stage.scene.tellArtifacts()
      return stage.scene.api(`${OF_ARTIFACTS}/make`, admin())
    },
    'GET /runs/{namespace}/{name}/artifacts/{step}/file': async () => {
      await stage.scene.tellArtifacts()
      return stage.scene.api(`${OF_ARTIFACTS}/make/file?of=outputs&artifact=report`, admin())
    },
    'GET /pod-events/{namespace}/{pod}': async () => {
      const involvedObject = { kind: 'Pod', namespace: 'shop', name: 'told' }
      const metadata = { namespace: 'shop', name: 'told.1' }
      const event = { type: 'Normal', reason: 'Scheduled', message: 'It found a place.' }
      await stage.scene.client.create({ apiVersion: 'v1', kind: 'Event', metadata, involvedObject, ...event })
      return stage.scene.api('/pod-events/shop/told', admin())
    },
    'GET /operators/{kind}/{namespace}/{name}': async () => {
      await stage.scene.client.create(OPERATORS)
      await stage.scene.served('operators.tiphys.dev')
      const metadata = { namespace: 'shop', name: 'own' }
      await stage.scene.client.create({ apiVersion: 'tiphys.dev/v1alpha1', kind: 'Operator', metadata, spec: {} })
      return stage.scene.api('/operators/Operator/shop/own', admin())
    },
    'POST /actions/cancel': async () => {
      const metadata = { namespace: 'shop', name: 'unwanted' }
      await stage.scene.client.create({
        apiVersion: 'tiphys.dev/v1alpha1',
        kind: 'Replay',
        metadata,
        spec: { events: [] },
      })
      return post('/actions/cancel', { kind: 'Replay', ...metadata })
    },
    'POST /actions/import': async () => {
      const { text } = await stage.scene.api(`/events/${STORY.ran}/export`, admin())
      return post('/actions/import', { lines: text })
    },
    'GET /live': async () => {
      const { status } = await stage.scene.api('/live', admin())
      return { status: status === 426 ? 200 : status }
    },
  }

  describe('the document of the API', () => {
    it('describes what every route answers, to the last field', { timeout: 60_000 }, async () => {
      const { operations } = await stage.scene.document(stage.tokens.admin)
      const names = operations.map(({ method, path }) => `${method} ${path}`)
      expect(names.sort()).toEqual([...Object.keys(REQUESTS), ...Object.keys(found)].sort())
      const wrong: string[] = []
      const ask = async (name: string, request: () => Promise<{ status: number }>) => {
        const outcome = await request().catch((thrown: Error) => ({ status: thrown.message }))
        if (outcome.status !== 200) wrong.push(`${name}: ${outcome.status}`)
      }
      for (const [name, [path, body]] of Object.entries(REQUESTS)) {
        const method = name.split(' ')[0] as 'GET' | 'POST' | 'DELETE'
        await ask(name, () => stage.scene.api(path, { ...admin(), method, ...(body && { body }) }))
      }
      for (const [name, request] of Object.entries(found)) await ask(name, request)
      for (const id of [STORY.ran, STORY.filtered, STORY.hostile, STORY.large])
        await ask(id, () => stage.scene.api(`/events/${id}?depth=5`, admin()))
      for (const { namespace, name } of [STORY.runningRun, STORY.wideRun])
        await ask(name, () => stage.scene.api(`/runs/${namespace}/${name}`, admin()))
      expect(wrong).toEqual([])
    })

    it('describes what comes over the WebSocket', async () => {
      const document = await stage.scene.document(stage.tokens.admin)
      const opened = await openWebSocket({
        url: `${stage.scene.origin}/api/v1/live`,
        subprotocols: ['tiphys.live.v1'],
        headers: { authorization: `Bearer ${stage.tokens.admin}` },
      })
      if (!('socket' in opened)) throw new Error(`refused with ${opened.refusal.statusCode}`)
      const cursor = await oldest()
      const wanted = ['events', 'runs', 'changes'].map((topic, i) => ({ id: i + 1, topic, cursor }))
      for (const subscribe of [...wanted, { id: 4, topic: 'events', q: 'nofield:1' }])
        opened.socket.write(JSON.stringify({ subscribe }))
      const heard = new Map<number | undefined, boolean>()
      for await (const message of opened.socket) {
        const content = JSON.parse(String(message)) as { id?: number; rows?: unknown[] }
        expect([content, document.messageProblemsOf(content)]).toEqual([content, []])
        // At first there are none: it follows from there on.
        if (content.rows?.length !== 0) heard.set(content.id, 'error' in content)
        if ([1, 2, 3, 4].every(id => heard.has(id))) break
      }
      expect([1, 2, 3, 4].map(id => heard.get(id))).toEqual([false, false, false, true])
      for (const rare of [{ beat: 1 }, { id: 1, gap: true, cursor }])
        expect(document.messageProblemsOf(rare)).toEqual([])
      expect(document.messageProblemsOf({ id: 1, rows: [], cursor, more: 1 })).not.toEqual([])
    })
  })
}
