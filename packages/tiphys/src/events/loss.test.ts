import { NatsServer, noNatsServer } from '@tiphys/journal/testing'
import { noRealServer } from '@tiphys/kube/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { EngineProcess } from './engine-process.ts'
import { embeddedServer, LossScene } from './loss-scene.ts'
import { startRealServer } from './real-server.ts'

const isFull = process.env.TIPHYS_FULL !== undefined
const [KILLS, WRITES] = isFull ? [200, 5000] : [8, 300]
const LONG = { timeout: isFull ? 1_200_000 : 240_000 }

let scene: LossScene

afterEach(() => scene.close())

/** Kills the engine at moments that the scene's randomness decides: while it starts, and while it delivers. */
async function killAgainAndAgain(of: LossScene, kills: number, mode?: string): Promise<void> {
  for (let i = 0; i < kills; i++) {
    const engine = of.start(mode)
    const moment = of.random.next()
    if (moment < 0.2) for (let n = of.random.next() * 60; n > 0; n--) await of.write()
    else {
      await of.writeUntil(engine.says('ready'))
      await of.writeUntil(of.ledger.more(1 + Math.floor(of.random.next() * 40)))
    }
    await engine.end('SIGKILL')
  }
}

describe('with an engine that is killed again and again', () => {
  it(
    'every last state and every deletion is delivered, no change as two events, in the order of each object',
    LONG,
    async () => {
      scene = await LossScene.open(await embeddedServer())
      await killAgainAndAgain(scene, KILLS)
      while (scene.writes < WRITES) await scene.write()
      scene.start()
      expect(await scene.missing()).toEqual([])
      expect(scene.ledger.contradictions()).toEqual([])
      // The kills hit something: some deliveries were under way.
      expect(scene.ledger.repeats).toBeGreaterThan(0)
    },
  )

  it('an engine that forgets what it has not handled would be found out', LONG, async () => {
    scene = await LossScene.open(await embeddedServer())
    // Many wait for their turn when it dies.
    scene.ledger.answersAfterMs = 100
    let missing: string[] = []
    for (let round = 0; round < 10 && missing.length === 0; round++) {
      await killAgainAndAgain(scene, 4, 'forgetful')
      const engine = scene.start('forgetful')
      missing = await scene.missing(3000)
      await engine.end('SIGKILL')
    }
    expect(missing).not.toEqual([])
  })
})

describe('with a real kube-apiserver', () => {
  it.skipIf(noRealServer)(`nothing is lost when the engine is killed${noRealServer}`, LONG, async () => {
    scene = await LossScene.open(await startRealServer(), { seed: 2 })
    await killAgainAndAgain(scene, isFull ? KILLS : 5)
    while (scene.writes < (isFull ? WRITES : 150)) await scene.write()
    scene.start()
    expect(await scene.missing()).toEqual([])
    expect(scene.ledger.contradictions()).toEqual([])
    expect(scene.ledger.repeats).toBeGreaterThan(0)
  })

  it.skipIf(noRealServer)(
    `nothing is lost when the API server is killed and started again${noRealServer}`,
    LONG,
    async () => {
      const server = await startRealServer()
      scene = await LossScene.open(server, { seed: 3 })
      scene.isTolerant = true
      await scene.writeUntil(scene.start().says('ready'))
      for (let i = 0; i < (isFull ? 20 : 2); i++) {
        await scene.writeUntil(scene.ledger.more(1 + Math.floor(scene.random.next() * 30)))
        await server.killApiServer()
        await expect(server.client.serverVersion()).rejects.toThrow('no answer')
        await server.startApiServer()
      }
      await scene.writeUntil(scene.ledger.more(10))
      expect(await scene.missing(60_000)).toEqual([])
      expect(scene.ledger.contradictions()).toEqual([])
    },
  )
})

describe('with a bus on NATS', () => {
  const start = async (seed: number) => {
    const nats = await NatsServer.start()
    const bus = `{jetstreamExotic: {url: "nats://${nats.address}"}}`
    scene = await LossScene.open(await embeddedServer(), { bus, seed })
    return nats
  }

  it.skipIf(noNatsServer)(
    `nothing is lost when the NATS server is killed and started again${noNatsServer}`,
    LONG,
    async () => {
      const nats = await start(4)
      try {
        await scene.writeUntil(scene.start().says('ready'))
        for (let i = 0; i < (isFull ? 50 : 3); i++) {
          await scene.writeUntil(scene.ledger.more(1 + Math.floor(scene.random.next() * 30)))
          await nats.kill()
          for (let n = 0; n < 20; n++) await scene.write()
          await nats.start()
        }
        expect(await scene.missing(60_000)).toEqual([])
        expect(scene.ledger.contradictions()).toEqual([])
      } finally {
        await nats.dispose()
      }
    },
  )

  it.skipIf(noNatsServer)(`nothing is lost when the engine is killed${noNatsServer}`, LONG, async () => {
    const nats = await start(5)
    try {
      await killAgainAndAgain(scene, isFull ? 50 : 3)
      scene.start()
      expect(await scene.missing(60_000)).toEqual([])
      expect(scene.ledger.contradictions()).toEqual([])
    } finally {
      await nats.dispose()
    }
  })

  it.skipIf(noNatsServer)(
    `of two engines one works at a time, also when the other stood still or was killed${noNatsServer}`,
    LONG,
    async () => {
      const nats = await start(6)
      try {
        const engines = [scene.start('elected', 'a'), scene.start('elected', 'b')]
        const leads = (engine: EngineProcess) => engine.count('ready') > engine.count('stopped leading')
        /** On a busy machine a leader may lose its lease by itself. */
        const leading = async (among: readonly EngineProcess[]): Promise<EngineProcess> => {
          for (;;) {
            const leader = among.find(leads)
            if (leader) return leader
            await scene.writeUntil(Promise.race(among.map(engine => engine.says('ready', engine.count('ready')))))
          }
        }
        for (let i = 0; i < (isFull ? 60 : 3); i++) {
          // The kill comes while something is under way.
          await scene.writeUntil(scene.ledger.more(1 + Math.floor(scene.random.next() * 40)))
          const leader = await leading(engines)
          const others = engines.filter(engine => engine !== leader)
          const ends = leader.count('stopped leading')
          const isKilled = i % 3 === 1 || scene.random.next() < (isFull ? 0.5 : 0)
          if (isKilled) await leader.end('SIGKILL')
          else leader.signal('SIGSTOP')
          await leading(others)
          await scene.writeUntil(scene.ledger.more(20))
          if (isKilled) engines[engines.indexOf(leader)] = scene.start('elected', engines[0] === leader ? 'a' : 'b')
          else {
            leader.signal('SIGCONT')
            // It finds out by itself that its time is over.
            await scene.writeUntil(leader.says('stopped leading', ends))
          }
        }
        expect(await scene.missing(60_000)).toEqual([])
        expect(scene.ledger.contradictions()).toEqual([])
      } finally {
        await nats.dispose()
      }
    },
  )
})

describe('with an engine that is asked to end', () => {
  it('nothing is delivered twice, and it takes no longer than ten seconds', LONG, async () => {
    scene = await LossScene.open(await embeddedServer(), { seed: 7 })
    for (let i = 0; i < (isFull ? 50 : 4); i++) {
      const engine = scene.start()
      await scene.writeUntil(engine.says('ready'))
      await scene.writeUntil(scene.ledger.more(1 + Math.floor(scene.random.next() * 40)))
      const began = Date.now()
      expect(await engine.end('SIGTERM')).toBe(0)
      expect(Date.now() - began).toBeLessThan(10_000)
    }
    scene.start()
    expect(await scene.missing()).toEqual([])
    expect(scene.ledger.repeats).toBe(0)
    expect(scene.ledger.contradictions()).toEqual([])
  })
})
