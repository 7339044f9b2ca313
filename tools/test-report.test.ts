import { expect, it } from 'vitest'
import { formatSummary, outcome, testsOf } from './test-report.mjs'

const file = (name: string, tests: [string, string][], extra: object = {}) => ({
  name,
  status: tests.some(([, status]) => status === 'failed') ? 'failed' : 'passed',
  assertionResults: tests.map(([fullName, status]) => ({ fullName, status, duration: 500 })),
  ...extra,
})
const report = testsOf({
  testResults: [
    file('/r/packages/kube/src/a.test.ts', [
      ['reads', 'passed'],
      ['writes', 'failed'],
    ]),
    file('/r/conformance/src/b.test.ts', [
      ['kube-apiserver (skipped: it is not built) create', 'skipped'],
      ['kube-apiserver (skipped: it is not built) delete', 'pending'],
      ['traces (skipped: strace is not installed)', 'skipped'],
    ]),
  ],
})
const checks = { passed: 5, failed: [] }

it('ends with the counts, after one line for each missing component and each failure', () => {
  expect(outcome({ checks, report, exitCode: 1, isCi: false })).toEqual({
    failed: 1,
    lines: [
      'skipped 2 tests: it is not built',
      'skipped 1 test: strace is not installed',
      'failed: writes',
      '6 passed, 1 failed',
    ],
  })
})

it('takes a skipped test for a failed one in CI', () => {
  const { failed, lines } = outcome({ checks, report, exitCode: 1, isCi: true })
  expect(failed).toBe(4)
  expect(lines.at(-1)).toBe('6 passed, 4 failed')
})

it('names and counts failed checks', () => {
  const { lines } = outcome({ checks: { passed: 4, failed: ['lint'] }, report, exitCode: 1, isCi: false })
  expect(lines.slice(-3)).toEqual(['failed: lint', 'failed: writes', '5 passed, 2 failed'])
})

it('counts a file that could not be loaded', () => {
  const broken = testsOf({ testResults: [file('/r/a.test.ts', [], { status: 'failed', message: 'SyntaxError' })] })
  expect(outcome({ checks, report: broken, exitCode: 1, isCi: false }).lines).toEqual([
    'failed: /r/a.test.ts: SyntaxError',
    '5 passed, 1 failed',
  ])
})

it('counts a runner that fails although every test passed, or says nothing at all', () => {
  const passed = report.filter(({ status }: { status: string }) => status === 'passed')
  expect(outcome({ checks, report: passed, exitCode: 1, isCi: false }).lines).toEqual([
    'failed: the test runner, for what belongs to no test; see above',
    '6 passed, 1 failed',
  ])
  expect(outcome({ checks, report: undefined, exitCode: 1, isCi: false })).toMatchObject({ failed: 1 })
})

it('sums up a full run by package', () => {
  const summary = formatSummary(report, '/r', new Date(Date.UTC(2026, 1, 3)))
  expect(summary).toContain('2026-02-03, ')
  expect(summary).toContain('| conformance | 0 | 0 | 3 | 1.5 |\n| packages/kube | 1 | 1 | 0 | 1.0 |\n')
})
