// Installs what the lock file names, unless that is already done.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { root, run, step } from './steps.mjs'

const stamp = `${root}node_modules/.tiphys-lock`

export async function setup() {
  const wanted = createHash('sha256').update(readFileSync(`${root}package-lock.json`)).digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  // Nothing here needs an install script: what is native comes prebuilt inside its package.
  const code = await step('installing packages', () => run(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']))
  if (code !== 0) process.exit(code)
  writeFileSync(stamp, wanted)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await setup()
