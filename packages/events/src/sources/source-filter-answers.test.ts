import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { systemEnv } from '@tiphys/env'
import { expect, it } from 'vitest'
import { sourceFilter } from './source-filter.ts'

interface Answered {
  case: { expression: string; data: string }
  answer: { passed: boolean; error?: string }
}

// What Argo Events itself answered; see ../../oracle.
const answers = gunzipSync(readFileSync(new URL('../../testdata/source-filters.jsonl.gz', import.meta.url)))
  .toString('utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as Answered)

/** Filters that were read, since reading takes longest. */
const filters = new Map<string, (data: string) => boolean>()

function ask({ expression, data }: Answered['case']): { passed: boolean; error: string } {
  try {
    const filter = filters.get(expression) ?? read(expression)
    filters.set(expression, filter)
    return { passed: filter(data), error: '' }
  } catch (thrown) {
    return { passed: false, error: (thrown as Error).message }
  }
}

/** Upstream reads an expression for each event, and says then what is wrong with it. */
function read(expression: string): (data: string) => boolean {
  try {
    return sourceFilter(expression, systemEnv)
  } catch (thrown) {
    throw new Error(`unable to evaluate expression '${expression}': ${(thrown as Error).message}`, { cause: thrown })
  }
}

/** A payload that is no JSON is refused in the words of another reader. */
const isUnreadable = (error: string) => error.startsWith('failed to unmarshal data') || error.includes('JSON')

it('filters of sources hold back and let pass what upstream does', () => {
  const wrong = answers.flatMap(({ case: asked, answer }) => {
    const ours = ask(asked)
    const { passed, error = '' } = answer
    const isSame = ours.passed === passed && (isUnreadable(error) ? isUnreadable(ours.error) : ours.error === error)
    return isSame ? [] : [{ asked, upstream: answer, ours }]
  })
  expect(wrong.length, JSON.stringify(wrong.slice(0, 10), undefined, 1)).toBe(0)
  expect(answers.filter(({ answer }) => answer.passed).length).toBeGreaterThan(500)
  expect(answers.filter(({ answer }) => answer.error !== undefined).length).toBeGreaterThan(200)
})
