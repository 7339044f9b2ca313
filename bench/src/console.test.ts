import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { bundlePrograms } from '../build.mjs'
import { budgetFigures, consoleFigures, measureConsole } from './console.ts'
import { rowOf } from './figure.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('measures a console', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'tiphys-bench-'))
  try {
    const bench = {
      command: join(root, 'node_modules/.bin/tiphys'),
      operator: join(root, 'examples/memcached'),
      noise: join(await bundlePrograms(scratch), 'noise.mjs'),
      scratch,
      rounds: 1,
      objects: 2,
      pages: 5,
      pace: 50,
      times: 2,
      say: () => {},
    }
    const [pages, noise] = consoleFigures(await measureConsole(bench), bench).map(rowOf)
    expect([pages?.ours.median, pages?.peer?.median].map(Number).every(ms => ms > 0)).toBe(true)
    // How many were answered in so short a time, nobody can say.
    expect(noise?.ours.median).toBeGreaterThanOrEqual(0)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
})

it('holds what was measured against the budgets, the middle of the rounds', () => {
  const round = (frame: number, lost: number) => [
    { what: 'frame', budget: 33, unit: 'ms' as const, was: frame },
    { what: 'lost', budget: 0, unit: 'lost' as const, was: lost },
  ]
  const rows = budgetFigures([round(20, 0), round(50, 0), round(30, 1)]).map(rowOf)
  expect(rows.map(({ what, ours, bar, met }) => [what, ours.median, bar, met])).toEqual([
    ['frame', 30, '≤ 33 ms', true],
    ['lost', 0, '≤ 0 rows', true],
  ])
  expect(budgetFigures([round(20, 1)]).map(figure => rowOf(figure).met)).toEqual([true, false])
})
