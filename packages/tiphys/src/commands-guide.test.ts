import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { TiphysFolder } from './tiphys-folder.ts'

const guide = await readFile(new URL('../../../docs/commands.md', import.meta.url), 'utf8')
let folder: TiphysFolder
beforeAll(async () => {
  folder = await TiphysFolder.make()
})
afterAll(() => folder.remove())

it.each(COMMANDS.map(({ name }) => name))('the guide tells of tiphys %s', name => {
  expect(guide).toMatch(new RegExp(`\`(tiphys )?${name}\\b`))
})

it('the guide names no command that is not there', () => {
  const named = [...guide.matchAll(/`tiphys (?!is ready)([a-z]+)/g)].map(([, name]) => name)
  expect(named.filter(name => !COMMANDS.some(command => command.name === name))).toEqual([])
})

it('the test in the guide passes', async () => {
  await folder.tiphys('init', 'op')
  const [, source = ''] = /^```ts\n(.*?)^```/ms.exec(guide) ?? []
  await folder.write({ 'op/greeting.test.ts': source })
  const { code, out } = await folder.tiphys('test', 'op')
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^1 passed /m) })
})
