import { afterEach, describe, expect, it } from 'vitest'
import { recordStream } from './record-stream.ts'
import { type ArchiveScene, openScene, type SceneOptions } from './scene.ts'

/** What an archive drops, and what stays. */
export function retentionSuite(options: () => Promise<SceneOptions>): void {
  describe('within its limits', () => {
    let scene: ArchiveScene
    afterEach(() => scene.close())

    const source = { namespace: 'default', name: 'web', part: 'hook' }
    const trigger = { namespace: 'default', name: 'sensor', part: 'go' }
    const run = { namespace: 'default', name: 'run-1', uid: 'u1' }
    const event = (trace: string) => ({ kind: 'event', trace, source, type: 'webhook', body: { n: trace } }) as const
    const HOUR_MS = 3_600_000
    const eventIds = async () => (await scene.archive.events()).items.map(({ id }) => id)

    it('drops the oldest by age, count and size, and keeps what goes on', async () => {
      scene = await openScene(await options())
      const records = [...recordStream({ seed: 3, events: 300 })]
      await scene.record({
        kind: 'health',
        trace: '',
        object: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
        condition: 'Ready',
        status: 'True',
        reason: 'Up',
      })
      await scene.record({ kind: 'run', trace: '', run, phase: 'Running' })
      await scene.add(records)
      const { archive } = scene
      const counted = await archive.retain({ maxEvents: 200 })
      expect(counted.events).toBe(100)
      expect((await archive.events({}, { limit: 1000 })).items).toHaveLength(200)
      expect(await archive.counters()).toMatchObject({ events: 200 })
      const { eventsByVerdict } = await archive.counters()
      expect(Object.values(eventsByVerdict).reduce((a, b) => a + b, 0)).toBe(200)
      expect((await archive.health()).map(({ reason }) => reason)).toEqual(['Up'])
      expect((await archive.run({ uid: 'u1' }))?.phase).toBe('Running')
      const whole = await archive.verify()
      expect([whole.damaged, whole.dangling]).toEqual([[], []])
      const before = (await archive.status()).bytes
      const sized = await archive.retain({ maxBytes: counted.bytesAfter / 2 })
      expect(sized.bytesAfter).toBeLessThanOrEqual(counted.bytesAfter / 2)
      const { database, bytes } = await archive.status()
      // PostgreSQL keeps the room for itself.
      if (database === 'sqlite') expect(bytes).toBeLessThan(0.75 * before)
      await archive.retain({ maxAgeMs: 1 })
      expect((await archive.events()).items).toEqual([])
      // Later records are stored as if nothing had been there.
      await scene.record(event('after'))
      expect((await archive.events()).items.map(({ id }) => id)).toEqual(['after'])
      const last = await archive.verify()
      expect([last.damaged, last.dangling]).toEqual([[], []])
    })

    it('drops nothing by its age that is young enough, whatever was imported since', async () => {
      scene = await openScene(await options())
      const now = Date.now()
      const old = Array.from({ length: 200 }, (_, i) => ({ v: 1, ...event(`old-${i}`), at: now - 1000 * HOUR_MS }))
      await scene.record({ ...event('first'), at: now - 3 * HOUR_MS }, { ...event('young'), at: now - HOUR_MS })
      await scene.archive.import(old.map(record => JSON.stringify({ record })))
      await scene.record({ ...event('last'), at: now })
      expect((await scene.archive.retain({ maxAgeMs: 2 * HOUR_MS })).events).toBe(1)
      expect((await scene.archive.event('young'))?.id).toBe('young')
      expect((await scene.archive.counters()).events).toBe(202)
      // What was imported goes when what was there before it has gone.
      expect((await scene.archive.retain({ maxAgeMs: HOUR_MS / 2 })).events).toBe(201)
      expect(await eventIds()).toEqual(['last'])
    })

    it('drops by age also what a clock that was wrong has dated in the future', async () => {
      scene = await openScene(await options())
      const now = Date.now()
      await scene.record({ ...event('future'), at: now + 10_000 * HOUR_MS }, { ...event('old'), at: now - 5 * HOUR_MS })
      await scene.record({ ...event('young'), at: now })
      await scene.archive.retain({ maxAgeMs: HOUR_MS })
      expect(await eventIds()).toEqual(['young'])
    })

    it('keeps the objects of dead letters and of runs that stay', async () => {
      scene = await openScene(await options())
      const objectOf = (name: string) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'default',
        name,
        uid: name,
      })
      const delivery = { kind: 'delivery', trigger, trace: 'e1', action: 'a1', events: ['e1'], attempt: 1 } as const
      await scene.record(
        { ...event('e1'), object: objectOf('a') },
        { ...delivery, outcome: 'parked', reason: 'Failed', message: 'no' },
        { ...event('e2'), object: objectOf('b') },
        { kind: 'run', trace: 'e2', run, phase: 'Running', object: objectOf('b') },
        { ...event('e3'), object: objectOf('c') },
      )
      await scene.record(event('last'))
      await scene.archive.retain({ maxEvents: 1 })
      expect(await eventIds()).toEqual(['last'])
      expect((await scene.archive.parkedItems()).items).toMatchObject([{ events: ['e1'], object: objectOf('a') }])
      expect((await scene.archive.runs()).items).toMatchObject([{ run, phase: 'Running', object: objectOf('b') }])
      expect((await scene.archive.objects()).items.map(({ object }) => object.name).sort()).toEqual(['a', 'b'])
      const { damaged, dangling } = await scene.archive.verify()
      expect([damaged, dangling]).toEqual([[], []])
    })
  })
}
