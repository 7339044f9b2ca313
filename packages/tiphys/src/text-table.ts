import { bold, cutTo, type Output, padTo, widthOf } from './terminal.ts'

/** A column that says less than this is cut no more. */
const LEAST = 10
const GAP = '  '

interface Column {
  index: number
  width: number
  isWhole: boolean
}

/** Prints rows under a heading, as wide as they need to be. On a screen that is narrower the widest columns but `whole` are cut,
 *  and the last ones left out where that is not enough. The last column is not padded. */
export function printTable(
  out: Output,
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  { whole }: { whole?: string } = {},
): void {
  const needed = heading.map((title, index): Column => {
    const width = Math.max(...[heading, ...rows].map(row => widthOf(row[index] ?? '')))
    return { index, width, isWhole: title === whole }
  })
  const columns = out.columns === undefined ? needed : fitted(needed, out.columns)
  const line = (cells: readonly string[]) =>
    columns
      .map(({ index, width }) => padTo(cutTo(cells[index] ?? '', width), width))
      .join(GAP)
      .trimEnd()
  out.print(bold(out, line(heading)))
  for (const row of rows) out.print(line(row))
}

function fitted(needed: readonly Column[], room: number): readonly Column[] {
  const columns = needed.map(column => ({ ...column }))
  const total = (widthOf: (column: Column) => number) =>
    columns.reduce((sum, column) => sum + widthOf(column), (columns.length - 1) * GAP.length)
  const leastOf = ({ width, isWhole }: Column) => (isWhole ? width : Math.min(width, LEAST))
  while (total(leastOf) > room) {
    const last = columns.findLastIndex(({ isWhole }) => !isWhole)
    if (last < 0) break
    columns.splice(last, 1)
  }
  while (total(({ width }) => width) > room) {
    const widest = columns.reduce((a, b) => (a.isWhole || (!b.isWhole && b.width > a.width) ? b : a))
    if (widest.isWhole) break
    widest.width--
  }
  return columns
}
