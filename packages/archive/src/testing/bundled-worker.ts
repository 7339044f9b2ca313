import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const WORKER = 'packages/archive/src/service/worker-program.ts'

export interface BundledProgram {
  program: string
  remove: () => void
}

/** The program of the archive's threads as JavaScript, made from the sources; and what removes it. */
export function bundleWorker(): Promise<BundledProgram> {
  const beside = new URL('../service/worker-program.ts', import.meta.url)
  return bundleProgram(existsSync(beside) ? beside : pathToFileURL(join(repository(), WORKER)))
}

/** Below the repository, so that it finds the database's own module. */
export async function bundleProgram(source: URL): Promise<BundledProgram> {
  const { build } = await import('esbuild')
  const root = repository()
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

/** This may itself be in a bundle, anywhere below it. */
function repository(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, WORKER))) {
    const above = dirname(folder)
    if (above === folder) throw new Error(`there is no ${WORKER} above ${fileURLToPath(import.meta.url)}`)
    folder = above
  }
  return folder
}
