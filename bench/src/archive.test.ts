import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { archiveFigures, measureArchive } from './archive.ts'
import { rowOf } from './figure.ts'

it('measures an archive', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'tiphys-bench-'))
  try {
    // The server of the database is another user.
    await chmod(scratch, 0o755)
    const kept = join(scratch, 'kept')
    const bench = { scratch, kept, rounds: 1, small: 50, large: 200, ingested: 200, repeats: 1, say: () => {} }
    const rounds = await measureArchive(bench)
    const rows = archiveFigures(rounds, bench).map(rowOf)
    expect(rows.length).toBeGreaterThan(10)
    for (const { what, ours, peer } of rows)
      expect([what, ours.median > 0, (peer?.median ?? 0) > 0]).toEqual([what, true, true])
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
})
