import { afterAll, describe, expect, test } from 'vitest'
import type { AcceptedDifferences } from './accepted.ts'
import { type Golden, readGolden, writeGolden } from './golden.ts'
import { compareSteps, compareTranscripts, describeDisagreements, type Step } from './transcript.ts'

interface Area<S> {
  name: string
  scenarios: readonly S[]
}

/** Plays a scenario. `isKnown` tells of a step, counted from 0, whether it is what the golden transcript says: a step that
 *  depends on somebody else's pace can be looked at again before it is taken for different. */
type Play<S> = (scenario: S, isKnown: (index: number, step: Step) => boolean) => Promise<Step[]>

const isUpdating = process.env.CONFORMANCE_UPDATE !== undefined

/** Plays an area on the real thing: the golden transcripts must still be what it does. With `--update` they become it. */
export function holdGolden<S extends { name: string }>(area: Area<S>, play: Play<S>): void {
  const golden = readGolden(area.name)
  const recorded: Golden = {}

  for (const scenario of area.scenarios) {
    test.concurrent(scenario.name, async () => {
      const expected = golden[scenario.name]
      const isKnown = (index: number, step: Step) =>
        isUpdating || compareSteps(index, expected?.[index], step).length === 0
      const transcript = await play(scenario, isKnown)
      recorded[scenario.name] = transcript
      if (isUpdating) return
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
}

/** Plays an area on ours: it must do what the golden transcripts say, but for the accepted differences. */
export function meetGolden<S extends { name: string }>(
  area: Area<S>,
  play: Play<S>,
  accepted: AcceptedDifferences,
): void {
  const golden = readGolden(area.name)
  for (const scenario of area.scenarios) {
    test.concurrent(scenario.name, async () => {
      const title = `${area.name}: ${scenario.name}`
      const expected = golden[scenario.name]
      if (expected === undefined) throw new Error(`no golden transcript of "${title}"; record it with --update`)
      const isKnown = (index: number, step: Step) =>
        accepted.areExplained(title, compareSteps(index, expected[index], step))
      const disagreements = compareTranscripts(expected, await play(scenario, isKnown))
      const mistakes = accepted.unexplained(title, disagreements)
      if (mistakes.length > 0)
        expect.fail(`differs from Kubernetes:\n${describeDisagreements(mistakes, ['Kubernetes', 'ours      '])}`)
    })
  }
}

/** To be called after the areas: a difference that has gone is no longer listed. */
export function requireDifferences(accepted: AcceptedDifferences): void {
  describe('accepted differences', () => {
    test('each of them still differs', () => {
      expect(accepted.outdated()).toEqual([])
    })
  })
}
