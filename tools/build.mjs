// Bundles the `tiphys` package: the command, one chunk per command and library loaded on demand, the data files of all
// packages, and the licences of what is bundled. Nothing is left to install for whoever installs `tiphys`.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isProgram, root, step } from './steps.mjs'
import { writeTypes } from './types.mjs'

const target = join(root, 'packages/tiphys')
const stamp = join(target, 'dist/.built')

export async function build({ force = false } = {}) {
  if (!force && isFresh()) return
  await step('building tiphys', async () => {
    // Built aside and moved into place at the end: a tiphys that runs meanwhile finds its chunks.
    const draft = join(root, `.build/tiphys-${process.pid}`)
    rmSync(draft, { recursive: true, force: true })
    const bundled = await bundle(join(draft, 'dist'))
    const { buildConsole } = await import('../packages/console/build.mjs')
    const page = await buildConsole({ outdir: join(draft, 'dist/console') })
    mkdirSync(join(draft, 'data'))
    for (const folder of dataFolders()) cpSync(folder, join(draft, 'data'), { recursive: true })
    writeFileSync(
      join(draft, 'dist/THIRD-PARTY-NOTICES.txt'),
      notices([...new Set([...bundled, ...page.packages])].sort()),
    )
    writeFileSync(join(draft, 'dist/.built'), '')
    cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
    for (const folder of ['data', 'dist']) {
      const old = join(draft, `old-${folder}`)
      if (existsSync(join(target, folder))) renameSync(join(target, folder), old)
      renameSync(join(draft, folder), join(target, folder))
    }
    rmSync(draft, { recursive: true })
  })
}

/** Returns the names of the packages from the registry that went into the bundle. */
async function bundle(outdir) {
  const { build: esbuild } = await import('esbuild')
  const { metafile } = await esbuild({
    absWorkingDir: root,
    entryPoints: {
      main: 'packages/tiphys/src/main.ts',
      testing: 'packages/tiphys/src/testing.ts',
      supervisor: 'packages/cluster/src/runtime/process/supervisor.ts',
      'script-worker': 'packages/expressions/src/script-pool/worker-program.ts',
      'archive-worker': 'packages/archive/src/service/worker-program.ts',
      'test-loader': 'packages/tiphys/src/test-loader.ts',
      'test-hooks': 'packages/tiphys/src/test-hooks.ts',
      'test-reporter': 'packages/tiphys/src/test-reporter.ts',
    },
    // The first has a native part, a package per platform, which npm chooses; the second is not used without it.
    external: ['libsql', 'pg-native', 'esbuild'],
    outdir,
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    chunkNames: 'chunk-[hash]',
    legalComments: 'none',
    // Names stay as they are: stack traces are read by people.
    minifySyntax: true,
    minifyWhitespace: true,
    // CommonJS parts of dependencies ask for `require`.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
  const names = Object.keys(metafile.inputs).map(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
  return [...new Set(names.filter(name => name !== undefined))].sort()
}

function notices(names) {
  const sections = names.map(name => {
    const folder = join(root, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    // What is in the public domain asks for no notice.
    const text = license === 'Unlicense' ? 'In the public domain.' : licenceOf(folder)
    if (text === undefined) throw new Error(`${name} is bundled and has no licence file`)
    return `${name} ${version} (${license})\n\n${text}\n`
  })
  const kubernetes = readFileSync(join(root, 'NOTICE'), 'utf8').trim()
  return [`${kubernetes}\n`, ...sections].join(`\n${'-'.repeat(80)}\n\n`)
}

/** The file, or the last section of the README, where some keep it. */
function licenceOf(folder) {
  const names = readdirSync(folder)
  const file = names.find(entry => /^licen[cs]e(\.md|\.txt)?$/i.test(entry))
  if (file) return readFileSync(join(folder, file), 'utf8').trim()
  const readme = names.find(entry => /^readme\.md$/i.test(entry))
  return readme && /^##+ licen[cs]e\s*$([^]*)/im.exec(readFileSync(join(folder, readme), 'utf8'))?.[1]?.trim()
}

const packages = () => readdirSync(join(root, 'packages')).map(name => join(root, 'packages', name))
const dataFolders = () =>
  packages()
    .filter(folder => folder !== target)
    .map(folder => join(folder, 'data'))
    .filter(existsSync)

function isFresh() {
  if (!existsSync(stamp)) return false
  const built = statSync(stamp).mtimeMs
  const sources = packages().map(folder => join(folder, 'src'))
  const inputs = ['tools/build.mjs', 'packages/console/build.mjs', 'package-lock.json', 'LICENSE', 'NOTICE'].map(path =>
    join(root, path),
  )
  return [...inputs, ...sources, ...dataFolders()].every(path => newest(path) < built)
}

/** When the file, or the newest thing in the folder, changed last. A folder changes when something in it goes. */
function newest(path) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) return stats?.mtimeMs ?? 0
  return Math.max(stats.mtimeMs, ...readdirSync(path).map(name => newest(join(path, name))))
}

if (isProgram(import.meta.url)) {
  await build({ force: true })
  // Only who publishes needs them, and they take their time.
  if (process.argv.includes('--types')) await writeTypes(join(target, 'dist/types'))
}
