import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './steps.mjs'

// `new TerminalFailure('code', {` and `super('code', {`, in every package.
const CODE = /(?:new \w+Failure|super)\(\s*'([a-z]+(?:-[a-z]+)+)',/g

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'testing') yield* sources(path)
    else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')) yield path
  }
}

const packages = readdirSync(join(root, 'packages')).map(name => join(root, 'packages', name, 'src'))
const used = packages.flatMap(folder =>
  [...sources(folder)].flatMap(path => [...readFileSync(path, 'utf8').matchAll(CODE)].map(match => match[1] as string)),
)
const document = readFileSync(join(root, 'docs/errors.md'), 'utf8')
const documented = [...document.matchAll(/^\| `([^`]+)` +\| /gm)].map(match => match[1] as string)

it('every error code is documented', () => {
  expect([...new Set(used)].filter(code => !documented.includes(code))).toEqual([])
})

it('every documented error code exists', () => {
  expect(documented.filter(code => !used.includes(code))).toEqual([])
})

it('every documented error says what to do', () => {
  expect(documented).toHaveLength(new Set(documented).size)
  const rows = document.split('\n').filter(line => line.startsWith('| `'))
  for (const row of rows)
    expect(
      row.split('|').filter(cell => cell.trim() !== ''),
      row,
    ).toHaveLength(3)
})
