import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { rowOf } from './figure.ts'
import { plotPath, tablesOf, titleOf, withReport, withSkipped } from './performance-page.ts'
import { plot } from './plot.ts'
import type { Report } from './report.ts'
import { formatTable, readTable } from './table.ts'

const BENCHES = ['apiserver', 'cluster', 'archive', 'events', 'workflows']
const heads = { peer: 'peer', ratio: 'times better' }
const rows = [
  rowOf({ what: 'a <b> & `c`', unit: 'ms', better: 'less', bar: 2, ours: [10, 20, 30], peers: [40, 40, 40] }),
  rowOf({ what: 'writes', unit: '/s', better: 'more', bar: 3, ours: [1234], peers: [1000] }),
  rowOf({ what: 'alone', unit: '% of a core', better: 'less', limit: 1, ours: [0.5] }),
]
const report: Report = {
  bench: 'events',
  heads,
  date: '2026-01-02',
  machine: { processor: 'P', cores: 2, memoryGigabytes: 8, kernel: 'k', node: 'v20', go: 'go1', peers: 'none' },
  rounds: 1,
  rows,
  skipped: [{ what: 'the comparison with Kopf', why: 'there is no Python' }],
  measured: [],
}
const page = `# P
<!-- bench events -->
old
<!-- end of bench events -->
prose
<!-- not measured -->
- archive: all of it, as it was not run
- events: something old, as it was not there
<!-- end of not measured -->
`

it('reads a table as it was written', () => {
  expect(readTable(`words\n\n${formatTable(rows, heads)}\n`)).toEqual({
    heads,
    lines: [
      {
        what: 'a <b> & `c`',
        unit: 'ms',
        ours: 20,
        peer: 40,
        ratio: { median: 2, least: 1.33, most: 4 },
        bar: '≥ 2×',
        met: true,
      },
      {
        what: 'writes',
        unit: '/s',
        ours: 1234,
        peer: 1000,
        ratio: { median: 1.23, least: 1.23, most: 1.23 },
        bar: '≥ 3×',
        met: false,
      },
      {
        what: 'alone',
        unit: '% of a core',
        ours: 0.5,
        peer: undefined,
        ratio: undefined,
        bar: '≤ 1 % of a core',
        met: true,
      },
    ],
  })
  expect(readTable('| what | read | bar |\n| --- | --- | --- |\n| x | 1 | 2 |\n')).toBeUndefined()
})

it('puts table, picture and what is missing into the page, and leaves the rest', () => {
  const written = withReport(page, report)
  expect(written).toContain('Measured on 2026-01-02, 1 round: 2 cores')
  expect(written).toContain('![Events](images/bench-events.svg)')
  expect(written).not.toContain('old')
  expect(written).toContain(
    '\n- archive: all of it, as it was not run\n- events: the comparison with Kopf, as there is no Python\n',
  )
  expect(withReport(written, report)).toBe(written)
  expect(withSkipped(withSkipped(written, 'events', []), 'archive', [])).toContain(
    'Everything that there is a bench for.',
  )
})

it('refuses a page without a place', () => {
  expect(() => withReport('# P\n', report)).toThrow(
    'the page has no place for this: it needs the lines <!-- bench events --> and <!-- end of bench events -->',
  )
})

it('draws both sides to their scale, the ratio and the bar, for light and dark', () => {
  const table = tablesOf(withReport(page, report), ['events']).get('events')
  const picture = plot('Events', table as NonNullable<typeof table>)
  expect(picture).toContain('a &lt;b&gt; &amp; c')
  expect(
    [...picture.matchAll(/class="(ours|peer)" x="16" y="\d+" width="(\d+)"/g)].map(([, side, width]) => [side, width]),
  ).toEqual([
    ['ours', '220'],
    ['peer', '440'],
    ['ours', '440'],
    ['peer', '357'],
  ])
  expect(picture).toContain('class="yes"> ✔ ≥ 2×<')
  expect(picture).toContain('class="no"> ✖ ≥ 3×<')
  expect(picture).toContain('prefers-color-scheme: dark')
  // What has no peer is in the table alone.
  expect(picture).not.toContain('alone')
})

it('the pictures in docs show the tables in docs', async () => {
  const docs = (path: string) => readFile(fileURLToPath(new URL(`../../docs/${path}`, import.meta.url)), 'utf8')
  const performance = await docs('performance.md')
  for (const [bench, table] of tablesOf(performance, BENCHES)) {
    expect(performance).toContain(`](${plotPath(bench)})`)
    expect(await docs(plotPath(bench)), 'draw them anew: npm run bench -- --plots').toBe(plot(titleOf(bench), table))
  }
})
