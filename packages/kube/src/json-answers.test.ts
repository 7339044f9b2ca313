import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseJsonStrict, stringifyJson } from './json.ts'
import { JsonFailure } from './json-decoder.ts'

interface Answer {
  text: string
  json?: string
  duplicates?: string[]
  error?: string
}

const answers = readFileSync(new URL('../testdata/json.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as Answer)

function ourAnswer(text: string): Partial<Answer> {
  try {
    const { value, duplicateFields } = parseJsonStrict(text)
    return { json: stringifyJson(value), duplicates: [...duplicateFields] }
  } catch (thrown) {
    if (!(thrown instanceof JsonFailure)) throw thrown
    return { error: thrown.message }
  }
}

describe('JSON is read as sigs.k8s.io/json reads it', () => {
  it.each(answers.map(answer => [answer.text, answer] as const))('%j', (text, { json, duplicates = [], error }) => {
    expect(ourAnswer(text)).toEqual(error === undefined ? { json, duplicates } : { error })
  })
})
