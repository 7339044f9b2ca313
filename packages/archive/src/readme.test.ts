import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

it('the example in the README prints what the README says', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readme)?.[1]
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  mkdirSync(join(root, '.build'), { recursive: true })
  // Below the repository, so that it finds the database's own module.
  const directory = mkdtempSync(join(root, '.build/archive-readme-'))
  try {
    const outfile = join(directory, 'example.mjs')
    const stdin = {
      contents: block('ts') as string,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts' as const,
    }
    await build({
      stdin,
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['libsql', 'pg'],
      logLevel: 'silent',
    })
    expect(execFileSync(process.execPath, [outfile], { cwd: directory, encoding: 'utf8' })).toBe(block('text'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
