// Installs what the lock file names, unless that is already done.
import { existsSync, readFileSync } from 'node:fs'
import { isProgram, root, run, step } from './steps.mjs'

export async function setup() {
  requireNode()
  if (isInstalled(root)) return
  // Nothing here needs an install script: what is native comes prebuilt inside its package.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const npm = process.env.npm_execpath
  const install = () => (npm ? run(process.execPath, [npm, ...args]) : run('npm', args))
  const code = await step('installing packages', install)
  if (code !== 0) process.exit(code)
}

function requireNode() {
  const { engines } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const wanted = engines.node.replace('>=', '').split('.').map(Number)
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > wanted[0] || (major === wanted[0] && minor >= wanted[1])) return
  console.error(
    `Tiphys needs Node ${engines.node}, this is ${process.versions.node}. Install a newer Node and try again.`,
  )
  process.exit(1)
}

/** npm leaves a lock file of what it has installed, written last: an interrupted installation has none. */
export function isInstalled(folder) {
  const installed = `${folder}/node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  const read = file => JSON.parse(readFileSync(file, 'utf8')).packages
  const present = read(installed)
  return Object.entries(read(`${folder}/package-lock.json`)).every(([path, { version, link, optional }]) => {
    if (!path.startsWith('node_modules/')) return true
    // What is optional is for other platforms.
    if (!present[path]) return optional === true
    return link === true || present[path].version === version
  })
}

if (isProgram(import.meta.url)) await setup()
