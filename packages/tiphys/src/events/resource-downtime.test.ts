import { createApiServer } from '@tiphys/apiserver'
import { seededRandom, silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import type { Event } from '@tiphys/events'
import { crashModes } from '@tiphys/journal/testing'
import type { KubeObject } from '@tiphys/kube'
import { expect, it } from 'vitest'
import { type Payload, Scene, turns } from './resource-scene.ts'

const SEEDS = Array.from({ length: process.env.TIPHYS_FULL ? 14 : 2 }, (_, i) => i + 1)
const LIVES = 15
const OBJECTS = 50

interface State {
  uid: string
  version: number
}

const stateOf = ({ metadata }: KubeObject): State => ({
  uid: metadata.uid ?? '',
  version: Number(metadata.resourceVersion),
})

/** Reads the events of a source as a consumer would, and says what is wrong with them. */
class Reader {
  readonly states = new Map<string, State>()
  readonly #ids = new Set<string>()
  #read = 0

  /** Reads what has come since the last call. */
  read(events: readonly Event[]): string[] {
    const changes: string[] = []
    for (const { id, data } of events.slice(this.#read)) {
      const { type, body, oldBody } = JSON.parse(data) as Payload
      const name = body.metadata.name ?? ''
      const now = stateOf(body)
      const before = this.states.get(name)
      expect(this.#ids.has(id), `the id ${id} comes twice`).toBe(false)
      this.#ids.add(id)
      const about = `${type} of ${name} (${now.uid}@${now.version}) after ${before?.uid}@${before?.version}`
      if (type === 'ADD') expect(before, about).toBeUndefined()
      else expect(before?.uid, about).toBe(now.uid)
      if (type === 'UPDATE') {
        expect(now.version, about).toBeGreaterThan(before?.version ?? 0)
        expect(oldBody && stateOf(oldBody), `the old body of ${about}`).toEqual(before)
      }
      if (type === 'DELETE') this.states.delete(name)
      else this.states.set(name, now)
      changes.push(`${type} ${name}`)
    }
    this.#read = events.length
    return changes
  }

  /** What must come for the cluster's objects to be known. */
  owed(objects: readonly KubeObject[]): string[] {
    const now = new Map(objects.map(object => [object.metadata.name ?? '', stateOf(object)]))
    const changes: string[] = []
    for (const name of new Set([...this.states.keys(), ...now.keys()])) {
      const [before, after] = [this.states.get(name), now.get(name)]
      if (before && before.uid !== after?.uid) changes.push(`DELETE ${name}`)
      if (after && before?.uid !== after.uid) changes.push(`ADD ${name}`)
      else if (after && before?.version !== after.version) changes.push(`UPDATE ${name}`)
    }
    return changes
  }
}

async function live(
  seed: number,
  plantedBug?: (scene: Scene) => void,
): Promise<{ crashes: number; recreated: number }> {
  const random = seededRandom(seed)
  const server = await createApiServer({ env: { clock: new VirtualClock(), random: systemRandom, log: silentLog } })
  const scene = new Scene(server)
  plantedBug?.(scene)
  await scene.openBus()
  const reader = new Reader()
  const objects = async () =>
    (await scene.client.listAll({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' })).items.filter(
      ({ metadata }) => metadata.name?.startsWith('test-'),
    )
  const change = async () => {
    const name = `o${Math.floor(random.next() * OBJECTS)}`
    if (random.next() < 0.35) await scene.remove(name).catch(() => {})
    else await scene.write(name, String(random.next()))
  }
  const total = { crashes: 0, recreated: 0 }

  for (let life = 0; life < LIVES; life++) {
    const wasCrash = life > 0 && total.crashes > 0 && scene.running === undefined && scene.crashed
    const owed = reader.owed(await objects())
    await scene.startAndWait()
    const came = reader.read(await scene.events())
    if (!wasCrash) expect(came.toSorted(), `life ${life}`).toEqual(owed.toSorted())
    total.recreated += owed.filter(
      entry => entry.startsWith('ADD') && owed.includes(entry.replace('ADD', 'DELETE')),
    ).length
    expect(reader.owed(await objects())).toEqual([])

    for (let i = 0; i < 30; i++) {
      await change()
      if (random.next() < 0.3) await turns(Math.floor(random.next() * 6))
    }
    if (random.next() < 0.3) server.storage.compact(server.storage.revision)
    if (random.next() < 0.5) {
      await scene.stop()
      reader.read(await scene.events())
    } else {
      total.crashes++
      await scene.crash(crashModes[Math.floor(random.next() * crashModes.length)] ?? 'none', random)
      reader.read(await scene.events())
    }
    const downtime = Math.floor(random.next() * 60)
    for (let i = 0; i < downtime; i++) await change()
  }
  await scene.stop()
  await scene.bus.close()
  await server.close()
  return total
}

it.each(SEEDS)('publishes the exact difference after every downtime (seed %i)', { timeout: 300_000 }, async seed => {
  const { crashes, recreated } = await live(seed)
  expect(crashes, 'the fault really happened').toBeGreaterThan(LIVES / 5)
  expect(recreated).toBeGreaterThan(LIVES / 2)
})

it('this test notices a source that forgets an object now and then', { timeout: 60_000 }, async () => {
  const forgetful = (scene: Scene) => {
    let writes = 0
    scene.wrapMemory = memory => ({
      ...memory,
      set: (key, value) => (++writes % 20 === 0 ? Promise.resolve() : memory.set(key, value)),
    })
  }
  await expect(live(1, forgetful)).rejects.toThrow()
})
