import type { Row } from './figure.ts'
import type { Spread } from './statistics.ts'

const HEAD = ['what', 'Tiphys', 'kube-apiserver + etcd', 'times better (least to most)', 'bar', 'met']

/** The rows as a Markdown table, aligned so that it also reads well in a terminal. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(({ what, unit, ours, peer, ratio, bar, met }) => [
    what,
    `${short(ours.median)} ${unit}`,
    peer ? `${short(peer.median)} ${unit}` : '',
    ratio ? formatRatio(ratio) : '',
    bar,
    met === undefined ? '' : met ? 'yes' : 'no',
  ])
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...cells.map(row => (row[column] as string).length)),
  )
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] as number)).join(' | ')} |`
  return [line(HEAD), line(widths.map(width => '-'.repeat(width))), ...cells.map(line)].join('\n')
}

const formatRatio = ({ median, least, most }: Spread): string => `${short(median)}× (${short(least)} to ${short(most)})`

/** Three digits that mean something. */
function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}
