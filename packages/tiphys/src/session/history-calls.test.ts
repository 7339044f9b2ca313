import { systemClock, VirtualClock } from '@tiphys/env'
import { expect, it } from 'vitest'
import { Noted } from './control-server.ts'
import { type HistorySource, historyCalls } from './history-calls.ts'

const source = (caughtUp: () => Promise<boolean>): HistorySource => ({
  // Of an archive no more is asked here.
  archive: async () =>
    ({ runs: async () => 'the runs', caughtUp }) as unknown as Awaited<ReturnType<HistorySource['archive']>>,
  recorder: { settled: async () => {} },
})

it('answers with what has happened before the question', async () => {
  const calls = historyCalls(
    source(async () => true),
    new VirtualClock(),
  )
  expect(await calls.runs?.()).toBe('the runs')
  expect(await calls.caughtUp?.()).toBe(undefined)
})

it('answers at once with what is known, and says so, while it is known that nothing can be stored', async () => {
  const calls = historyCalls(
    source(async () => false),
    new VirtualClock(),
  )
  expect(await calls.runs?.()).toBeInstanceOf(Noted)
})

it('answers with what is known, and says so, where a full disk lets nothing be stored', async () => {
  const calls = historyCalls(
    source(() => new Promise(() => {})),
    systemClock,
    1,
  )
  expect(await calls.runs?.()).toEqual(new Noted('the runs', expect.stringMatching(/^the history lags behind/)))
  expect(await calls.caughtUp?.()).toBeInstanceOf(Noted)
})
