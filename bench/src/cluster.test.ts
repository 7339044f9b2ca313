import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { buildLoad, isLoadBuilt } from '../build.mjs'
import { clusterFigures, measureCluster } from './cluster.ts'
import { rowOf } from './figure.ts'
import { LoadGenerator } from './load-generator.ts'

const command = fileURLToPath(new URL('../../node_modules/.bin/tiphys', import.meta.url))

const missing = isLoadBuilt() || process.env.CI ? '' : ' (skipped: the load generator is not built: npm run bench)'
it.skipIf(missing)(`the bench of the cluster measures every figure of our side${missing}`, async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'tiphys-bench-'))
  try {
    const load = new LoadGenerator(buildLoad())
    const bench = { load, command, scratch, rounds: 1, pods: 5, starts: 1, restMs: 100, say: () => {} }
    const rows = clusterFigures(await measureCluster(bench, false), bench).map(rowOf)
    expect(rows.filter(row => !(row.ours.median >= 0)).map(row => row.what)).toEqual([])
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
})
