import { VirtualClock } from '@tiphys/env'
import { it } from 'vitest'
import { WorkflowsScene } from './workflows-scene.ts'

it('virtual', async () => {
  const clock = new VirtualClock()
  const scene = await WorkflowsScene.create({ env: { clock } })
  console.log('created')
  await Promise.race([
    scene.settledCluster().then(() => console.log('cluster settled')),
    new Promise(r => setTimeout(r, 3000)),
  ])
  console.log(scene.engine?.isIdle(), scene.engine?.metrics())
  await Promise.race([
    scene.engine?.settled().then(() => console.log('engine settled')),
    new Promise(r => setTimeout(r, 3000)),
  ])
  await scene.close()
}, 30000)
