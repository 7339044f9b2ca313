// Bundles the application: one script for the shell and one for each page, one style sheet, names with a hash of their
// content, each also compressed, and the page that loads them. Nothing is inline and nothing comes from elsewhere.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))

/** Writes the application into a folder, which is made anew. Resolves with what went into it. */
export async function buildConsole({ outdir }) {
  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(join(outdir, 'assets'), { recursive: true })
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: { app: 'src/app/main.tsx', style: 'src/app/style/style.css' },
    outdir: join(outdir, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  })
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    ...output,
    path,
    name: relative(outdir, join(here, path)).replaceAll('\\', '/'),
  }))
  const script = outputs.find(output => output.entryPoint === 'src/app/main.tsx')
  const style = outputs.find(output => output.entryPoint === 'src/app/style/style.css')
  const needed = script.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => outputs.find(output => output.path === path).name)
  writeFileSync(join(outdir, 'icon.svg'), readFileSync(join(here, 'src/app/icon.svg')))
  writeFileSync(join(outdir, 'index.html'), page({ script: script.name, style: style.name, needed }))
  for (const entry of readdirSync(outdir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) compress(join(entry.parentPath ?? entry.path, entry.name))
  }
  const packages = Object.keys(metafile.inputs).map(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
  return {
    /** What a first visit loads. */
    first: [script.name, ...needed],
    style: style.name,
    scripts: outputs.filter(({ name }) => name.endsWith('.js')).map(({ name }) => name),
    /** The packages from the registry that went into it, for the notices. */
    packages: [...new Set(packages.filter(name => name !== undefined))].sort(),
  }
}

function page({ script, style, needed }) {
  const preloads = needed.map(name => `    <link rel="modulepreload" href="/${name}" />\n`).join('')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Tiphys</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/${style}" />
${preloads}    <script type="module" src="/${script}"></script>
  </head>
  <body>
    <div id="app"></div>
    <noscript>The Tiphys console needs JavaScript. Without it: tiphys events, tiphys runs, tiphys trace.</noscript>
  </body>
</html>
`
}

function compress(path) {
  const bytes = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildConsole({ outdir: process.argv[2] ?? join(here, '../../.build/console') })
}
