import type { Database, TableRow } from './database.ts'
import { refreshSums } from './refresh-sums.ts'
import { RUNS } from './tables.ts'

/** Tells of the runs of an archive before the seventh schema for which time a CronWorkflow has made them, as their names say it:
 *  `NAME-SECONDS`. Those that somebody made have a random end. */
export async function fillScheduledTimes(database: Database): Promise<void> {
  const crons = await database.all<{ id: number; name: string }>(
    "SELECT id, name FROM parts WHERE type = 'template' AND name LIKE 'CronWorkflow/%'",
  )
  const names = new Map(crons.map(({ id, name }) => [id, name.replace('CronWorkflow/', '')]))
  const timeOf = ({ name, template, repeats }: TableRow): number | null => {
    const cron = repeats === null ? names.get(Number(template)) : undefined
    const [, seconds] = (cron !== undefined && /-(\d{10})$/.exec(String(name))) || []
    return seconds !== undefined && name === `${cron}-${seconds}` ? Number(seconds) * 1000 : null
  }
  await refreshSums(RUNS, 'id', row => ({ ...row, scheduled_at: timeOf(row) }))(database)
}
