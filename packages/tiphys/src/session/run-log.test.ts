import type { RunDetail, StepDetail } from '@tiphys/archive'
import { expect, it } from 'vitest'
import type { Output } from '../terminal.ts'
import type { History } from './instance.ts'
import { printCulprit, printLogs } from './run-log.ts'

const step = (displayName: string, type: string, parent?: string, children?: string[]): StepDetail => ({
  step: displayName,
  name: `run.${displayName}`,
  displayName,
  type,
  phase: 'Succeeded',
  attempt: 1,
  at: 0,
  changedAt: 0,
  logs: type === 'Pod' ? [{ container: 'main', bytes: 2, lines: 1 }] : [],
  ...(parent !== undefined && { parent }),
  ...(children && { children }),
})

const STEPS = [
  step('run', 'Steps', undefined, ['[0]']),
  step('[0]', 'StepGroup', 'run', ['flaky', 'each(0:a)', 'each(1:b)', 'once', 'part']),
  step('flaky', 'Retry', 'run', ['flaky(0)', 'flaky(1)']),
  step('flaky(0)', 'Pod', 'run'),
  step('each(0:a)', 'Pod', 'run'),
  step('each(1:b)', 'Pod', 'run'),
  step('once', 'Retry', 'run', ['once(0)']),
  step('once(0)', 'Pod', 'run'),
  step('flaky(1)', 'Pod', 'run'),
  step('part', 'DAG', 'run', ['inner']),
  step('inner', 'Pod', 'part'),
]

async function printed(
  wanted?: string,
  { phase = 'Succeeded', json = false, missing = 0, lines = (of: string) => [`of ${of}`] } = {},
): Promise<string[]> {
  const texts: string[] = []
  const out: Pick<Output, 'print' | 'isInteractive'> = { print: line => void texts.push(line), isInteractive: false }
  const history: Pick<History, 'caughtUp' | 'run' | 'log'> = {
    caughtUp: async () => true,
    run: async () => ({ run: { name: 'run' }, phase, steps: { items: STEPS } }) as unknown as RunDetail,
    log: async ({ step: of }) => ({ from: 1, lines: lines(of), total: 1, bytes: 2, missing }),
  }
  await printLogs({
    history: history as History,
    run: 'uid',
    ...(wanted !== undefined && { step: wanted }),
    follow: false,
    out: out as Output,
    json,
    signal: new AbortController().signal,
  })
  return texts
}

it('tells the attempts of a step apart, which is called as in the manifest', async () => {
  expect(await printed('flaky')).toEqual(['flaky(0) | of flaky(0)', 'flaky(1) | of flaky(1)'])
  expect(await printed('flaky(1)')).toEqual(['of flaky(1)'])
})

it('leaves the name out where there is one attempt and none can follow', async () => {
  expect(await printed('once')).toEqual(['of once(0)'])
  expect(await printed('once', { phase: 'Running' })).toEqual(['once(0) | of once(0)'])
})

it('prints all rounds of a loop, and all that a step consists of', async () => {
  expect(await printed('each')).toEqual(['each(0:a) | of each(0:a)', 'each(1:b) | of each(1:b)'])
  expect(await printed('part')).toEqual(['of inner'])
  expect(await printed()).toEqual(await printed('run'))
})

it('tells which attempt of the run a line is of, and which lines are of the engine', async () => {
  const lines = () => ['broken', '', '[tiphys] attempt 2 of the run', 'fine', '[tiphys] cut here: …']
  expect(await printed('inner', { lines })).toEqual(lines())
  const common = { step: 'inner', container: 'main' }
  expect((await printed('inner', { lines, json: true })).map(line => JSON.parse(line) as unknown)).toEqual([
    { ...common, attempt: 1, line: 'broken' },
    { ...common, attempt: 1, line: '' },
    { ...common, attempt: 2, line: '[tiphys] attempt 2 of the run', isNote: true },
    { ...common, attempt: 2, line: 'fine' },
    { ...common, attempt: 2, line: '[tiphys] cut here: …', isNote: true },
  ])
})

it('prints a line that is followed when it has ended, or its step has: the rest of one that was cut in two was lost', async () => {
  const looks = [
    { ends: 1, lines: ['one', 'tw'] },
    { ends: 2, lines: ['one', 'two', 'thr'] },
    { ends: 2, lines: ['one', 'two', 'three'], phase: 'Succeeded' },
  ]
  const texts: string[] = []
  let look = -1
  const history: Pick<History, 'caughtUp' | 'run' | 'log'> = {
    caughtUp: async () => true,
    async run() {
      look = Math.min(look + 1, looks.length - 1)
      const { ends = 0, phase = 'Running' } = looks[look] ?? {}
      const item = { ...step('a', 'Pod'), phase, logs: [{ container: 'main', bytes: 1, lines: ends }] }
      return { run: { name: 'run' }, phase, steps: { items: [item] } } as unknown as RunDetail
    },
    async log(_, { from = 1, lines: most = 10 } = {}) {
      const lines = looks[look]?.lines ?? []
      return { from, lines: lines.slice(from - 1, from - 1 + most), total: lines.length, bytes: 1, missing: 0 }
    },
  }
  const out: Pick<Output, 'print' | 'isInteractive'> = { print: line => void texts.push(line), isInteractive: false }
  const { signal } = new AbortController()
  await printLogs({ history: history as History, run: 'uid', follow: true, out: out as Output, signal })
  expect(texts).toEqual(['one', 'two', 'three'])
})

it('says of a log that some of it is lost', async () => {
  const [lost, ...rest] = await printed('inner', { missing: 2 })
  expect(lost).toMatch(/^\[tiphys\] 2 pieces of this log had been removed/)
  expect(rest).toEqual(['of inner'])
  expect(await printed('inner', { missing: 1, lines: () => [] })).toHaveLength(1)
})

it('names the steps there are where none is called so', async () => {
  await expect(printed('flak')).rejects.toMatchObject({ code: 'cli-not-found' })
})

it('shows of the last lines of a failed step no more than a screen has room for', () => {
  const texts: string[] = []
  const out: Pick<Output, 'print' | 'hasColours'> = { print: line => void texts.push(line), hasColours: false }
  const culprit = { step: 'inner', lastLines: ['x'.repeat(200_000), 'it broke'] }
  printCulprit(out as Output, { culprit, steps: { items: STEPS } } as unknown as RunDetail)
  expect(texts).toEqual(['', 'the last lines of inner', `  ${'x'.repeat(999)}…`, '  it broke'])
})
