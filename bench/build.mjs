// What the benches run besides the servers: the load generator and the measuring program, both plain programs that start
// without a compiler.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { cacheDirectory } from '../conformance/tools.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const loadSource = fileURLToPath(new URL('go/load/', import.meta.url))

/** The path of the load generator, built unless these very sources were built before. */
export function buildLoad() {
  return buildGo(loadSource, loadPath())
}

/** Tests on a user's machine build nothing with Go; they use what is there. */
export function isLoadBuilt() {
  return existsSync(loadPath())
}

/** The path of the operator that is made with controller-runtime. */
export function buildControllerRuntime() {
  const source = fileURLToPath(new URL('peers/controller-runtime/', import.meta.url))
  return buildGo(source, cachedPath('tiphys-bench-controller-runtime', source))
}

/** The path of a Python that has Kopf, or undefined where there is no Python. */
export function installKopf() {
  const source = fileURLToPath(new URL('peers/kopf/', import.meta.url))
  const folder = cachedPath('tiphys-bench-kopf', source)
  const python = join(folder, 'bin/python')
  if (existsSync(join(folder, '.complete'))) return python
  rmSync(folder, { recursive: true, force: true })
  const run = (command, args) => spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  if (!run('python3', ['-m', 'venv', folder])) return undefined
  if (!run(python, ['-m', 'pip', 'install', '--quiet', '-r', join(source, 'requirements.txt')])) return undefined
  writeFileSync(join(folder, '.complete'), '')
  return python
}

/** @param {string} source
 *  @param {string} path */
function buildGo(source, path) {
  if (existsSync(path)) return path
  mkdirSync(cacheDirectory(), { recursive: true })
  const unfinished = `${path}.${process.pid}`
  const result = spawnSync(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', unfinished, '.'],
    {
      cwd: source,
      env: { ...process.env, CGO_ENABLED: '0' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  if (result.status !== 0) {
    rmSync(unfinished, { force: true })
    throw new Error(`building ${source} failed: ${result.error?.message ?? `go build ended with ${result.status}`}`)
  }
  renameSync(unfinished, path)
  return path
}

const loadPath = () => cachedPath('tiphys-load', loadSource)

/** Sources that changed have another path.
 *  @param {string} name
 *  @param {string} source */
function cachedPath(name, source) {
  const hash = createHash('sha256')
  for (const file of readdirSync(source).sort()) hash.update(file).update(readFileSync(join(source, file)))
  return join(cacheDirectory(), `${name}-${hash.digest('hex').slice(0, 12)}`)
}

/** Bundles the programs of `src/` that a process is started with; returns their folder. Data files lie beside it, where the
 *  API server looks for them.
 *  @param {string} folder */
export async function bundlePrograms(folder) {
  const outdir = join(folder, 'dist')
  await build({
    absWorkingDir: root,
    entryPoints: ['bench/src/main.ts', 'bench/src/in-process.ts', 'bench/src/bare-webhook.ts', 'bench/src/noise.ts'],
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
    external: ['esbuild', 'libsql', 'pg-native'],
  })
  cpSync(join(root, 'packages/apiserver/data'), join(folder, 'data'), { recursive: true })
  return outdir
}
