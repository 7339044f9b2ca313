// What a run of the test runner says at its end.
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { relative } from 'node:path'

/** The runner's JSON report: one entry per test, and one per file that could not even be loaded. Undefined: no report. */
export function readReport(file) {
  try {
    return testsOf(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

export function testsOf({ testResults }) {
  return testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const tests = assertionResults.map(test => ({
      file,
      name: test.fullName,
      status: ['passed', 'failed'].includes(test.status) ? test.status : 'skipped',
      milliseconds: test.duration ?? 0,
    }))
    const isBroken = status === 'failed' && tests.every(test => test.status !== 'failed')
    return isBroken ? [...tests, { file, name: `${file}: ${message}`, status: 'failed', milliseconds: 0 }] : tests
  })
}

/** The last lines of a run, where every failure is named again, and how much failed. A test that is skipped for want of a component says so in its name, as
 *  `(skipped: strace is not installed)`. In CI every component is there, so that there a skipped test is a failed one. */
export function outcome({ checks, report, exitCode, isCi }) {
  const failures = checks.failed.map(name => `failed: ${name}`)
  if (!report) {
    const lines = [...failures, 'no test was run: the test runner gave no report']
    return closing(lines, checks.passed, failures.length + 1)
  }
  for (const { name, status } of report) if (status === 'failed') failures.push(`failed: ${name}`)
  const count = status => report.filter(test => test.status === status).length
  const reasons = new Map()
  for (const { name } of report.filter(test => test.status === 'skipped')) {
    const reason = /\(skipped: (.*?)\)/.exec(name)?.[1] ?? name
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  const lines = [...reasons].map(([reason, tests]) => `skipped ${tests} test${tests === 1 ? '' : 's'}: ${reason}`)
  if (isCi && lines.length > 0) lines.push('in CI nothing may be missing: skipped tests count as failed')
  const found = failures.length + (isCi ? count('skipped') : 0)
  // The runner also fails for what belongs to no test, such as an error that nobody awaited.
  const isUntold = found === 0 && exitCode !== 0
  if (isUntold) failures.push('failed: the test runner, for what belongs to no test; see above')
  return closing([...lines, ...failures], checks.passed + count('passed'), isUntold ? 1 : found)
}

const closing = (lines, passed, failed) => ({ lines: [...lines, `${passed} passed, ${failed} failed`], failed })

/** The summary of a full run as it is committed. */
export function formatSummary(report, root, date) {
  const rows = new Map()
  for (const { file, status, milliseconds } of report ?? []) {
    const [first, second] = relative(root, file).split(/[\\/]/)
    const name = first === 'packages' ? `${first}/${second}` : first
    const row = rows.get(name) ?? { passed: 0, failed: 0, skipped: 0, milliseconds: 0 }
    row[status]++
    row.milliseconds += milliseconds
    rows.set(name, row)
  }
  const table = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, row]) =>
        `| ${name} | ${row.passed} | ${row.failed} | ${row.skipped} | ${(row.milliseconds / 1000).toFixed(1)} |`,
    )
  const [cpu] = cpus()
  return `# The last full test run

\`npm run test:full\` runs every test with its full counts and writes this file.

${date.toISOString().slice(0, 10)}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}

| tests of | passed | failed | skipped | seconds in tests |
| --- | ---: | ---: | ---: | ---: |
${table.join('\n')}
`
}
