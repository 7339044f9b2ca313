import { writeFile } from 'node:fs/promises'
import { it } from 'vitest'
import { ConsoleScene } from './console-scene.ts'

it('serves', { timeout: 3_600_000 }, async () => {
  const scene = await ConsoleScene.start({ assets: '/work/main/.build/console', more: { port: 2999 } })
  await writeFile('/tmp/conscene/url', scene.console.url)
  await new Promise(() => {})
})
