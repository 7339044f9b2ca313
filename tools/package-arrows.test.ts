import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { violations } from './package-arrows.mjs'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tiphys-arrows-'))
  for (const name of ['kube', 'journal']) mkdirSync(join(root, 'packages', name, 'src'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

const plant = (file: string, text: string) => writeFileSync(join(root, 'packages', file), text)

it('accepts what the table allows', () => {
  plant('kube/src/a.ts', "import { Clock } from '@tiphys/env'\nimport './b.ts'\n")
  expect(violations(root)).toEqual([])
})

it('names file and line of a forbidden import', () => {
  plant('kube/src/a.ts', "import './b.ts'\n\nimport { x } from '@tiphys/journal'\n")
  expect(violations(root)).toEqual(['packages/kube/src/a.ts:3: kube may not import journal'])
})

it('sees imports that are loaded on demand and re-exports', () => {
  plant('kube/src/a.ts', "const j = await import('@tiphys/journal')\n")
  plant('kube/src/b.ts', "export { x } from '@tiphys/apiserver'\n")
  expect(violations(root)).toHaveLength(2)
})

it('refuses a way around the exports of another package', () => {
  plant('kube/src/a.ts', "import { x } from '../../journal/src/index.ts'\n")
  expect(violations(root)).toEqual([
    'packages/kube/src/a.ts:1: ../../journal/src/index.ts leaves the package: import it by its name',
  ])
})

it('asks for a row when a package is new', () => {
  mkdirSync(join(root, 'packages', 'stranger', 'src'), { recursive: true })
  expect(violations(root)).toEqual(['packages/stranger: the package has no row in tools/package-arrows.mjs'])
})
