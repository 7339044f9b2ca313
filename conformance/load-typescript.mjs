import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Imports a TypeScript module of this directory, which Node 20 cannot: it is bundled into the build directory first.
 *  @param {string} source */
export async function loadTypeScript(source) {
  const name = `${basename(source, '.ts')}.mjs`
  const outfile = fileURLToPath(new URL(`../.build/conformance/${name}`, import.meta.url))
  const entryPoint = fileURLToPath(new URL(source, import.meta.url))
  await build({ entryPoints: [entryPoint], outfile, bundle: true, platform: 'node', format: 'esm' })
  return import(outfile)
}
