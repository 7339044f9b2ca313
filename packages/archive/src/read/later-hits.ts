import type { Words } from '../query/compile.ts'
import type { Dialect } from '../query/sql.ts'
import { hitsAmong, readHits } from './hits.ts'
import type { Source } from './source.ts'

/** The rows with so many numbers are gone through, each for its later records. Of runs there are fewer. */
const [MOST_NUMBERS, MOST_NUMBERS_OF_RUNS] = [30_000, 120_000]
/** So many of the records of one row, and of all of them. */
const [MOST_OF_ONE, MOST_RECORDS] = [100, 4000]
/** When there are more rows than that: so many of the later hits. */
const MOST_HITS = 4000

/** The numbers that were passed: without `from` it was the start, without `to` the end. */
interface Passed {
  from: number | undefined
  to: number | undefined
  isDescending: boolean
  /** Where the page began. */
  start: number | undefined
}

interface LaterKeys {
  keys: readonly (number | null)[]
  /** Up to here they are known: `to`, or less far when there are too many rows and too many hits to look at. */
  to: number | undefined
}

/** What the hits lead to, among the rows with the numbers that were passed, that come after all those that have been read: a run may have
 *  begun long before it wrote the line. */
export async function laterKeys(source: Source, words: Words, match: string, passed: Passed): Promise<LaterKeys> {
  const { from, to, isDescending, start } = passed
  // A row that is its own record has no other; and at the newest end there is nothing later.
  if (words.of === 'id' || (isDescending ? start === undefined : to === undefined)) return { keys: [], to }
  const rows = isDescending
    ? { least: to ?? 0, most: (from ?? start ?? 0) - 1 }
    : { least: (from ?? 0) + 1, most: to as number }
  // When the rows go up, whatever comes after the last of them.
  const since = isDescending ? (start as number) : rows.most + 1
  const width = words.of === 'run' ? MOST_NUMBERS_OF_RUNS : MOST_NUMBERS
  if (rows.most - rows.least < width) return { keys: await keysOf(source, words, match, rows, since), to }
  const hits = await readHits(source, match, { conditions: words.records, beyond: since - 1, isDescending: false })
  const records = await hits.next(MOST_HITS)
  if (hits.isWhole) return { keys: records.map(record => record[words.of]), to }
  return isDescending
    ? nearer({ ...rows, least: rows.most - width + 1 }, since)
    : nearer({ ...rows, most: rows.least + width - 1 }, rows.least + width)

  async function nearer(some: { least: number; most: number }, after: number): Promise<LaterKeys> {
    return { keys: await keysOf(source, words, match, some, after), to: isDescending ? some.least : some.most }
  }
}

/** Of rows by their numbers: those that have a hit from some record on. */
async function keysOf(
  source: Source,
  { of, reach }: Words,
  match: string,
  { least, most }: { least: number; most: number },
  since: number,
): Promise<number[]> {
  if (most < least) return []
  const { dialect } = source.database
  const ways =
    of === 'run'
      ? [{ key: 'r.id', from: `runs r ${each(dialect, 't.run = r.id')}` }]
      : [
          { key: 'e.trace', from: `events e ${each(dialect, 't.trace = e.trace AND t.run IS NULL')}` },
          { key: 'e.trace', from: `events e ${runsOfEach(dialect)} ${each(dialect, 't.run = r.id')}` },
        ]
  const later: { id: number; key: number }[] = []
  for (const { key, from } of ways)
    later.push(
      ...(await source.database.all<{ id: number; key: number }>(
        `SELECT t.id AS id, ${key} AS key FROM ${from} WHERE ${key === 'r.id' ? key : 'e.id'} BETWEEN ? AND ? LIMIT ${MOST_RECORDS}`,
        [since, least, most],
      )),
    )
  const found = await hitsAmong(
    source,
    match,
    later.map(({ id }) => id),
    reach,
  )
  return later.filter(({ id }) => found.has(id)).map(({ key }) => key)
}

/** Row by row, each with its few later records, which an index has: a plan that begins with the records would go through all that are later. */
const each = (dialect: Dialect, condition: string): string =>
  dialect === 'sqlite'
    ? `CROSS JOIN records t ON ${condition} AND t.id >= ?`
    : `CROSS JOIN LATERAL (SELECT t.id FROM records t WHERE ${condition} AND t.id >= ? ORDER BY t.id LIMIT ${MOST_OF_ONE}) t`

const runsOfEach = (dialect: Dialect): string =>
  dialect === 'sqlite'
    ? 'CROSS JOIN runs r ON r.trace = e.trace'
    : `CROSS JOIN LATERAL (SELECT r.id FROM runs r WHERE r.trace = e.trace LIMIT ${MOST_OF_ONE}) r`
