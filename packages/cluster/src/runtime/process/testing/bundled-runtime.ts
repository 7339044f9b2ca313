import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** For tests: the runtime and its supervisor as users have them, bundled into a folder that any user can read. */
export interface BundledRuntime {
  supervisorProgram: string
  /** Runs a module of one's own that may import `./process-runtime.mjs`, with what comes before Node. */
  run(source: string, before?: readonly string[]): ReturnType<typeof spawn>
  remove(): void
}

export async function bundleRuntime(): Promise<BundledRuntime> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-process-'))
  const dist = join(folder, 'dist')
  mkdirSync(dist)
  chmodSync(folder, 0o755)
  cpSync(fileURLToPath(new URL('../../../../data', import.meta.url)), join(folder, 'data'), { recursive: true })
  const entry = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  await build({
    entryPoints: [entry('../supervisor.ts'), entry('../process-runtime.ts')],
    outdir: dist,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  })
  return {
    supervisorProgram: join(dist, 'supervisor.mjs'),
    run: (source, before = []) => {
      const [command = '', ...rest] = [...before, process.execPath, '--input-type=module', '--eval', source]
      return spawn(command, rest, { cwd: dist, stdio: ['ignore', 'pipe', 'inherit'] })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
