import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { differences } from '../differences.ts'
import { compaction } from '../scenarios/compaction.ts'
import { areas } from './areas.ts'
import { clusterAreas } from './cluster/cluster-areas.ts'
import { describeDifferences } from './differences-document.ts'

test('DIFFERENCES.md says what differences.ts says', () => {
  const document = readFileSync(new URL('../DIFFERENCES.md', import.meta.url), 'utf8')
  expect(document, 'write it anew with: node conformance/write-differences.mjs').toBe(describeDifferences(differences))
})

test('every difference names a scenario that exists', () => {
  const titles = new Set(
    [...areas, compaction, ...clusterAreas].flatMap(area => area.scenarios.map(({ name }) => `${area.name}: ${name}`)),
  )
  expect(differences.filter(({ scenario }) => !titles.has(scenario))).toEqual([])
})

test('there are at least 250 named behaviours', () => {
  const named = areas.filter(({ name }) => name !== 'defaults').flatMap(({ scenarios }) => scenarios)
  expect(named.length).toBeGreaterThanOrEqual(250)
})

test('there are at least 120 scenarios of a cluster', () => {
  expect(clusterAreas.flatMap(({ scenarios }) => scenarios).length).toBeGreaterThanOrEqual(120)
})
