import type { ArchiveStatus } from '../archive.ts'
import { schemaVersion } from '../database/migrate.ts'
import { isOfRareKind } from '../ingest/vocabulary.ts'
import { TRUE } from '../query/sql.ts'
import { keptCount } from './list.ts'
import { readGaps } from './overview.ts'
import { maybe, type Source } from './source.ts'

export type Summary = Omit<ArchiveStatus, 'head' | 'lag' | 'lagMs' | 'state' | 'problem' | 'retention'>

/** What the database alone can tell of itself. */
export async function readSummary(source: Source): Promise<Summary> {
  const { database } = source
  const meta = await database.all<{ name: string; value: string }>('SELECT name, value FROM meta')
  const facts = new Map(meta.map(({ name, value }) => [name, value]))
  const edge = async (direction: 'ASC' | 'DESC') =>
    (await database.all<{ at: number }>(`SELECT at FROM records ORDER BY id ${direction} LIMIT 1`))[0]?.at
  const [unknown] = await database.all<{ count: number }>(
    `SELECT count(*) AS count FROM records WHERE ${isOfRareKind('kind', 'unknown')}`,
  )
  return {
    database: database.dialect,
    place: database.place,
    schema: await schemaVersion(database),
    position: Number(facts.get('position') ?? 0),
    bytes: await database.size(),
    records: await keptCount(source, ['records'], TRUE),
    events: await keptCount(source, ['events'], TRUE),
    runs: await keptCount(source, ['runs'], TRUE),
    ...maybe('oldestAt', await edge('ASC')),
    ...maybe('newestAt', await edge('DESC')),
    gaps: await readGaps(source, 50),
    unknown: unknown?.count ?? 0,
  }
}
