import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { systemEnv } from '@tiphys/env'
import { expect, it } from 'vitest'
import type { EventContext } from '../event.ts'
import { applyFilter, type DependencyFilter, type LogicalOperator } from './filter.ts'
import { createLanguages } from './languages.ts'
import { applyParameters, constructPayload, type TriggerParameter } from './parameters.ts'

// What Argo Events itself answered; see ../../oracle.
const answers = <Case>(kind: string) =>
  gunzipSync(readFileSync(new URL(`../../testdata/${kind}.jsonl.gz`, import.meta.url)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { case: Case; answer: { passed?: boolean; json?: string; error?: string } })

interface Event {
  context: EventContext
  data: string
}

const languages = createLanguages(systemEnv)
const noScripts = { filter: () => Promise.reject(new Error('no case has a script')) }

it('filters hold back and let pass what upstream does, for the same reasons', async () => {
  const wrong: unknown[] = []
  for (const { case: asked, answer } of answers<{ filter: DependencyFilter; operator: LogicalOperator; event: Event }>(
    'filters',
  )) {
    const { passed, error } = await applyFilter(asked.filter, asked.operator, asked.event, languages, noScripts)
    const isSame = passed === answer.passed && (error ?? '') === (answer.error ?? '')
    if (!isSame) wrong.push({ asked, upstream: answer, ours: { passed, error } })
  }
  expect(wrong.slice(0, 5)).toEqual([])
})

interface ParameterCase {
  parameters: TriggerParameter[]
  events: Record<string, Event>
  json?: string
}

it.each(['parameters', 'payloads'])('%s are set as upstream sets them', kind => {
  const wrong: unknown[] = []
  for (const { case: asked, answer } of answers<ParameterCase>(kind)) {
    // A payload with a parameter of an event that is not there ends upstream's process. Here it is left out.
    if (answer.error?.startsWith('panic: ')) continue
    const ours = attempt(() =>
      asked.json === undefined
        ? constructPayload(asked.parameters, asked.events, languages)
        : applyParameters(asked.json, asked.parameters, asked.events, languages),
    )
    const isSame =
      answer.error === undefined ? ours.json === answer.json && ours.error === undefined : ours.error === answer.error
    if (!isSame) wrong.push({ asked, upstream: answer, ours })
  }
  expect(wrong.length, JSON.stringify(wrong.slice(0, 3), undefined, 1)).toBe(0)
})

function attempt(work: () => string | undefined): { json?: string | undefined; error?: string } {
  try {
    return { json: work() }
  } catch (thrown) {
    const { message, cause } = thrown as Error
    // Where ours says more, upstream's own words are its cause.
    return { error: cause instanceof Error ? cause.message : message }
  }
}
