// What a reader would complain about, found by machines: format, lint, types, package arrows, unused exports.
import { pathToFileURL } from 'node:url'
import { violations } from './package-arrows.mjs'
import { root, step, tool } from './steps.mjs'

const CHECKS = {
  format: () => tool('@biomejs/biome/bin/biome', ['check', '.']),
  lint: () => tool('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']),
  types: () => tool('typescript/bin/tsc', ['-b']),
  'unused exports': () => tool('knip/bin/knip.js', ['--no-progress']),
  'package arrows': () => {
    const found = violations(root)
    if (found.length > 0) console.error(found.join('\n'))
    return found.length === 0 ? 0 : 1
  },
}

/** Runs every check and says which failed. */
export async function check() {
  const failed = []
  for (const [name, work] of Object.entries(CHECKS)) {
    if ((await step(`checking ${name}`, work)) !== 0) failed.push(name)
  }
  for (const name of failed) console.error(`failed: ${name}`)
  return { passed: Object.keys(CHECKS).length - failed.length, failed: failed.length }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = (await check()).failed === 0 ? 0 : 1
