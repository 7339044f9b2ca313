import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { linesOf } from './import-file.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-import-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function linesIn(text: string): Promise<string[]> {
  const file = join(folder, 'lines.jsonl')
  await writeFile(file, text)
  const lines: string[] = []
  for await (const line of linesOf(file)) lines.push(line)
  return lines
}

describe('the lines of a file', () => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\n\nb', ['a', '', 'b']],
    // As they come in pieces of 64 KiB.
    [`${'ä'.repeat(200_000)}\nb\n${'c'.repeat(100_000)}`, ['ä'.repeat(200_000), 'b', 'c'.repeat(100_000)]],
  ])('are told one by one (%#)', async (text, lines) => {
    expect(await linesIn(text)).toEqual(lines)
  })

  it('takes time by their length, not by its square', { timeout: 10_000 }, async () => {
    const [line] = await linesIn('x'.repeat(60 * 2 ** 20))
    expect(line?.length).toBe(60 * 2 ** 20)
  })

  it('ends at one that no export has, by its number, without reading on', async () => {
    const file = join(folder, 'image.iso')
    await writeFile(file, 'a\nb\n')
    const handle = await open(file, 'r+')
    await handle.truncate(2 ** 40)
    await handle.close()
    const seen: string[] = []
    const reading = async () => {
      for await (const line of linesOf(file)) seen.push(line)
    }
    await expect(reading()).rejects.toThrow(`${file} cannot be read: line 3 has more than 64 MiB`)
    expect(seen).toEqual(['a', 'b'])
  })
})
