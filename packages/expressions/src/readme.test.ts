import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, string>
}

const importLine = /import (\{[^}]*\}) from '@tiphys\/expressions(\/[a-z0-9-]+)?'/g

async function run(snippet: string): Promise<void> {
  const modules = new Map<string, unknown>()
  for (const [, , subpath = ''] of snippet.matchAll(importLine)) {
    modules.set(subpath, await import(new URL(`../${exports[`.${subpath}`]}`, import.meta.url).href))
  }
  const body = snippet.replace(
    importLine,
    (_, names: string, subpath: string | undefined) => `const ${names} = modules.get('${subpath ?? ''}')`,
  )
  // oxlint-disable-next-line typescript/no-implied-eval -- the example is the program under test
  const program = new Function('modules', 'assert', `return (async () => {${body}})()`) as (
    names: typeof modules,
    check: typeof assert,
  ) => Promise<void>
  await program(modules, assert)
}

test('the examples in the README do what they say', async () => {
  expect(snippets.length).toBeGreaterThan(1)
  for (const snippet of snippets) await run(snippet)
})
