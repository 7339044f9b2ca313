import { afterAll, beforeAll, describe } from 'vitest'
import { compaction } from '../scenarios/compaction.ts'
import { whySkipped } from '../tools.mjs'
import { holdGolden } from './golden-suite.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { type RunningServer, startRealServer } from './real-server.ts'
import { play } from './scenario.ts'

const isAbsent = whySkipped('kube-apiserver', 'etcd')

describe.skipIf(isAbsent)(`kube-apiserver that forgets${isAbsent}`, () => {
  let server: RunningServer

  beforeAll(async () => {
    // What its cache in memory still has it would serve from there, forgotten or not.
    server = await startRealServer({ unsafeNoFsync: true, apiServerFlags: ['--watch-cache=false'] })
  }, 90_000)
  afterAll(() => server?.stop())

  holdGolden(
    compaction,
    oneAtATime(scenario => play(scenario, server)),
  )
})
