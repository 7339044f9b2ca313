import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as expressions from './index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)

test('the examples in the README do what they say', () => {
  expect(snippets.length).toBeGreaterThan(1)
  for (const snippet of snippets) {
    const body = snippet.replace(/import (\{.*?\}) from '@tiphys\/expressions'/gs, 'const $1 = expressions')
    // oxlint-disable-next-line typescript/no-implied-eval -- the example is the program under test
    const run = new Function('expressions', 'assert', body) as (names: typeof expressions, check: typeof assert) => void
    run(expressions, assert)
  }
})
