import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatFieldSelector, parseFieldSelector } from './field-selector.ts'
import { formatLabelSelector, labelSelectorFrom, parseLabelSelector, SelectorFailure } from './label-selector.ts'

interface Answer {
  of: 'labels' | 'label object' | 'fields'
  text: string
  labels: Record<string, string>[]
  format?: string
  matches?: boolean[]
  error?: string
}

const answers = readFileSync(new URL('../testdata/selectors.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as Answer)

function ourAnswer({ of, text, labels }: Answer): Pick<Answer, 'format' | 'matches' | 'error'> {
  try {
    if (of === 'fields') {
      const selector = parseFieldSelector(text)
      const matches = labels.map(set => selector.matches(field => set[field] ?? ''))
      return { format: formatFieldSelector(selector), matches }
    }
    const selector = of === 'labels' ? parseLabelSelector(text) : labelSelectorFrom(JSON.parse(text))
    return { format: formatLabelSelector(selector), matches: labels.map(set => selector.matches(set)) }
  } catch (thrown) {
    if (!(thrown instanceof SelectorFailure)) throw thrown
    return { error: thrown.message }
  }
}

describe('selectors answer as apimachinery does', () => {
  it.each(answers.map(answer => [answer.of, answer.text, answer] as const))('%s %j', (_of, _text, answer) => {
    const { format, matches, error } = answer
    expect(ourAnswer(answer)).toEqual(error === undefined ? { format, matches } : { error })
  })
})
