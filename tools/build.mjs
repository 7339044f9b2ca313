// Bundles the `tiphys` package: one file per command and library chunk, and the data files of all packages beside them.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, step } from './steps.mjs'

const target = join(root, 'packages/tiphys')
const stamp = join(target, 'dist/.built')

export async function build({ force = false } = {}) {
  if (!force && isFresh()) return
  await step('building tiphys', async () => {
    const { build } = await import('esbuild')
    rmSync(join(target, 'dist'), { recursive: true, force: true })
    rmSync(join(target, 'data'), { recursive: true, force: true })
    await build({
      absWorkingDir: root,
      entryPoints: { main: 'packages/tiphys/src/main.ts' },
      outdir: 'packages/tiphys/dist',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      chunkNames: 'chunk-[hash]',
      legalComments: 'none',
      minifySyntax: true,
      minifyWhitespace: true,
      // Names stay readable in stack traces. CommonJS parts of dependencies ask for `require`.
      keepNames: false,
      banner: { js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);" },
    })
    for (const folder of dataFolders()) cpSync(folder, join(target, 'data'), { recursive: true })
    mkdirSync(join(target, 'dist'), { recursive: true })
    writeFileSync(stamp, '')
  })
}

const packages = () => readdirSync(join(root, 'packages')).map(name => join(root, 'packages', name))
const dataFolders = () => packages().filter(folder => folder !== target).map(folder => join(folder, 'data')).filter(existsSync)

function isFresh() {
  if (!existsSync(stamp)) return false
  const built = statSync(stamp).mtimeMs
  return packages().every(folder => newest(join(folder, 'src')) < built) && dataFolders().every(folder => newest(folder) < built)
}

function newest(folder) {
  if (!existsSync(folder)) return 0
  let latest = statSync(folder).mtimeMs
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs)
  }
  return latest
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await build({ force: true })
