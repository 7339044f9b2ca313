import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// One project a package, so that one package's tests run with `npx vitest run --project kube`.
const packages = [
  'env',
  'kube',
  'journal',
  'expressions',
  'apiserver',
  'cluster',
  'events',
  'workflows',
  'archive',
  'console',
]

// Generous, because a slow machine that runs everything at once is no defect; a test that hangs still ends.
// Full counts take as long as they take.
const testTimeout = process.env.TIPHYS_FULL === undefined ? 30_000 : 1_800_000
const timeouts = { testTimeout, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } }

// These tests start the command as users have it.
const built = { globalSetup: fileURLToPath(new URL('tools/build-before-tests.mjs', import.meta.url)) }

export default defineConfig({
  test: {
    // The runner's own choice on two processors is one worker, which mostly waits for the processes that tests start.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      ...packages.map(name => ({
        test: { name, root: `packages/${name}`, include: ['src/**/*.test.ts'], ...timeouts },
      })),
      { test: { name: 'tiphys', root: 'packages/tiphys', include: ['src/**/*.test.ts'], ...built, ...timeouts } },
      { test: { name: 'tools', root: 'tools', include: ['*.test.ts'], ...built, ...timeouts } },
      // These start servers that want a processor for themselves.
      'conformance/vitest.config.ts',
      'bench/vitest.config.ts',
    ],
  },
})
