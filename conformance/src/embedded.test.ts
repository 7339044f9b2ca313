import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whySkipped } from '../tools.mjs'
import { AcceptedDifferences } from './accepted.ts'
import { areas } from './areas.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { readGolden } from './golden.ts'
import type { RunningServer } from './real-server.ts'
import { play } from './scenario.ts'
import { compareTranscripts, describeDisagreements } from './transcript.ts'

const accepted = new AcceptedDifferences()
const played = new Set<string>()
let server: RunningServer

beforeAll(async () => {
  server = await startEmbeddedServer()
})
afterAll(() => server?.stop())

for (const area of areas) {
  const golden = readGolden(area.name)
  const needsTool = area.tool === undefined ? '' : whySkipped(area.tool)
  describe.skipIf(needsTool)(`embedded server: ${area.name}${needsTool}`, () => {
    for (const scenario of area.scenarios) {
      test.concurrent(scenario.name, async () => {
        const title = `${area.name}: ${scenario.name}`
        const expected = golden[scenario.name]
        if (expected === undefined) throw new Error(`no golden transcript of "${title}"; record it with --update`)
        const disagreements = compareTranscripts(expected, await play(scenario, server))
        played.add(title)
        const mistakes = accepted.unexplained(title, disagreements)
        if (mistakes.length > 0)
          expect.fail(
            `differs from kube-apiserver:\n${describeDisagreements(mistakes, ['kube-apiserver', 'embedded      '])}`,
          )
      })
    }
  })
}

describe('accepted differences', () => {
  test('each of them still differs', () => {
    expect(accepted.outdated(played)).toEqual([])
  })
})
