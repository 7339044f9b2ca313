import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkDataFolder, dataFolder, openDataFolder, prepareDataFolder } from './data-folder.ts'

let path: string
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'tiphys-data-'))
})
afterEach(() => rm(path, { recursive: true }))

const layout = (text: string) => writeFile(join(path, 'layout.json'), text)

describe('the data folder', () => {
  it('cannot be where a file is, and names it', async () => {
    await writeFile(join(path, 'file'), '')
    expect(() => openDataFolder(join(path, 'file/data'))).toThrow(
      `the data folder ${path}/file/data cannot be made: ${path}/file is no folder. Choose another with --data, where this user may write`,
    )
    expect(() => checkDataFolder(dataFolder(join(path, 'file')))).toThrow(`${path}/file is no folder`)
  })

  it.skipIf(process.platform !== 'linux')('cannot be in /proc, where making one never ended', () => {
    expect(() => openDataFolder('/proc/tiphys')).toThrow(
      'the data folder /proc/tiphys cannot be made: /proc takes no folders',
    )
  })

  it('is refused to readers and writers alike when a newer version made it, whether or not it says which', async () => {
    for (const [text, version] of [
      ['{"layout":2}', ''],
      ['{"layout":2,"version":"9.1.0"}', ' (9.1.0)'],
    ] as const) {
      await layout(text)
      const refusal = `the data folder ${path} was made by a newer Tiphys${version}. Use that version or a later one`
      expect(() => openDataFolder(path)).toThrow(refusal)
      expect(() => checkDataFolder(dataFolder(path))).toThrow(refusal)
    }
  })

  it.each(['null', '{"layout":', '[]', '{"layout":"x"}', ''])('is used when its layout is damaged: %s', async text => {
    await layout(text)
    await prepareDataFolder(dataFolder(path))
    expect(JSON.parse(await readFile(join(path, 'layout.json'), 'utf8'))).toMatchObject({ layout: 1 })
  })
})
