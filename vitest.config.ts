import { defineConfig } from 'vitest/config'

// One project a package, so that one package's tests run with `npx vitest run --project kube`.
const packages = ['env', 'kube', 'journal', 'expressions', 'apiserver', 'tiphys']

export default defineConfig({
  test: {
    projects: packages.map(name => ({
      test: { name, root: `packages/${name}`, include: ['src/**/*.test.ts'], testTimeout: 20_000 },
    })),
  },
})
