import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BUILD = fileURLToPath(new URL('../../build.mjs', import.meta.url))

/** Builds the application into a folder, as releases have it. */
export async function buildAssets(outdir: string): Promise<void> {
  await promisify(execFile)(process.execPath, [BUILD, outdir])
}
