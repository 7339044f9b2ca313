import { type Env, seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import type { Client, KubeObject } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SentEvent, WatchSink } from '../request/api-response.ts'
import { type ApiServer, createApiServer } from '../server/api-server.ts'
import { Storage } from '../storage/storage.ts'

interface Seen {
  type: string
  object: KubeObject & { code?: number; message?: string }
}

/** What a watch sends, as its receiver reads it. */
class Receiver implements WatchSink {
  readonly events: Seen[] = []
  hasEnded = false
  isSlow = false
  stop = () => {}

  send(event: SentEvent): void {
    this.events.push(JSON.parse(event.line()) as Seen)
  }

  isBehind(): boolean {
    return this.isSlow
  }

  end(): void {
    this.hasEnded = true
  }

  get summary(): string[] {
    return this.events.map(({ type, object }) => `${type} ${object.metadata.name ?? object.metadata.resourceVersion}`)
  }
}

describe('a watch', () => {
  let clock: VirtualClock
  let storage: Storage
  let server: ApiServer
  let client: Client

  beforeEach(async () => {
    clock = new VirtualClock()
    const env: Env = { clock, random: seededRandom(1), log: silentLog }
    storage = new Storage()
    server = await createApiServer({ env, storage })
    client = server.client()
  })
  afterEach(() => server.close())

  const watch = async (query: Record<string, string>): Promise<Receiver> => {
    const response = await server.handle({
      method: 'GET',
      path: '/api/v1/namespaces/default/configmaps',
      query: new URLSearchParams({ watch: 'true', ...query }),
      headers: {},
      body: async () => ({ value: null }),
      user: { name: 'admin', groups: ['system:masters'] },
      signal: new AbortController().signal,
    })
    if (response.body.type !== 'watch') throw new Error(`refused: ${JSON.stringify(response)}`)
    const receiver = new Receiver()
    const stream = response.body.start(receiver)
    receiver.stop = () => stream.stop()
    return receiver
  }

  const put = async (name: string, labels: Record<string, string> = {}): Promise<KubeObject> =>
    client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels } })

  const now = () => String(storage.revision)

  it('sends what exists, then what happens, each once', async () => {
    const a = await put('a')
    const seen = await watch({})
    await put('b')
    await client.update({ ...a, metadata: { ...a.metadata, labels: { x: '1' } } })
    await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'b' })
    expect(seen.summary).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b'])
    expect(seen.events[3]?.object.metadata.resourceVersion).toBe(now())
  })

  it('shows an object that enters or leaves the selection as added or deleted', async () => {
    const seen = await watch({ labelSelector: 'tier=back', resourceVersion: now() })
    const label = async (object: KubeObject, tier: string) =>
      client.update({ ...object, metadata: { ...object.metadata, labels: { tier } } })
    const a = await label(await put('a', { tier: 'front' }), 'back')
    const left = await label(a, 'front')
    expect(seen.summary).toEqual(['ADDED a', 'DELETED a'])
    const [, gone] = seen.events
    expect(gone?.object.metadata.labels).toEqual({ tier: 'back' })
    expect(gone?.object.metadata.resourceVersion).toBe(left.metadata.resourceVersion)
  })

  it('sends a bookmark every minute, to those who allow it', async () => {
    const [marked, plain] = [
      await watch({ allowWatchBookmarks: 'true', resourceVersion: now() }),
      await watch({ resourceVersion: now() }),
    ]
    await put('a')
    await clock.advance(60_000)
    await clock.advance(60_000)
    expect(marked.summary).toEqual(['ADDED a', `BOOKMARK ${now()}`, `BOOKMARK ${now()}`])
    expect(marked.events[1]?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' })
    expect(plain.summary).toEqual(['ADDED a'])
    marked.stop()
    await clock.advance(60_000)
    expect(marked.events).toHaveLength(3)
  })

  it('ends when its time is over, with a last bookmark', async () => {
    const [marked, plain] = [
      await watch({ allowWatchBookmarks: 'true', timeoutSeconds: '10', resourceVersion: now() }),
      await watch({ timeoutSeconds: '10', resourceVersion: now() }),
    ]
    await clock.advance(9_999)
    expect([marked.hasEnded, plain.hasEnded]).toEqual([false, false])
    await clock.advance(1)
    expect([marked.hasEnded, plain.hasEnded]).toEqual([true, true])
    expect(marked.summary).toEqual([`BOOKMARK ${now()}`])
    await put('late')
    expect(plain.events).toEqual([])
  })

  it('without a time ends after half an hour to an hour', async () => {
    const seen = await watch({ resourceVersion: now() })
    await clock.advance(30 * 60_000 - 1)
    expect(seen.hasEnded).toBe(false)
    await clock.advance(30 * 60_000 + 1)
    expect(seen.hasEnded).toBe(true)
  })

  it('leaves no timer behind when its receiver goes', async () => {
    const before = clock.waiting
    const seen = await watch({ allowWatchBookmarks: 'true', timeoutSeconds: '600' })
    expect(clock.waiting).toBeGreaterThan(before)
    seen.stop()
    expect(clock.waiting).toBe(before)
  })

  it('marks the end of the initial events, with the version from which it goes on', async () => {
    await put('a')
    const options = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
    const seen = await watch(options)
    expect(seen.summary).toEqual(['ADDED a', `BOOKMARK ${now()}`])
    expect(seen.events[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
    await put('b')
    expect(seen.summary.at(-1)).toBe('ADDED b')
  })

  it('says 410 and ends when the version is forgotten', async () => {
    await put('a')
    await put('b')
    storage.compact(storage.revision)
    const seen = await watch({ resourceVersion: '1' })
    expect(seen.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
    expect(seen.hasEnded).toBe(true)
  })

  it('drops a receiver that is too slow, and only that one', async () => {
    const [slow, fast] = [await watch({ resourceVersion: now() }), await watch({ resourceVersion: now() })]
    await put('a')
    slow.isSlow = true
    await put('b')
    await put('c')
    expect(slow.summary).toEqual(['ADDED a'])
    expect(slow.hasEnded).toBe(true)
    expect(fast.summary).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
    const resumed = await watch({ resourceVersion: slow.events[0]?.object.metadata.resourceVersion ?? '' })
    expect(resumed.summary).toEqual(['ADDED b', 'ADDED c'])
  })
})
