import { type Random, seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { createListWatch } from './list-watch.ts'
import type { KubeObject } from './object.ts'
import type { ObjectChange } from './object-store.ts'
import { ScriptedServer } from './scripted-server.ts'

const WIDGETS = { apiVersion: 'example.com/v1', kind: 'Widget' }
const NAMES = ['a', 'b', 'c', 'd', 'e']
const STEPS = 120

/** Follows one object through what a subscriber is told, and refuses what cannot follow what came before. */
class Told {
  readonly alive = new Map<string, KubeObject>()
  readonly deletedUids = new Set<string>()
  /** With a selector an object may leave and come back. */
  readonly canReturn: boolean

  constructor(canReturn: boolean) {
    this.canReturn = canReturn
  }

  tell(change: ObjectChange): void {
    const { name = '', uid = '', resourceVersion } = change.object.metadata
    const before = this.alive.get(name)
    if (change.type === 'added') {
      expect(before, `${name} was added twice`).toBeUndefined()
      if (!this.canReturn) expect(this.deletedUids, `${name} came back from the dead`).not.toContain(uid)
      this.alive.set(name, change.object)
    } else if (change.type === 'updated') {
      expect(change.old, `${name}: the old state is the one told before`).toBe(before)
      expect(Number(resourceVersion), `${name} went back in time`).toBeGreaterThan(
        Number(before?.metadata.resourceVersion),
      )
      expect(uid).toBe(before?.metadata.uid)
      this.alive.set(name, change.object)
    } else {
      expect(before?.metadata.uid, `${name} was deleted without being there`).toBe(uid)
      this.alive.delete(name)
      this.deletedUids.add(uid)
    }
  }
}

function disturb(server: ScriptedServer, random: Random): void {
  const draw = random.next()
  const name = NAMES[Math.floor(random.next() * NAMES.length)] as string
  const labels = { app: random.next() < 0.8 ? 'web' : 'other' }
  if (draw < 0.45) server.put({ ...WIDGETS, metadata: { name, labels }, spec: random.next() })
  else if (draw < 0.6) server.remove(name)
  else if (draw < 0.66) server.endStreams('broken')
  else if (draw < 0.7) server.endStreams('ended')
  else if (draw < 0.76) server.silenceStreams()
  else if (draw < 0.82) server.compact()
  else if (draw < 0.88) server.repeatLastChange()
  else if (draw < 0.91) server.isUnreachable = !server.isUnreachable
  else if (draw < 0.94) server.isBlackHole = !server.isBlackHole
  else if (draw < 0.97)
    server.streamsLists = (['yes', 'no', 'ignored'] as const)[Math.floor(random.next() * 3)] ?? 'yes'
  else server.isForbidden = !server.isForbidden
}

async function run(seed: number, labelSelector: string | undefined): Promise<void> {
  const random = seededRandom(seed)
  const clock = new VirtualClock()
  const server = new ScriptedServer(clock)
  const selection = { ...WIDGETS, ...(labelSelector !== undefined && { labelSelector }) }
  const env = { clock, random: seededRandom(seed + 1), log: silentLog }
  const told = new Told(labelSelector !== undefined)
  const wrong: unknown[] = []
  const cache = createListWatch(server.client(), selection, { env, pageSize: 2 })
  const byApp = cache.indexBy(({ metadata }) => [metadata.labels?.app ?? ''])
  cache.subscribe(change => {
    try {
      told.tell(change)
    } catch (thrown) {
      wrong.push(thrown)
    }
  })

  for (let step = 0; step < STEPS; step++) {
    disturb(server, random)
    if (random.next() < 0.1) writeThrough(server, cache, random)
    if (random.next() < 0.6) await clock.advance(Math.floor(random.next() ** 4 * 120_000))
    if (wrong[0]) throw wrong[0]
  }

  server.isUnreachable = false
  server.isBlackHole = false
  server.isForbidden = false
  await clock.advance(10 * 60_000)
  if (wrong[0]) throw wrong[0]
  const expected = server.objects.filter(({ metadata }) => !labelSelector || metadata.labels?.app === 'web')
  expect(sorted(cache.list())).toEqual(expected)
  expect(sorted([...told.alive.values()])).toEqual(expected)
  expect(sorted(byApp.get('web'))).toEqual(expected.filter(({ metadata }) => metadata.labels?.app === 'web'))
  expect(cache.health().isFresh).toBe(true)
  cache.stop()
  await clock.advance(0)
  expect(server.streams).toBe(0)
}

/** A write of the cache's owner, read back at once. */
function writeThrough(server: ScriptedServer, cache: ReturnType<typeof createListWatch>, random: Random): void {
  const name = NAMES[Math.floor(random.next() * NAMES.length)] as string
  if (random.next() < 0.3) {
    const uid = server.find(name)?.metadata.uid
    server.remove(name)
    cache.recordDeletion({ name, ...(uid !== undefined && { uid }) })
    expect(cache.get(name)?.metadata.uid).not.toBe(uid ?? '')
    return
  }
  const answer = server.put({ ...WIDGETS, metadata: { name, labels: { app: 'web' } }, spec: random.next() })
  cache.recordWrite(answer)
  expect(cache.get(name), `the own write of ${name} is visible`).toEqual(answer)
}

function sorted(objects: readonly KubeObject[]): KubeObject[] {
  return objects.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
}

describe('whatever the connection does, the cache ends up as the server is, and tells every object in order', () => {
  for (let block = 0; block < 100; block++) {
    it(`seeds ${block * 20} to ${block * 20 + 19}`, async () => {
      for (let seed = block * 20; seed < block * 20 + 20; seed++) {
        await run(seed, seed % 3 === 0 ? 'app=web' : undefined).catch(thrown => {
          throw new Error(`seed ${seed}`, { cause: thrown })
        })
      }
    })
  }
})
