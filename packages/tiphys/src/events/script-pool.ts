import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createScriptPool, type ScriptPool } from '@tiphys/expressions/script-pool'
import { build } from 'esbuild'

/** For tests: a pool with one worker, whose program is built into a folder. */
export async function buildScriptPool(folder: string): Promise<ScriptPool> {
  const worker = fileURLToPath(import.meta.resolve('@tiphys/expressions/script-pool/worker'))
  await build({
    entryPoints: { worker },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  return createScriptPool({ workerProgram: join(folder, 'worker.mjs'), size: 1 })
}
