import { readFile } from 'node:fs/promises'
import { createTriggerTypes, sourceEntries, UNSUPPORTED_TRIGGERS } from '@tiphys/events'
import { workflowDefinitions } from '@tiphys/workflows'
import { expect, it } from 'vitest'

const page = await readFile(new URL('../../../docs/coming-from-argo.md', import.meta.url), 'utf8')

/** The names in a row of the table: what runs, and what is refused. */
function row(what: string): { runs: string[]; refused: string[] } {
  const cells = new RegExp(`^\\| ${what} +\\|(.*)\\|(.*)\\|$`, 'm').exec(page)
  const names = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)
  return { runs: names(cells?.[1]), refused: names(cells?.[2]) }
}

it('names the event sources that run and those that are refused', () => {
  const { runs, refused } = row('event sources')
  for (const type of runs) expect(sourceEntries({ [type]: { entry: {} } }).entries, type).toHaveLength(1)
  for (const type of refused) expect(sourceEntries({ [type]: { entry: {} } }).unsupported, type).toHaveLength(1)
  expect(runs.length + refused.length).toBe(32)
})

it('names the triggers that run and those that are refused', () => {
  const { runs, refused } = row('triggers')
  expect(runs.toSorted()).toEqual([...createTriggerTypes().keys()].sort())
  expect(refused.toSorted()).toEqual([...UNSUPPORTED_TRIGGERS].sort())
})

it('names kinds of step templates that the schema knows', () => {
  const { runs, refused } = row('step templates')
  const schema = JSON.stringify(workflowDefinitions)
  for (const type of [...runs, ...refused]) expect(schema, type).toContain(`"${type}"`)
})
