import { seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { createCaches } from './caches.ts'
import type { KubeObject } from './object.ts'
import { ScriptedServer } from './scripted-server.ts'

const WIDGETS = { apiVersion: 'example.com/v1', kind: 'Widget' }
const widget = (name: string): KubeObject => ({ ...WIDGETS, metadata: { name } })

function setup() {
  const clock = new VirtualClock()
  const server = new ScriptedServer(clock)
  const caches = createCaches(server.client(), { env: { clock, random: seededRandom(1), log: silentLog } })
  return { clock, server, caches, settle: () => clock.advance(0) }
}

describe('shared caches', () => {
  it('give users of one selection one stream, which ends with the last release', async () => {
    const { server, caches, settle } = setup()
    const first = caches.acquire(WIDGETS)
    const second = caches.acquire({ ...WIDGETS })
    await settle()
    expect(server.streams).toBe(1)
    expect(caches.health()).toMatchObject([{ users: 2, health: { hasSynced: true } }])
    first.release()
    first.release()
    await settle()
    expect(server.streams).toBe(1)
    second.release()
    await settle()
    expect(server.streams).toBe(0)
    expect(caches.health()).toEqual([])
  })

  it('are apart for other selections and other forms', async () => {
    const { server, caches, settle } = setup()
    const project = (object: KubeObject) => object
    caches.acquire(WIDGETS, { metadataOnly: true })
    caches.acquire(WIDGETS)
    caches.acquire({ ...WIDGETS, namespace: 'a' })
    caches.acquire(WIDGETS, { project: ['spec'] })
    caches.acquire(WIDGETS, { project: ['spec'] })
    caches.acquire(WIDGETS, { project })
    caches.acquire(WIDGETS, { project })
    await settle()
    expect(server.streams).toBe(5)
  })

  it('give whoever wants metadata alone the stream of whole objects that is there', async () => {
    const { server, caches, settle } = setup()
    caches.acquire(WIDGETS)
    const bare = caches.acquire(WIDGETS, { metadataOnly: true, project: ['metadata.finalizers'] })
    server.put(widget('a'))
    await settle()
    expect(server.streams).toBe(1)
    expect(bare.get('a')?.metadata.name).toBe('a')
  })

  it('tell a user nothing after its release, and others everything', async () => {
    const { server, caches, settle } = setup()
    const first = caches.acquire(WIDGETS)
    const second = caches.acquire(WIDGETS)
    const told: string[] = []
    first.subscribe(({ object }) => told.push(`first ${object.metadata.name}`))
    second.subscribe(({ object }) => told.push(`second ${object.metadata.name}`))
    await settle()
    server.put(widget('a'))
    await settle()
    first.release()
    server.put(widget('b'))
    await settle()
    expect(told).toEqual(['first a', 'second a', 'second b'])
  })

  it('start anew after the last release', async () => {
    const { server, caches, settle } = setup()
    caches.acquire(WIDGETS).release()
    const again = caches.acquire(WIDGETS)
    server.put(widget('a'))
    await settle()
    expect(again.list()).toHaveLength(1)
    caches.stop()
    await settle()
    expect(server.streams).toBe(0)
  })

  it('hand a write to every cache it belongs to', async () => {
    const { server, caches, settle } = setup()
    const all = caches.acquire(WIDGETS)
    const elsewhere = caches.acquire({ ...WIDGETS, namespace: 'a' })
    await settle()
    caches.recordWrite(server.put(widget('a')))
    expect(all.get('a')).toBeDefined()
    expect(elsewhere.list()).toEqual([])
    caches.recordDeletion({ ...WIDGETS, name: 'a' })
    expect(all.get('a')).toBeUndefined()
  })

  it('wake each other when a missing kind appears', async () => {
    const { clock, server, caches, settle } = setup()
    server.kindExists = false
    const one = caches.acquire(WIDGETS)
    const other = caches.acquire({ ...WIDGETS, namespace: 'a' })
    await clock.advance(100_000)
    server.kindExists = true
    one.lookAgain()
    await settle()
    expect(other.hasSynced()).toBe(true)
  })
})
