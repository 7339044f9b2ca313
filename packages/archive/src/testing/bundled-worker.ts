import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The program of the archive's threads as JavaScript, made from the sources; and what removes it. Below the repository, so that it finds
 *  the database's own module. */
export async function bundleWorker(): Promise<{ program: string; remove: () => void }> {
  const { build } = await import('esbuild')
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  mkdirSync(join(root, '.build'), { recursive: true })
  const folder = mkdtempSync(join(root, '.build/archive-worker-'))
  const program = join(folder, 'worker.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('../service/worker-program.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['libsql', 'pg'],
    logLevel: 'error',
  })
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
