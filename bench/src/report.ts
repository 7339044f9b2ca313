import { readFile, writeFile } from 'node:fs/promises'
import type { Row } from './figure.ts'
import { formatMachine, type Machine } from './machine.ts'
import { formatTable, type TableHeads } from './table.ts'

/** A run as it is kept: what was promised and met, and every number behind it. */
export interface Report {
  bench: string
  heads: TableHeads
  date: string
  machine: Machine
  rows: Row[]
  rounds: unknown[]
}

/** Puts the table between the markers of this bench; the prose around them stays. */
export async function writeTable(path: string, { bench, heads, date, machine, rows, rounds }: Report): Promise<void> {
  const text = await readFile(path, 'utf8')
  const [start, end] = [`<!-- bench ${bench} -->`, `<!-- end of bench ${bench} -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from)
    throw new Error(`${path} has no place for the table: it needs the lines ${start} and ${end}`)
  const made = `Measured on ${date}, ${rounds.length} rounds: ${formatMachine(machine)}.`
  await writeFile(
    path,
    `${text.slice(0, from + start.length)}\n\n${made}\n\n${formatTable(rows, heads)}\n\n${text.slice(to)}`,
  )
}
