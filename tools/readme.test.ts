import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readBlocks, START } from './guide.ts'
import { root } from './steps.mjs'

it('the test cluster prints what the README says', async () => {
  const blocks = await readBlocks('README.md')
  const at = blocks.findIndex(({ language }) => language === 'js')
  const place = join(root, '.build/readme')
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'example.mjs'), blocks[at]?.text ?? '')
  const { stdout } = await promisify(execFile)(process.execPath, [join(place, 'example.mjs')])
  expect(stdout).toBe(blocks[at + 1]?.text)
})

// The guides are read with this in place of `npm start`, which sets up a clone first.
it('npm start runs the memcached operator', async () => {
  const words = START.map(word => `'${word}'`).join(', ')
  expect(await readFile(join(root, 'tools/start.mjs'), 'utf8')).toContain(`'tiphys', ${words}`)
})
