import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Row } from './figure.ts'
import type { Machine } from './machine.ts'
import { plotPath, tablesOf, titleOf, withReport, withSkipped } from './performance-page.ts'
import { plot } from './plot.ts'
import type { TableHeads } from './table.ts'

/** A comparison that was not made, and why. */
export interface Skipped {
  what: string
  why: string
}

/** A run as it is kept: what was promised and met, what could not be measured, and every number behind it. */
export interface Report {
  bench: string
  heads: TableHeads
  date: string
  machine: Machine
  rounds: number
  rows: Row[]
  skipped: Skipped[]
  /** What was measured, round by round. */
  measured: unknown[]
}

/** Puts what was found into the page, and draws it; the prose around it stays. A bench that was not run at all leaves its
 *  last table, and says why there is no newer one. */
export async function writeReport(path: string, report: Report): Promise<void> {
  const page = await readFile(path, 'utf8')
  const isEmpty = report.rows.length === 0
  await writeFile(path, isEmpty ? withSkipped(page, report.bench, report.skipped) : withReport(page, report))
}

/** Draws the tables of the page, beside it. */
export async function writePlots(path: string, benches: readonly string[]): Promise<void> {
  for (const [bench, table] of tablesOf(await readFile(path, 'utf8'), benches)) {
    const picture = join(dirname(path), plotPath(bench))
    await mkdir(dirname(picture), { recursive: true })
    await writeFile(picture, plot(titleOf(bench), table))
  }
}
