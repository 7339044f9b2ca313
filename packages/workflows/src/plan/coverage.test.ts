import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { loadCorpus } from './testing/corpus.ts'
import { type Feature, featureGroups } from './testing/features.ts'

const cases = await loadCorpus()
const features = featureGroups.flatMap(group => group.features)
const casesOf = ({ name }: Feature) => cases.filter(({ covers }) => covers.includes(name)).map(item => item.name)

test('every feature is shown by a case of the corpus, or by a test that is there', async () => {
  const packages = new URL('../../../', import.meta.url)
  for (const feature of features) {
    const { name, test: elsewhere } = feature
    if (elsewhere === undefined) expect(casesOf(feature), `cases that cover ${name}`).not.toEqual([])
    else {
      const text = await readFile(new URL(elsewhere.file, packages), 'utf8')
      expect(text.includes(elsewhere.title), `${elsewhere.file} has a test "${elsewhere.title}" for ${name}`).toBe(true)
    }
  }
})

test('every case says what it shows, by names that are known', () => {
  const known = new Set(features.map(({ name }) => name))
  expect(known.size, 'names that are there twice').toBe(features.length)
  for (const { name, covers } of cases) {
    expect(covers, name).not.toEqual([])
    expect(
      covers.filter(feature => !known.has(feature)),
      name,
    ).toEqual([])
  }
})

test('the table of what is covered is up to date', async () => {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const lines = featureGroups.flatMap(({ title, features: rows }) => [
    `## ${title}`,
    '',
    '| feature | what | shown by |',
    '| --- | --- | --- |',
    ...rows.map(feature => {
      const { name, what, test: elsewhere } = feature
      const by = [...shortened(casesOf(feature)), ...(elsewhere ? [`\`${elsewhere.file}\`: ${elsewhere.title}`] : [])]
      return `| \`${name}\` | ${cell(what)} | ${cell(by.join(', '))} |`
    }),
    '',
  ])
  const words =
    'What manifests may ask for, and what shows that it works: cases of this folder, or tests. Made by `coverage.test.ts`.'
  await expect(['# Coverage', '', words, '', ...lines].join('\n')).toMatchFileSnapshot('../../corpus/COVERAGE.md')
})

const MOST_SHOWN = 6

function shortened(names: readonly string[]): readonly string[] {
  return names.length <= MOST_SHOWN ? names : [...names.slice(0, MOST_SHOWN), `and ${names.length - MOST_SHOWN} more`]
}
