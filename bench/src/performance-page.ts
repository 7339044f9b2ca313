import { formatMachine } from './machine.ts'
import type { Report, Skipped } from './report.ts'
import { formatTable, readTable, type Table } from './table.ts'

/** `docs/performance.md`: prose by people, and between markers what the benches have found. */

const NOT_MEASURED = 'not measured'

/** The page with the table of this report, a picture of it, and what it could not measure. */
export function withReport(page: string, report: Report): string {
  const { bench, date, machine, rounds, rows, heads, skipped } = report
  const made = `Measured on ${date}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}: ${formatMachine(machine)}.`
  const picture = `![${titleOf(bench)}](${plotPath(bench)})`
  const body = `${made}\n\n${formatTable(rows, heads)}\n\n${picture}`
  return withSkipped(replaced(page, marks(`bench ${bench}`), body), bench, skipped)
}

/** The page that says of a bench what was not measured, and goes on saying it of the others. */
export function withSkipped(page: string, bench: string, skipped: readonly Skipped[]): string {
  const place = marks(NOT_MEASURED)
  const others = between(page, place)
    .split('\n')
    .filter(line => line.startsWith('- ') && !line.startsWith(`- ${bench}: `))
  const own = skipped.map(({ what, why }) => `- ${bench}: ${what}, as ${why}`)
  const lines = [...others, ...own].sort()
  return replaced(page, place, lines.length === 0 ? 'Everything that there is a bench for.' : lines.join('\n'))
}

/** What the page shows, by the name of the bench. A bench that has not been run in full has no table of this form. */
export function tablesOf(page: string, benches: readonly string[]): Map<string, Table> {
  return new Map(
    benches.flatMap(bench => {
      const table = readTable(between(page, marks(`bench ${bench}`)))
      return table ? [[bench, table] as const] : []
    }),
  )
}

/** Where the picture of a bench is, as seen from the page. */
export const plotPath = (bench: string): string => `images/bench-${bench}.svg`

const TITLES: Readonly<Record<string, string>> = {
  apiserver: 'The API server',
  cluster: 'The cluster',
  archive: 'The archive',
  console: 'The console',
  events: 'Events',
  workflows: 'Workflows',
}

export const titleOf = (bench: string): string => TITLES[bench] ?? bench

interface Marks {
  start: string
  end: string
}

const marks = (name: string): Marks => ({ start: `<!-- ${name} -->`, end: `<!-- end of ${name} -->` })

const between = (page: string, place: Marks): string => {
  const { from, to } = find(page, place)
  return page.slice(from, to)
}

function replaced(page: string, place: Marks, body: string): string {
  const { from, to } = find(page, place)
  return `${page.slice(0, from)}\n\n${body}\n\n${page.slice(to)}`
}

function find(page: string, { start, end }: Marks): { from: number; to: number } {
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page has no place for this: it needs the lines ${start} and ${end}`)
  return { from: from + start.length, to }
}
