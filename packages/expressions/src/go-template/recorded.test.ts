import { readFileSync } from 'node:fs'
import { seededRandom, VirtualClock } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import { TemplateExecutionError } from './budget.ts'
import { TemplateParseError } from './parser.ts'
import type { MissingKey } from './program.ts'
import { compileTemplate } from './template.ts'

interface Case {
  t: string
  d?: string
  m?: MissingKey | 'default'
  plain?: boolean
}

interface Answer {
  o: string
  e?: string
}

const read = (name: string) => readFileSync(new URL(`../../testdata/${name}`, import.meta.url), 'utf8')

function recorded(name: string) {
  const documents = JSON.parse(read(`${name}-data.json`)) as Record<string, unknown>
  const cases = read(`${name}.jsonl`)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { case: Case; answer: Answer })
  return { documents, cases }
}

const clock = new VirtualClock(Date.parse('2026-03-29T12:30:45.123Z'))

function answer({ t, d, m, plain }: Case, documents: Readonly<Record<string, unknown>>): Answer {
  try {
    const template = compileTemplate(t, {
      name: 'param',
      ...(plain === true ? {} : { funcs: 'sprig' }),
      ...(m === undefined || m === 'default' ? {} : { missingKey: m }),
    })
    const data = d === undefined ? undefined : structuredClone(documents[d])
    return { o: template.execute(data, { env: { clock, random: seededRandom(1) } }) }
  } catch (error) {
    if (error instanceof TemplateParseError || error instanceof TemplateExecutionError)
      return { o: '', e: error.message }
    throw error
  }
}

/** Templates that print something else on purpose. */
const wanted: readonly { template: string; why: string }[] = [
  { template: '{{mustSlice (until 3) 1 4}}', why: 'in Go this reads beyond the end, into memory kept for growth' },
]

describe.each([
  { name: 'template', least: 2000 },
  { name: 'sprig', least: 2000 },
])('$name', ({ name, least }) => {
  const { documents, cases } = recorded(name)
  const part = Math.ceil(cases.length / 4)

  test.each([0, 1, 2, 3])('prints and fails as Go does, part %i', index => {
    const differences = cases.slice(index * part, (index + 1) * part).flatMap(({ case: given, answer: expected }) => {
      if (wanted.some(({ template }) => template === given.t)) return []
      const actual = answer(given, documents)
      if (actual.o === expected.o && actual.e === expected.e) return []
      return [{ template: given.t, expected: expected.e ?? expected.o, actual: actual.e ?? actual.o }]
    })
    expect(differences.slice(0, 10)).toEqual([])
  })

  test('is compared in many cases', () => {
    expect(cases.length).toBeGreaterThan(least)
  })
})
