import type { Row } from './figure.ts'
import type { Spread } from './statistics.ts'

/** What two columns are called. */
export interface TableHeads {
  peer: string
  ratio: string
}

/** The rows as a Markdown table, aligned so that it also reads well in a terminal. */
export function formatTable(rows: readonly Row[], heads: TableHeads): string {
  const head = ['what', 'Tiphys', heads.peer, `${heads.ratio} (least to most)`, 'bar', 'met']
  const cells = rows.map(({ what, unit, ours, peer, ratio, bar, met }) => [
    what,
    `${short(ours.median)} ${unit}`,
    peer ? `${short(peer.median)} ${unit}` : '',
    ratio ? formatRatio(ratio) : '',
    bar,
    met === undefined ? '' : met ? 'yes' : 'no',
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map(row => (row[column] as string).length)),
  )
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] as number)).join(' | ')} |`
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...cells.map(line)].join('\n')
}

const formatRatio = ({ median, least, most }: Spread): string => `${short(median)}× (${short(least)} to ${short(most)})`

/** Three digits that mean something. */
function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}
