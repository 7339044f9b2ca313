// What the benches run besides the servers: the load generator and the measuring program, both plain programs that start
// without a compiler.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { cacheDirectory } from '../conformance/tools.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const loadSource = fileURLToPath(new URL('go/load/', import.meta.url))

/** The path of the load generator, built unless these very sources were built before. */
export function buildLoad() {
  const path = loadPath()
  if (existsSync(path)) return path
  mkdirSync(cacheDirectory(), { recursive: true })
  const unfinished = `${path}.${process.pid}`
  const result = spawnSync(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', unfinished, '.'],
    {
      cwd: loadSource,
      env: { ...process.env, CGO_ENABLED: '0' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  if (result.status !== 0) {
    rmSync(unfinished, { force: true })
    throw new Error(
      `building the load generator failed: ${result.error?.message ?? `go build ended with ${result.status}`}`,
    )
  }
  renameSync(unfinished, path)
  return path
}

/** Tests on a user's machine build nothing with Go; they use what is there. */
export function isLoadBuilt() {
  return existsSync(loadPath())
}

function loadPath() {
  const hash = createHash('sha256')
  for (const name of readdirSync(loadSource).sort()) hash.update(name).update(readFileSync(join(loadSource, name)))
  return join(cacheDirectory(), `tiphys-load-${hash.digest('hex').slice(0, 12)}`)
}

/** Bundles the programs of `src/` that a process is started with; returns their folder. Data files lie beside it, where the
 *  API server looks for them.
 *  @param {string} folder */
export async function bundlePrograms(folder) {
  const outdir = join(folder, 'dist')
  await build({
    absWorkingDir: root,
    entryPoints: ['bench/src/main.ts', 'bench/src/in-process.ts'],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    outExtension: { '.js': '.mjs' },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
    },
    external: ['esbuild'],
  })
  cpSync(join(root, 'packages/apiserver/data'), join(folder, 'data'), { recursive: true })
  return outdir
}
