import { bold, type Output } from './terminal.ts'

/** Prints rows under a heading, as wide as they need to be. The last column is not padded. */
export function printTable(out: Output, heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  out.print(bold(out, line(heading)))
  for (const row of rows) out.print(line(row))
}
