import { expect, test } from 'vitest'
import { withoutNulls } from './without-nulls.ts'

test('leaves out fields that are null, at any depth, but not what the items of a loop hold', () => {
  const withItems = [null, { a: null }]
  const manifest = {
    onExit: null,
    templates: [{ name: 'main', inputs: null, steps: [[{ name: 'a', arguments: { parameters: null }, withItems }]] }],
  }
  expect(withoutNulls(manifest)).toEqual({
    templates: [{ name: 'main', steps: [[{ name: 'a', arguments: {}, withItems }]] }],
  })
  expect(withoutNulls(manifest), 'as often as it is asked').toBe(withoutNulls(manifest))
})

test('gives back what has none', () => {
  const manifest = { templates: [{ name: 'main', suspend: {} }] }
  expect(withoutNulls(manifest)).toBe(manifest)
})
