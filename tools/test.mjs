// `npm test`: sets up what npm can, checks, builds, runs every test and ends with `N passed, N failed`.
// `npm test -- FILTER…` runs some of the tests and no checks; `--full` runs long tests with their full counts and writes
// the summary to docs/test-full.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { setup } from './setup.mjs'
import { root, tool } from './steps.mjs'
import { formatSummary, outcome, readReport } from './test-report.mjs'

const isFull = process.argv.includes('--full')
const filters = process.argv.slice(2).filter(argument => argument !== '--full')

await setup()
const { check } = await import('./check.mjs')
const checks = filters.length > 0 ? { passed: 0, failed: [] } : await check()
if (await isBuilt()) checks.passed++
else checks.failed.push('build')

const folder = mkdtempSync(join(tmpdir(), 'tiphys-test-'))
const file = join(folder, 'report.json')
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...filters]
const exitCode = await tool('vitest/vitest.mjs', args, { show: true, env: isFull ? { TIPHYS_FULL: '1' } : {} })
const report = readReport(file)
rmSync(folder, { recursive: true })

if (isFull && filters.length === 0)
  writeFileSync(join(root, 'docs/test-full.md'), formatSummary(report, root, new Date()))
const { lines, failed } = outcome({ checks, report, exitCode, isCi: isSet(process.env.CI) })
for (const line of lines) console.log(line)
process.exitCode = failed === 0 ? 0 : 1

async function isBuilt() {
  try {
    await build()
    return true
  } catch (error) {
    console.error(`failed: build: ${error.message}`)
    return false
  }
}

function isSet(variable) {
  return variable !== undefined && variable !== '' && variable !== 'false'
}
