import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from './steps.mjs'
import { writeTypes } from './types.mjs'

const USE = `import { createTestCluster, kindRef, VirtualClock } from './tiphys/testing.js'
const clock = new VirtualClock()
const { client } = await createTestCluster({ env: { clock } })
const deployment = await client.get({ ...kindRef('apps/v1', 'Deployment'), namespace: 'default', name: 'web' })
export const replicas: number | undefined = deployment.spec?.replicas
// @ts-expect-error: a Deployment has no such field
deployment.spec?.replica
`

it('users of the package get its types, without the inner packages', { timeout: 300_000 }, async () => {
  // Inside the repository, where Node's own types are found.
  const folder = await mkdtemp(join(root, '.build/types-'))
  try {
    await writeTypes(folder)
    await writeFile(join(folder, 'use.mts'), USE)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
    ]
    const check = promisify(execFile)(process.execPath, [tsc, ...options, join(folder, 'use.mts')])
    const { stdout } = await check.catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})
