import { createLog, type LogLine, seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { createListWatch, type ListWatchOptions } from './list-watch.ts'
import type { KubeObject } from './object.ts'
import type { ObjectChange } from './object-store.ts'
import { ScriptedServer } from './scripted-server.ts'

const WIDGETS = { apiVersion: 'example.com/v1', kind: 'Widget' }

function widget(name: string, fields: Record<string, unknown> = {}, metadata: KubeObject['metadata'] = {}): KubeObject {
  return { ...WIDGETS, metadata: { name, namespace: 'a', ...metadata }, ...fields }
}

function start(
  options: ListWatchOptions & { prepare?: (server: ScriptedServer) => void; labelSelector?: string } = {},
) {
  const { prepare, labelSelector, ...rest } = options
  const clock = new VirtualClock()
  const server = new ScriptedServer(clock)
  prepare?.(server)
  const env = { clock, random: seededRandom(1), log: silentLog }
  const selection = { ...WIDGETS, ...(labelSelector !== undefined && { labelSelector }) }
  const cache = createListWatch(server.client(), selection, { env, ...rest })
  const changes: string[] = []
  cache.subscribe(change => changes.push(told(change)))
  return { clock, server, cache, changes, settle: () => clock.advance(0) }
}

function told(change: ObjectChange): string {
  const { name, resourceVersion } = change.object.metadata
  const flag = (change.type === 'added' && change.initial) || (change.type === 'deleted' && change.finalStateUnknown)
  return `${change.type} ${name}@${resourceVersion}${flag ? '*' : ''}`
}

const byName = (objects: readonly KubeObject[]) =>
  objects.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))

const verbs = (server: ScriptedServer) => server.requests.map(({ verb }) => verb)

describe('the first list', () => {
  it('is streamed by one request that goes on as the watch', async () => {
    const { server, cache, changes, settle } = start({ prepare: server => void server.put(widget('one')) })
    await settle()
    expect(cache.hasSynced()).toBe(true)
    server.put(widget('two'))
    await settle()
    expect(changes).toEqual(['added one@2*', 'added two@3'])
    expect(verbs(server)).toEqual(['watch'])
    expect(server.requests[0]?.options).toMatchObject({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    })
  })

  it('is read in pages when the server refuses to stream it, and then for good', async () => {
    const { server, cache, clock, settle } = start({
      pageSize: 2,
      prepare: server => {
        server.streamsLists = 'no'
        for (const name of ['a', 'b', 'c', 'd', 'e']) server.put(widget(name))
      },
    })
    await settle()
    expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(verbs(server)).toEqual(['watch', 'list', 'list', 'list', 'watch'])
    server.endStreams('broken')
    await settle()
    server.put(widget('f'))
    server.compact()
    await clock.advance(3_000)
    expect(verbs(server).slice(5)).toEqual(['watch', 'list', 'list', 'list', 'watch'])
  })

  it('is read in pages when the server streams objects but never ends the list', async () => {
    const { server, cache, clock } = start({
      prepare: server => {
        server.streamsLists = 'ignored'
        server.put(widget('one'))
      },
    })
    await clock.advance(9_000)
    expect(cache.hasSynced()).toBe(false)
    await clock.advance(1_100)
    expect(cache.hasSynced()).toBe(true)
    expect(verbs(server)).toEqual(['watch', 'list', 'watch'])
    expect(server.streams).toBe(1)
  })

  it('resolves whenSynced, and rejects it when it is stopped before', async () => {
    const { cache } = start()
    await cache.whenSynced()
    const early = start({ prepare: server => (server.isUnreachable = true) })
    const refused = expect(early.cache.whenSynced()).rejects.toThrow('stopped before its first list')
    early.cache.stop()
    await refused
  })

  it('forgets what was deleted while it was streamed', async () => {
    const { server, cache, changes, settle, clock } = start({
      prepare: server => {
        server.streamsLists = 'ignored'
        server.put(widget('one'))
      },
    })
    await settle()
    server.remove('one', 'a')
    server.sendToStreams({
      type: 'BOOKMARK',
      object: { ...WIDGETS, metadata: { resourceVersion: '3', annotations: { 'k8s.io/initial-events-end': 'true' } } },
    })
    await clock.advance(1)
    expect(cache.hasSynced()).toBe(true)
    expect(changes).toEqual([])
  })
})

describe('a connection that breaks', () => {
  it('is resumed from the last version, and nothing is lost or repeated', async () => {
    const { server, changes, clock, settle } = start()
    await settle()
    server.put(widget('one'))
    await settle()
    server.endStreams('broken')
    await settle()
    server.put(widget('two'))
    server.remove('one', 'a')
    await clock.advance(2_000)
    expect(changes).toEqual(['added one@2', 'added two@3', 'deleted one@4'])
    expect(server.requests.at(-1)?.options.resourceVersion).toBe('2')
    expect(verbs(server)).toEqual(['watch', 'watch'])
  })

  it('is resumed from the last bookmark when there were no changes', async () => {
    const { server, clock, settle } = start()
    await settle()
    server.put(widget('x'))
    await settle()
    server.put({ ...widget('x'), spec: 1 })
    await clock.advance(61_000)
    server.endStreams('ended')
    await settle()
    expect(server.requests.at(-1)?.options.resourceVersion).toBe('3')
  })

  it('is resumed at once after the server ended a long stream in good order, with a drawn timeout', async () => {
    const { server, clock } = start()
    await clock.advance(700_000)
    const timeouts = server.requests.map(({ options }) => ('timeoutSeconds' in options ? options.timeoutSeconds : 0))
    expect(new Set(timeouts).size).toBeGreaterThan(1)
    for (const seconds of timeouts) {
      expect(seconds).toBeGreaterThanOrEqual(300)
      expect(seconds).toBeLessThanOrEqual(600)
    }
    expect(server.streams).toBe(1)
  })

  it('is retried with growing, jittered pauses up to the limit while the server is away', async () => {
    const { server, clock } = start({ prepare: server => (server.isUnreachable = true) })
    const pauses: number[] = []
    let last = clock.monotonic()
    for (let count = 1; count < 10; ) {
      await clock.advance(50)
      if (server.requests.length <= count) continue
      count = server.requests.length
      pauses.push(clock.monotonic() - last)
      last = clock.monotonic()
    }
    expect(pauses[0]).toBeLessThanOrEqual(850)
    pauses.forEach((pause, i) => {
      const full = Math.min(30_000, 800 * 2 ** i)
      expect(pause).toBeGreaterThanOrEqual(full / 2)
      expect(pause).toBeLessThanOrEqual(full + 100)
    })
  })

  it('does not spin when streams end right after they began', async () => {
    const { server, clock } = start()
    for (let i = 0; i < 300; i++) {
      server.endStreams('ended')
      await clock.advance(100)
    }
    expect(server.requests.length).toBeLessThan(10)
  })

  it('waits as long as the server asks for', async () => {
    const { server, clock, settle, cache } = start()
    await settle()
    const object = { apiVersion: 'v1' as const, kind: 'Status' as const, metadata: {}, code: 429 }
    server.sendToStreams({ type: 'ERROR', object: { ...object, details: { retryAfterSeconds: 20 } } })
    await clock.advance(19_000)
    expect(cache.health().state.state).toBe('waiting')
    await clock.advance(1_100)
    expect(cache.health().state.state).toBe('watching')
  })
})

describe('a version the server has forgotten', () => {
  it('is answered by a new list that tells the difference, deletions too', async () => {
    const { server, cache, changes, clock, settle } = start()
    await settle()
    for (const name of ['kept', 'changed', 'gone', 'reborn']) server.put(widget(name))
    await settle()
    changes.length = 0
    server.endStreams('broken')
    await settle()
    server.put(widget('changed', { spec: 2 }))
    server.remove('gone', 'a')
    server.remove('reborn', 'a')
    server.put(widget('reborn'))
    server.put(widget('new'))
    server.compact()
    await clock.advance(3_000)
    expect(changes).toEqual([
      'deleted gone@4*',
      'deleted reborn@5*',
      'updated changed@6',
      'added new@10',
      'added reborn@9',
    ])
    expect(cache.health().lists).toBe(2)
    expect(byName(cache.list())).toEqual(server.objects)
  })

  it('is listed anew when the server was restored from a backup and only stays silent', async () => {
    const { server, cache, clock, settle } = start()
    await settle()
    server.put(widget('one'))
    server.put(widget('lost'))
    await settle()
    server.restore(2)
    await clock.advance(4 * 76_000)
    expect(byName(cache.list())).toEqual(server.objects)
    server.put(widget('after'))
    await settle()
    expect(byName(cache.list())).toEqual(server.objects)
  })
})

describe('a stream that went silent', () => {
  it('is given up after the bookmark period and a margin, and resumed without loss', async () => {
    const { server, cache, changes, clock, settle } = start()
    await settle()
    server.put(widget('one'))
    await settle()
    server.silenceStreams()
    server.put(widget('two'))
    server.remove('one', 'a')
    await clock.advance(74_000)
    expect(changes).toEqual(['added one@2'])
    expect(cache.health().ageMs).toBeGreaterThanOrEqual(74_000)
    await clock.advance(1_100)
    expect(changes).toEqual(['added one@2', 'added two@3', 'deleted one@4'])
    expect(server.streams).toBe(1)
    expect(verbs(server)).toEqual(['watch', 'watch'])
  })

  it('is never taken for dead while bookmarks come', async () => {
    const { server, cache, clock } = start()
    await clock.advance(290_000)
    expect(verbs(server)).toEqual(['watch'])
    expect(cache.health()).toMatchObject({ isFresh: true, resumes: 0 })
  })

  it('shows in its age and freshness while nothing answers', async () => {
    const { server, cache, clock, settle } = start()
    await settle()
    server.silenceStreams()
    server.isBlackHole = true
    await clock.advance(100_000)
    expect(cache.health()).toMatchObject({ isFresh: false, ageMs: 100_000 })
    server.isBlackHole = false
    await clock.advance(300_000)
    expect(cache.health().isFresh).toBe(true)
  })
})

describe('a kind that is not there', () => {
  it('is waited for, and read when it appears', async () => {
    const { server, cache, clock, settle } = start({ prepare: server => (server.kindExists = false) })
    await settle()
    expect(cache.health()).toMatchObject({ state: { state: 'dormant' }, isFresh: true, hasSynced: false })
    expect(cache.health().summary).toBe('Waiting for the kind Widget (example.com/v1) to exist')
    server.put(widget('one'))
    server.kindExists = true
    await clock.advance(1_000)
    expect(cache.list()).toHaveLength(1)
  })

  it('is looked for at once when somebody says so', async () => {
    const { server, cache, clock, settle } = start({ prepare: server => (server.kindExists = false) })
    await clock.advance(120_000)
    server.kindExists = true
    cache.lookAgain()
    await settle()
    expect(cache.hasSynced()).toBe(true)
  })

  it('takes its objects with it when a second look confirms that it is gone', async () => {
    const { server, cache, changes, clock, settle } = start({ prepare: server => void server.put(widget('one')) })
    await settle()
    server.kindExists = false
    server.endStreams('broken')
    await clock.advance(900)
    expect(cache.list()).toHaveLength(1)
    await clock.advance(5_000)
    expect(cache.list()).toHaveLength(0)
    expect(changes).toEqual(['added one@2*', 'deleted one@2*'])
  })
})

it('says which permission is missing, and goes on when it is granted', async () => {
  const { server, cache, clock, settle } = start({ prepare: server => (server.isForbidden = true) })
  await settle()
  expect(cache.health().state).toMatchObject({
    state: 'forbidden',
    permission: { verb: 'watch', group: 'example.com', resource: 'widgets' },
  })
  expect(cache.health().summary).toBe(
    'Not allowed to watch widgets.example.com in all namespaces: grant the verbs list and watch on it',
  )
  server.isForbidden = false
  await clock.advance(1_000)
  expect(cache.hasSynced()).toBe(true)
})

it('says a trouble that lasts once, and that it is over', async () => {
  const lines: LogLine[] = []
  const clock = new VirtualClock()
  const server = new ScriptedServer(clock)
  server.isForbidden = true
  const log = createLog({ now: () => clock.now(), write: line => lines.push(line) })
  createListWatch(server.client(), WIDGETS, { env: { clock, random: seededRandom(1), log } })
  await clock.advance(300_000)
  server.isForbidden = false
  await clock.advance(60_000)
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'warn a watch is interrupted',
    'info a watch recovered',
  ])
})

describe('own writes', () => {
  it('are visible to the next read, and an older change does not undo them', async () => {
    const { server, cache, changes, settle } = start({ prepare: server => void server.put(widget('one', { spec: 1 })) })
    await settle()
    const seen: unknown[] = []
    cache.subscribe(() => seen.push(cache.get('one', 'a')?.spec))
    server.put(widget('one', { spec: 2 }))
    cache.recordWrite(server.put(widget('one', { spec: 3 })))
    expect(cache.get('one', 'a')?.spec).toBe(3)
    await settle()
    expect(seen).toEqual([1, 3, 3])
    expect(changes).toEqual(['added one@2*', 'updated one@3', 'updated one@4'])
  })

  it('hide a deleted object until the stream says so, even when older changes arrive in between', async () => {
    const { server, cache, settle } = start({ prepare: server => void server.put(widget('one')) })
    await settle()
    server.put(widget('one', { spec: 2 }))
    server.remove('one', 'a')
    cache.recordDeletion({ name: 'one', namespace: 'a' })
    const reads: unknown[] = []
    cache.subscribe(() => reads.push(cache.get('one', 'a')))
    expect(cache.list()).toEqual([])
    await settle()
    expect(reads).toEqual([undefined, undefined, undefined])
    expect(cache.recordDeletion({ name: 'other', namespace: 'a' })).toBeUndefined()
  })

  it('do not resurrect what the stream has already seen deleted', async () => {
    const { server, cache, settle } = start()
    await settle()
    const answer = server.put(widget('one'))
    server.remove('one', 'a')
    await settle()
    cache.recordWrite(answer)
    expect(cache.get('one', 'a')).toBeUndefined()
  })

  it('take an object out of a selection it no longer matches', async () => {
    const labels = { app: 'web' }
    const { server, cache, settle } = start({
      labelSelector: 'app=web',
      prepare: server => void server.put(widget('one', {}, { name: 'one', namespace: 'a', labels })),
    })
    await settle()
    expect(cache.list()).toHaveLength(1)
    cache.recordWrite(server.put(widget('one')))
    expect(cache.list()).toHaveLength(0)
    await settle()
    expect(cache.list()).toHaveLength(0)
  })

  it('stay visible over opaque versions until the stream shows exactly that version', async () => {
    const { server, cache, settle } = start({
      prepare: server => {
        server.spell = version => `v${version}x`
        server.put(widget('one', { spec: 1 }))
      },
    })
    await settle()
    server.put(widget('one', { spec: 2 }))
    cache.recordWrite(server.put(widget('one', { spec: 3 })))
    const reads: unknown[] = []
    cache.subscribe(() => reads.push(cache.get('one', 'a')?.spec))
    await settle()
    server.put(widget('one', { spec: 4 }))
    await settle()
    expect(reads).toEqual([3, 3, 3, 4])
  })
})

describe('what is kept', () => {
  it('is frozen, so that no reader can change what others read', async () => {
    const { cache, settle } = start({ prepare: server => void server.put(widget('one', { spec: { a: [1] } })) })
    await settle()
    const spec = cache.get('one', 'a')?.spec as { a: number[] }
    expect(() => spec.a.push(2)).toThrow(TypeError)
  })

  it('is the projected fields and the identity', async () => {
    const { cache, settle } = start({
      project: ['spec.node', ['metadata', 'labels', 'example.com/app']],
      prepare: server => {
        const metadata = {
          name: 'one',
          namespace: 'a',
          labels: { 'example.com/app': 'x', other: 'y' },
          annotations: {},
        }
        server.put(widget('one', { spec: { node: 'n1', big: 'x' }, status: {} }, metadata))
      },
    })
    await settle()
    expect(cache.get('one', 'a')).toEqual({
      ...WIDGETS,
      metadata: { name: 'one', namespace: 'a', uid: 'uid-1', resourceVersion: '2', labels: { 'example.com/app': 'x' } },
      spec: { node: 'n1' },
    })
  })

  it('is as much as it is told to keep, while subscribers are told all', async () => {
    const { server, cache, settle } = start({
      keep: [],
      prepare: server => void server.put(widget('one', { spec: { size: 1 } })),
    })
    const changes: ObjectChange[] = []
    cache.subscribe(change => changes.push(change))
    await settle()
    server.put(widget('one', { spec: { size: 2 } }))
    await settle()
    server.remove('one', 'a')
    await settle()
    const specs = changes.map(({ object, ...change }) => [object.spec, 'old' in change && change.old.spec])
    expect(specs).toEqual([
      [{ size: 1 }, false],
      [{ size: 2 }, undefined],
      [{ size: 2 }, false],
    ])
    server.put(widget('two', { spec: { size: 3 } }))
    await settle()
    const [two] = cache.list()
    expect([two?.metadata.name, two?.spec]).toEqual(['two', undefined])
    expect(cache.health().bytes).toBeLessThan(300)
  })

  it('asks for metadata alone in metadata-only mode, and keeps the real kind', async () => {
    const { server, cache, settle } = start({
      metadataOnly: true,
      prepare: server => {
        server.put({ ...widget('one'), apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' })
      },
    })
    await settle()
    expect(server.requests[0]?.options.metadataOnly).toBe(true)
    expect(cache.get('one', 'a')).toMatchObject(WIDGETS)
  })

  it('fails loudly beyond its budget: in its state, in waiters and in reads', async () => {
    const { cache, clock } = start({
      budget: { maxObjects: 2 },
      prepare: server => {
        for (const name of ['a', 'b', 'c']) server.put(widget(name))
      },
    })
    await expect(cache.whenSynced()).rejects.toThrow('outgrew its budget of 2 objects')
    expect(cache.health().state.state).toBe('failed')
    expect(() => cache.list()).toThrow('outgrew its budget')
    await clock.advance(600_000)
    expect(cache.health().state.state).toBe('failed')
  })

  it('counts objects and bytes, and gives both back', async () => {
    const { server, cache, settle } = start()
    await settle()
    server.put(widget('one', { data: 'x'.repeat(10_000) }))
    await settle()
    expect(cache.health().objects).toBe(1)
    expect(cache.health().bytes).toBeGreaterThan(10_000)
    server.remove('one', 'a')
    await settle()
    expect(cache.health()).toMatchObject({ objects: 0, bytes: 0 })
  })
})

it('finds objects by namespace, by owner and by any function, own writes included', async () => {
  const owners = [{ ...WIDGETS, name: 'p', uid: 'parent' }]
  const { server, cache, settle } = start({
    prepare: server => {
      server.put(widget('one', { spec: { node: 'n1' } }, { name: 'one', namespace: 'a', ownerReferences: owners }))
      server.put(widget('two', { spec: { node: 'n2' } }, { name: 'two', namespace: 'b' }))
    },
  })
  await settle()
  const byNode = cache.indexBy(object => [(object.spec as { node: string }).node])
  const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name)
  expect(names(byNode.get('n1'))).toEqual(['one'])
  expect(names(cache.ownedBy('parent'))).toEqual(['one'])
  expect(names(cache.list('b'))).toEqual(['two'])
  cache.recordWrite(server.put(widget('one', { spec: { node: 'n2' } })))
  expect(names(byName(byNode.get('n2')))).toEqual(['one', 'two'])
  expect(byNode.values()).toEqual(['n2'])
  expect(cache.ownedBy('parent')).toEqual([])
  await settle()
  server.remove('one', 'a')
  await settle()
  expect(names(byNode.get('n2'))).toEqual(['two'])
})

it('tells a late subscriber of everything that is there, and survives one that throws', async () => {
  const { server, cache, changes, settle } = start({ prepare: server => void server.put(widget('one')) })
  await settle()
  cache.subscribe(() => {
    throw new Error('broken subscriber')
  })
  const late: string[] = []
  const unsubscribe = cache.subscribe(change => late.push(told(change)))
  server.put(widget('two'))
  await settle()
  unsubscribe()
  server.put(widget('three'))
  await settle()
  expect(late).toEqual(['added one@2*', 'added two@3'])
  expect(changes).toHaveLength(3)
})

it('may be stopped from inside a subscriber, and then asks for nothing more', async () => {
  const { server, cache, clock } = start({ prepare: server => void server.put(widget('one')) })
  cache.subscribe(() => cache.stop())
  await clock.advance(600_000)
  expect(cache.health().state.state).toBe('stopped')
  expect(server.streams).toBe(0)
  expect(verbs(server)).toEqual(['watch'])
  expect(clock.waiting).toBe(0)
})
