// `npm test`: sets up what npm can, checks, builds, runs every test and ends with `N passed, N failed`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { setup } from './setup.mjs'
import { tool } from './steps.mjs'

const full = process.argv.includes('--full')
const filters = process.argv.slice(2).filter(argument => argument !== '--full')

await setup()
const { check } = await import('./check.mjs')
const checks = filters.length > 0 ? { passed: 0, failed: 0 } : await check()
await build()

const folder = mkdtempSync(join(tmpdir(), 'tiphys-test-'))
const report = join(folder, 'report.json')
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters]
const code = await tool('vitest/vitest.mjs', args, { show: true, env: full ? { TIPHYS_FULL: '1' } : {} })
const tests = readReport()
rmSync(folder, { recursive: true })

for (const line of tests.skipped) console.log(`skipped: ${line}`)
const failed = checks.failed + tests.failed + (code !== 0 && tests.failed === 0 ? 1 : 0)
console.log(`${checks.passed + tests.passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function readReport() {
  let results
  try {
    results = JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, skipped: ['every test: the test runner gave no report'] }
  }
  const all = results.testResults.flatMap(file => file.assertionResults)
  const count = status => all.filter(test => test.status === status).length
  const skipped = all.filter(test => ['pending', 'skipped', 'todo'].includes(test.status)).map(test => test.fullName)
  // A file that could not be loaded has no tests that failed; it fails as a whole.
  const broken = results.testResults.filter(file => file.status === 'failed' && file.assertionResults.every(test => test.status !== 'failed'))
  return { passed: count('passed'), failed: count('failed') + broken.length, skipped }
}
