import { afterAll, beforeAll, describe } from 'vitest'
import { compaction } from '../scenarios/compaction.ts'
import { AcceptedDifferences } from './accepted.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { meetGolden, requireDifferences } from './golden-suite.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { RunningServer } from './real-server.ts'
import { play } from './scenario.ts'

const accepted = new AcceptedDifferences()
let server: RunningServer

beforeAll(async () => {
  server = await startEmbeddedServer()
})
afterAll(() => server?.stop())

describe('embedded server that forgets', () =>
  meetGolden(
    compaction,
    oneAtATime(scenario => play(scenario, server)),
    accepted,
  ))
requireDifferences(accepted)
