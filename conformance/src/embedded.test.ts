import { afterAll, beforeAll, describe } from 'vitest'
import { whySkipped } from '../tools.mjs'
import { AcceptedDifferences } from './accepted.ts'
import { areas } from './areas.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { meetGolden, requireDifferences } from './golden-suite.ts'
import type { RunningServer } from './real-server.ts'
import { play } from './scenario.ts'

const accepted = new AcceptedDifferences()
let server: RunningServer

beforeAll(async () => {
  server = await startEmbeddedServer()
})
afterAll(() => server?.stop())

for (const area of areas) {
  const needsTool = area.tool === undefined ? '' : whySkipped(area.tool)
  describe.skipIf(needsTool)(`embedded server: ${area.name}${needsTool}`, () =>
    meetGolden(area, scenario => play(scenario, server), accepted),
  )
}
requireDifferences(accepted)
