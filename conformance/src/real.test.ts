import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whySkipped } from '../tools.mjs'
import { areas } from './areas.ts'
import { type Golden, readGolden, writeGolden } from './golden.ts'
import { type RunningServer, startRealServer } from './real-server.ts'
import { play } from './scenario.ts'
import { compareTranscripts, describeDisagreements } from './transcript.ts'

const isUpdating = process.env.CONFORMANCE_UPDATE !== undefined
const isAbsent = whySkipped('kube-apiserver', 'etcd')

describe.skipIf(isAbsent)(`kube-apiserver${isAbsent}`, () => {
  let server: RunningServer

  beforeAll(async () => {
    server = await startRealServer({ unsafeNoFsync: true })
  }, 90_000)
  afterAll(() => server?.stop())

  for (const area of areas) {
    const needsTool = area.tool === undefined ? '' : whySkipped(area.tool)
    describe.skipIf(needsTool)(`${area.name}${needsTool}`, () => {
      const golden = readGolden(area.name)
      const recorded: Golden = {}

      for (const scenario of area.scenarios) {
        test.concurrent(scenario.name, async () => {
          const transcript = await play(scenario, server)
          recorded[scenario.name] = transcript
          if (isUpdating) return
          const expected = golden[scenario.name]
          if (expected === undefined) throw new Error('no golden transcript; record it with --update')
          const drift = compareTranscripts(expected, transcript)
          if (drift.length > 0)
            expect.fail(`the golden transcript has drifted:\n${describeDisagreements(drift, ['golden', 'now   '])}`)
        })
      }

      afterAll(() => {
        if (!isUpdating) return
        const merged = area.scenarios.flatMap(({ name }) => {
          const steps = recorded[name] ?? golden[name]
          return steps === undefined ? [] : [[name, steps] as const]
        })
        writeGolden(area.name, Object.fromEntries(merged))
      })
    })
  }
})
