import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './tools/test-order.ts'

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

// Nothing in their tests changes the process they run in (timers, environment, how much memory there is to measure). Their
// files share a worker, which then starts and loads the package once instead of once a file: half of what they cost.
const shared = new Set(['kube', 'expressions', 'apiserver', 'cluster', 'workflows', 'console'])

// Generous, because a slow machine that runs everything at once is no defect; a test that hangs still ends.
// Full counts take as long as they take.
const testTimeout = process.env.TIPHYS_FULL === undefined ? 30_000 : 1_800_000
const timeouts = { testTimeout, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } }

// These tests start the command as users have it.
const built = { globalSetup: fileURLToPath(new URL('tools/build-before-tests.mjs', import.meta.url)) }

export default defineConfig({
  test: {
    // The runner's own choice on two processors is one worker. Most workers wait, for processes that tests start and for
    // time to pass: one more than there are processors keeps those at work.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    projects: [
      ...packages.map(name => ({
        test: {
          name,
          root: `packages/${name}`,
          include: ['src/**/*.test.ts'],
          isolate: !shared.has(name),
          ...timeouts,
        },
      })),
      { test: { name: 'tiphys', root: 'packages/tiphys', include: ['src/**/*.test.ts'], ...built, ...timeouts } },
      { test: { name: 'tools', root: 'tools', include: ['*.test.ts'], ...built, ...timeouts } },
      // These start servers that want a processor for themselves.
      'conformance/vitest.config.ts',
      'bench/vitest.config.ts',
    ],
  },
})
