import { afterEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene, SENSOR, SOURCE } from './events-engine-scene.ts'

let scene: EngineScene

afterEach(() => scene.close())

describe('the event engine', () => {
  it('makes a child for an object, through EventSource, bus and Sensor', async () => {
    scene = await EngineScene.start()
    await scene.apply([BUS, SENSOR, SOURCE].join('---'))
    await scene.writeConfigMap('in-one')
    await scene.settled()
    expect(await scene.configMaps()).toEqual(['in-one', 'out-in-one'])
  })
})
