import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildLoad, bundlePrograms, isLoadBuilt } from '../build.mjs'
import { type ApiserverBench, figuresOf, measure } from './apiserver.ts'
import { rowOf } from './figure.ts'
import { LoadGenerator } from './load-generator.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const command = join(root, 'node_modules/.bin/tiphys')

// In CI a missing part is built.
const missing = isLoadBuilt() || process.env.CI ? '' : ' (skipped: the load generator is not built: npm run bench)'
describe.skipIf(missing)(`the bench of the API server${missing}`, () => {
  let bench: ApiserverBench
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tiphys-bench-'))
    const programs = await bundlePrograms(folder)
    const scratch = join(folder, 'scratch')
    await mkdir(scratch)
    bench = {
      load: new LoadGenerator(buildLoad()),
      command,
      inProcess: join(programs, 'in-process.mjs'),
      scratch,
      rounds: 1,
      sizes: { objects: 60, warmUp: 20, pods: 10, lists: 1, changes: 20, watchers: 3, rest: 0 },
      servers: 2,
      say: () => {},
    }
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('measures every figure of our side', async () => {
    const rows = figuresOf(await measure(bench, false), bench).map(rowOf)
    expect(rows.filter(row => !(row.ours.median > 0)).map(row => row.what)).toEqual([])
    expect(rows.filter(row => row.ratio !== undefined)).toEqual([])
  })
})
