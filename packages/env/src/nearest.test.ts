import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

const commands = ['cluster', 'completion', 'apply', 'run']

it.each([
  ['clutser', 'cluster'],
  ['luster', 'cluster'],
  ['clusters', 'cluster'],
  ['completions', 'completion'],
  ['aply', 'apply'],
  ['CLUSTER', 'cluster'],
  ['frobnicate', undefined],
])('%s is near %s', (word, candidate) => expect(nearest(word, commands)).toBe(candidate))

it('has nothing to offer when there is nothing', () => expect(nearest('x', [])).toBeUndefined())

it('is as strict as it is asked to be', () => {
  expect(nearest('rnn', commands, 1)).toBe('run')
  expect(nearest('rnn', commands, 0)).toBeUndefined()
})
