import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { root } from './steps.mjs'
import { LONG_FIRST, longFirst } from './test-order.ts'

const file = (name: string, path: string) => ({ project: { name }, path })

it('packages whose tests take long come first, and their files in the order they had', () => {
  const files = [
    file('apiserver', 'a'),
    file('conformance', 'b'),
    file('kube', 'c'),
    file('tiphys', 'd'),
    file('tiphys', 'e'),
  ]
  expect(longFirst(files).map(({ path }) => path)).toEqual(['b', 'd', 'e', 'a', 'c'])
})

it('the packages that it names are there', () => {
  const missing = LONG_FIRST.filter(name => !existsSync(`${root}${name}`) && !existsSync(`${root}packages/${name}`))
  expect(missing).toEqual([])
})
