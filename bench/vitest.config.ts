import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'bench',
    root: import.meta.dirname,
    include: ['src/**/*.test.ts'],
    globalSetup: fileURLToPath(new URL('../tools/build-before-tests.mjs', import.meta.url)),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
