import http from 'node:http'
import net from 'node:net'
import { seededRandom, silentLog, systemClock } from '@tiphys/env'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpTransport } from './http-transport.ts'
import { createClient } from './kube-client.ts'
import { createListWatch, type ObjectCache } from './list-watch.ts'
import type { ObjectChange } from './object-store.ts'
import { ScriptedServer } from './scripted-server.ts'

const WIDGETS = { apiVersion: 'example.com/v1', kind: 'Widget' }
const IDLE_MS = 300
const SLACK_MS = 2_000
const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** The scripted server behind HTTP: discovery of one kind, and its list and watch. */
async function serve(scripted: ScriptedServer): Promise<number> {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://server')
    const answer = (body: unknown) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    if (url.pathname === '/api') return answer({ items: [] })
    if (url.pathname === '/apis') return answer({ items: [WIDGETS_GROUP] })
    void stream(scripted, url, response)
  })
  closing.push(() => server.closeAllConnections())
  return listen(server)
}

const WIDGETS_GROUP = {
  metadata: { name: 'example.com' },
  versions: [
    { version: 'v1', resources: [{ resource: 'widgets', responseKind: WIDGETS, scope: 'Cluster', verbs: [] }] },
  ],
}

async function stream(scripted: ScriptedServer, url: URL, response: http.ServerResponse): Promise<void> {
  const abort = new AbortController()
  response.on('close', () => abort.abort())
  response.setHeader('content-type', 'application/json')
  response.flushHeaders()
  const resourceVersion = url.searchParams.get('resourceVersion')
  const events = scripted.client().watch(WIDGETS, {
    signal: abort.signal,
    allowWatchBookmarks: true,
    ...(resourceVersion === null ? { sendInitialEvents: true } : { resourceVersion }),
  })
  for await (const event of events) response.write(`${JSON.stringify(event)}\n`)
  response.end()
}

/** A wire that can be cut the worst way: the connections of that moment carry nothing any more in either direction, and
 *  neither end is told. Later connections are fine. */
async function startProxy(target: number) {
  const wires = new Set<{ ends: net.Socket[]; isCut: boolean }>()
  const server = net.createServer(near => {
    const far = net.connect(target, '127.0.0.1')
    const wire = { ends: [near, far], isCut: false }
    wires.add(wire)
    const carry = (from: net.Socket, to: net.Socket) => {
      from.on('data', chunk => wire.isCut || to.write(chunk))
      from.on('close', () => wire.isCut || to.destroy())
      from.on('error', () => {})
    }
    carry(near, far)
    carry(far, near)
  })
  closing.push(() => {
    server.close()
    for (const { ends } of wires) for (const end of ends) end.destroy()
  })
  const cut = () => {
    for (const wire of wires) wire.isCut = true
  }
  return { port: await listen(server), cut }
}

function listen(server: net.Server): Promise<number> {
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port))
  })
}

function told(cache: ObjectCache, type: ObjectChange['type'], name: string): Promise<number> {
  return new Promise(resolve => {
    cache.subscribe(change => {
      if (change.type === type && change.object.metadata.name === name) resolve(systemClock.monotonic())
    })
  })
}

describe('a socket that became a black hole', () => {
  it('is noticed within the bound and replaced; changes and deletions made meanwhile arrive, without a new list', async () => {
    const scripted = new ScriptedServer(systemClock)
    scripted.bookmarkMs = IDLE_MS / 3
    scripted.put({ ...WIDGETS, metadata: { name: 'one' } })
    scripted.put({ ...WIDGETS, metadata: { name: 'doomed' } })
    const { port, cut } = await startProxy(await serve(scripted))
    const transport = createHttpTransport({ server: `http://127.0.0.1:${port}` })
    const client = createClient(transport)
    closing.push(() => client.close())
    const env = { clock: systemClock, random: seededRandom(1), log: silentLog }
    const cache = createListWatch(client, WIDGETS, { env, times: { idleMs: IDLE_MS } })
    closing.push(() => cache.stop())
    await cache.whenSynced()

    cut()
    const cutAt = systemClock.monotonic()
    const added = told(cache, 'added', 'meanwhile')
    const deleted = told(cache, 'deleted', 'doomed')
    scripted.put({ ...WIDGETS, metadata: { name: 'meanwhile' } })
    scripted.remove('doomed')
    const arrivedAt = Math.max(await added, await deleted)

    // Once for the stream itself; at most once more for a kept connection that the resume met, cut as well.
    expect(arrivedAt - cutAt).toBeLessThan(2 * IDLE_MS + SLACK_MS)
    expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['one', 'meanwhile'])
    expect(cache.health()).toMatchObject({ lists: 1 })
  })
})
