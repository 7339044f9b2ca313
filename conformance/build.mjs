// Builds the tools named on the command line (without names: what the conformance run needs) unless they are cached.
import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { cacheDirectory, isBuilt, moduleDirectory, toolPath, tools } from './tools.mjs'

const neededByConformance = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'helm3',
  'helm4',
]
const named = process.argv.slice(2)

mkdirSync(cacheDirectory(), { recursive: true })
for (const name of named.length > 0 ? named : neededByConformance) {
  const target = toolPath(name)
  if (isBuilt(name)) {
    console.log(`${name}: cached at ${target}`)
    continue
  }
  const started = performance.now()
  build(name, target)
  console.log(`${name}: built in ${Math.round((performance.now() - started) / 1000)} s at ${target}`)
}

/** Builds into a private file first: an interrupted or concurrent build never leaves half a tool under its final name.
 *  @param {string} name
 *  @param {string} target */
function build(name, target) {
  const tool = tools.find(candidate => candidate.name === name)
  const unfinished = `${target}.${process.pid}`
  const ldflags = ['-s', '-w', ...tool.ldflags].join(' ')
  const result = spawnSync(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', ldflags, '-o', unfinished, tool.package],
    {
      cwd: moduleDirectory(tool.module),
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  if (result.status !== 0) {
    rmSync(unfinished, { force: true })
    throw new Error(`building ${name} failed: ${result.error?.message ?? `go build ended with ${result.status}`}`)
  }
  renameSync(unfinished, target)
}
