import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

it('the example in the README prints what the README says', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readme)?.[1]
  const directory = await mkdtemp(join(tmpdir(), 'journal-'))
  try {
    const outfile = join(directory, 'example.mjs')
    const stdin = {
      contents: block('ts') as string,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts' as const,
    }
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' })
    expect(execFileSync(process.execPath, [outfile], { cwd: directory, encoding: 'utf8' })).toBe(block('text'))
  } finally {
    await rm(directory, { recursive: true })
  }
})
