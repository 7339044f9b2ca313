import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface BundledProgram {
  program: string
  remove: () => void
}

/** The program of the archive's threads as JavaScript, made from the sources; and what removes it. */
export function bundleWorker(): Promise<BundledProgram> {
  return bundleProgram(new URL('../service/worker-program.ts', import.meta.url))
}

/** Below the repository, so that it finds the database's own module. */
export async function bundleProgram(source: URL): Promise<BundledProgram> {
  const { build } = await import('esbuild')
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  mkdirSync(join(root, '.build'), { recursive: true })
  const folder = mkdtempSync(join(root, '.build/archive-program-'))
  const program = join(folder, 'program.mjs')
  await build({
    entryPoints: [fileURLToPath(source)],
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
