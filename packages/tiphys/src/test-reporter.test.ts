import { expect, it } from 'vitest'
import { createTerminal } from './terminal.ts'
import { reportTests, type TestEvent } from './test-reporter.ts'

const file = '/work/op/greeting.test.ts'
const ended = (type: 'test:pass' | 'test:fail', name: string, more: object = {}, error?: Error): TestEvent => ({
  type,
  data: { name, nesting: 0, file, details: { duration_ms: 12.34, ...(error && { error }) }, ...more },
})
const start = (name: string, nesting: number): TestEvent => ({ type: 'test:start', data: { name, nesting } })

async function shown(...events: TestEvent[]): Promise<string> {
  const { out } = createTerminal({ stdout: { write: () => {} }, stderr: { write: () => {} } }, {})
  let now = 0
  let text = ''
  const given = (async function* () {
    yield* events
  })()
  for await (const piece of reportTests(given, out, { now: () => (now += 100), folder: '/work' })) text += piece
  return text
}

const failure = (stack: string): Error => {
  const cause = new Error('')
  cause.stack = stack
  return new Error('it failed', { cause })
}

it('tells each test below its file and its suites, and the sum', async () => {
  const events = [
    start('greets', 0),
    start('in English', 1),
    start('says hello', 2),
    ended('test:pass', 'says hello', { nesting: 2 }),
    start('says bye', 2),
    ended('test:pass', 'says bye', { nesting: 2, skip: 'nobody leaves' }),
    ended('test:pass', 'in English', { nesting: 1, details: { duration_ms: 30, type: 'suite' } }),
    ended('test:pass', 'greets', { details: { duration_ms: 30, type: 'suite' } }),
    start('alone', 0),
    ended('test:pass', 'alone', { file: '/work/op/other.test.ts' }),
  ]
  expect(await shown(...events)).toBe(`op/greeting.test.ts
  greets
    in English
      ✔ says hello  12 ms
      - says bye  (nobody leaves)

op/other.test.ts
  ✔ alone  12 ms

2 passed, 1 skipped  100 ms
`)
})

it('says why a test failed and where in the files of whoever wrote it', async () => {
  const stack = `AssertionError [ERR_ASSERTION]: Expected values to be equal:

1 !== 2

    at TestContext.<anonymous> (${file}:18:10)
    at async Test.run (node:internal/test_runner/test:797:9)
    at file:///work/op/again.ts:3:4
    at check (/work/node_modules/checks/index.js:1:1)`
  expect(await shown(ended('test:fail', 'adds', {}, failure(stack)))).toBe(`op/greeting.test.ts
  ✖ adds  12 ms
    Expected values to be equal:

    1 !== 2
    at op/greeting.test.ts:18:10
    at op/again.ts:3:4

1 failed  100 ms
`)
})

it('tells a failed suite by its tests, and what tests print as they print it', async () => {
  const error = Object.assign(new Error('1 subtest failed'), { failureType: 'subtestsFailed' })
  const text = await shown(
    start('greets', 0),
    { type: 'test:stdout', data: { message: 'printed\n' } },
    ended('test:fail', 'says hello', { nesting: 1 }, failure('Error: no')),
    ended('test:fail', 'greets', { details: { duration_ms: 1, type: 'suite', error } }),
  )
  expect(text).toBe('printed\nop/greeting.test.ts\n  greets\n    ✖ says hello  12 ms\n      no\n\n1 failed  100 ms\n')
})
