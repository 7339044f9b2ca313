import { afterEach, describe, expect, it } from 'vitest'
import { embeddedServer, LossScene } from './events-loss-scene.ts'

const isFull = process.env.TIPHYS_FULL !== undefined
const [KILLS, WRITES] = isFull ? [200, 5000] : [8, 300]
const LONG = { timeout: isFull ? 1_200_000 : 120_000 }

let scene: LossScene

afterEach(() => scene.close())

/** Kills the engine at moments that the scene's randomness decides: while it starts, and while it delivers. */
async function killAgainAndAgain(of: LossScene, kills: number, mode?: string): Promise<void> {
  for (let i = 0; i < kills; i++) {
    of.start(mode)
    const moment = of.random.next()
    if (moment < 0.2) for (let n = of.random.next() * 60; n > 0; n--) await of.write()
    else {
      await of.writeUntil(of.says('ready'))
      await of.writeUntil(of.ledger.more(1 + Math.floor(of.random.next() * 40)))
    }
    await of.end('SIGKILL')
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
    let missing: string[] = []
    for (let round = 0; round < 10 && missing.length === 0; round++) {
      await killAgainAndAgain(scene, 4, 'forgetful')
      scene.start('forgetful')
      missing = await scene.missing(3000)
      await scene.end('SIGKILL')
    }
    expect(missing).not.toEqual([])
  })
})
