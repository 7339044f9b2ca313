import type { Row } from './figure.ts'
import type { Spread } from './statistics.ts'

/** What two columns are called. */
export interface TableHeads {
  peer: string
  ratio: string
}

/** A line of a table as it stands in a document. */
export interface TableLine {
  what: string
  unit: string
  ours: number
  peer: number | undefined
  ratio: Spread | undefined
  bar: string
  met: boolean | undefined
}

export interface Table {
  heads: TableHeads
  lines: TableLine[]
}

const SPREAD = ' (least to most)'

/** The rows as a Markdown table, aligned so that it also reads well in a terminal. */
export function formatTable(rows: readonly Row[], heads: TableHeads): string {
  const head = ['what', 'Tiphys', heads.peer, `${heads.ratio}${SPREAD}`, 'bar', 'met']
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

/** The first table of a text that `formatTable` made; undefined when there is none. */
export function readTable(text: string): Table | undefined {
  const lines = text.split('\n').filter(line => line.startsWith('| '))
  const [head, , ...rows] = lines.map(line =>
    line
      .slice(1, -1)
      .split(' | ')
      .map(cell => cell.trim()),
  )
  const [what, ours, peer, ratio, bar, met] = head ?? []
  if (what !== 'what' || ours !== 'Tiphys' || bar !== 'bar' || met !== 'met' || !ratio?.endsWith(SPREAD))
    return undefined
  return { heads: { peer: peer ?? '', ratio: ratio.slice(0, -SPREAD.length) }, lines: rows.map(lineOf) }
}

function lineOf(cells: readonly string[]): TableLine {
  const [what = '', ours = '', peer = '', ratio = '', bar = '', met = ''] = cells
  const [, amount = '', unit = ''] = /^(\S+) (.*)$/.exec(ours) ?? []
  const [, median, least, most] = /^(\S+)× \((\S+) to (\S+)\)$/.exec(ratio) ?? []
  return {
    what,
    unit,
    ours: Number(amount),
    peer: peer === '' ? undefined : Number.parseFloat(peer),
    ratio: median === undefined ? undefined : { median: Number(median), least: Number(least), most: Number(most) },
    bar,
    met: met === '' ? undefined : met === 'yes',
  }
}

export const formatRatio = ({ median, least, most }: Spread): string =>
  `${short(median)}× (${short(least)} to ${short(most)})`

/** Three digits that mean something. */
export function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}
