// What a reader would complain about, found by machines: format, lint, types, unused exports, package arrows.
import { violations } from './package-arrows.mjs'
import { isProgram, root, step, tool } from './steps.mjs'

const CHECKS = {
  format: () => tool('@biomejs/biome/bin/biome', ['check', '.']),
  lint: () => tool('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']),
  types: () => tool('typescript/bin/tsc', ['-b']),
  'unused exports': () => tool('knip/bin/knip.js', ['--no-progress', '--treat-config-hints-as-errors']),
  'package arrows': () => {
    const found = violations(root)
    if (found.length > 0) console.error(found.join('\n'))
    return found.length === 0 ? 0 : 1
  },
}

/** Runs every check and says which failed, at once and to the caller. */
export async function check() {
  const names = Object.keys(CHECKS)
  const codes = await step(`checking ${names.join(', ')}`, () => Promise.all(names.map(name => CHECKS[name]())))
  const failed = names.filter((_, i) => codes[i] !== 0)
  for (const name of failed) console.error(`failed: ${name}`)
  return { passed: names.length - failed.length, failed }
}

if (isProgram(import.meta.url)) process.exitCode = (await check()).failed.length === 0 ? 0 : 1
