import { afterAll, beforeAll, describe } from 'vitest'
import { whySkipped } from '../tools.mjs'
import { areas } from './areas.ts'
import { holdGolden } from './golden-suite.ts'
import { type RunningServer, startRealServer } from './real-server.ts'
import { play } from './scenario.ts'

const isAbsent = whySkipped('kube-apiserver', 'etcd')

describe.skipIf(isAbsent)(`kube-apiserver${isAbsent}`, () => {
  let server: RunningServer

  beforeAll(async () => {
    server = await startRealServer({ unsafeNoFsync: true })
  }, 90_000)
  afterAll(() => server?.stop())

  for (const area of areas) {
    const needsTool = area.tool === undefined ? '' : whySkipped(area.tool)
    describe.skipIf(needsTool)(`${area.name}${needsTool}`, () => holdGolden(area, scenario => play(scenario, server)))
  }
})
