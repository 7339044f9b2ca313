import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DurationError, formatDuration, parseDuration } from './duration.ts'

interface Case {
  text?: string
  nanos?: string
}

interface Answer {
  error?: string
  nanos?: string
  text?: string
}

const recorded = readFileSync(new URL('../testdata/duration.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })

function answer({ text, nanos }: Case): Answer {
  if (text === undefined) return { text: formatDuration(BigInt(nanos ?? '0')) }
  try {
    const parsed = parseDuration(text)
    return { nanos: parsed.toString(), text: formatDuration(parsed) }
  } catch (error) {
    if (error instanceof DurationError) return { error: error.message }
    throw error
  }
}

test('durations are read, refused and printed as Go does', () => {
  const differences = recorded.flatMap(({ case: given, answer: expected }) => {
    const actual = answer(given)
    return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ given, expected, actual }]
  })
  expect(differences).toEqual([])
})
