import { defineConfig } from 'vitest/config'

// `npm run conformance -- --update` records the real server's answers anew.
const isUpdating = process.argv.includes('--update') || process.argv.includes('-u')

export default defineConfig({
  test: {
    name: 'conformance',
    root: import.meta.dirname,
    include: ['src/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    maxConcurrency: 12,
    env: isUpdating ? { CONFORMANCE_UPDATE: '1' } : {},
  },
})
