import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire, type LoadHook, type ResolveHook } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const TESTING = new URL('./testing.js', import.meta.url).href

/** `tiphys/testing` is the one of the command that runs the tests; a file without its extension is TypeScript's. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  if (specifier === 'tiphys/testing') return { url: TESTING, format: 'module', shortCircuit: true }
  const isRelative = /^\.{1,2}\//.test(specifier)
  if (isRelative && context.parentURL !== undefined) {
    const url = new URL(specifier, context.parentURL)
    const other = new URL(url.href.replace(/\.js$/, '.ts'))
    if (!existsSync(url) && existsSync(other)) return { url: other.href, format: 'module', shortCircuit: true }
  }
  return await next(specifier, context)
}

/** Takes the types out of TypeScript. Lines stay where they are for whoever reads a stack. */
export const load: LoadHook = async (url, context, next) => {
  if (!/\.m?tsx?$/.test(new URL(url).pathname)) return await next(url, context)
  const path = fileURLToPath(url)
  const { transform } = await loadEsbuild(path)
  const { code } = await transform(await readFile(path, 'utf8'), {
    loader: path.endsWith('x') ? 'tsx' : 'ts',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcefile: path,
  })
  return { format: 'module', source: code, shortCircuit: true }
}

type Esbuild = typeof import('esbuild')

/** The one beside the tests, or beside this command. */
async function loadEsbuild(path: string): Promise<Esbuild> {
  for (const from of [path, import.meta.url]) {
    try {
      const found = createRequire(from).resolve('esbuild')
      return ((await import(pathToFileURL(found).href)) as { default: Esbuild }).default
    } catch {
      // Not there; the other place is asked next.
    }
  }
  throw new Error(
    'esbuild is not installed, which takes the types out of TypeScript: npm install --save-dev esbuild, or write the test in JavaScript (.test.mjs)',
  )
}
