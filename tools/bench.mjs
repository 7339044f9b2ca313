// `npm run bench [name…]`: builds what is measured, what it is measured against and what measures, then measures. What cannot
// be built here is left out, and the report says so. `--write` puts tables and pictures into docs/, `--rounds N` changes how
// often, `--help` tells the rest.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from './build.mjs'
import { setup } from './setup.mjs'
import { root, run, step } from './steps.mjs'

await setup()
await build()
const { buildControllerRuntime, buildLoad, bundlePrograms, installKopf } = await import('../bench/build.mjs')
const noGo = spawnSync('go', ['version']).status === 0 ? undefined : 'Go is not installed'
const isOnlyAsked = process.argv.includes('--help') || process.argv.includes('--plots')

/** @param {() => string | undefined} make
 *  @param {string} missing */
const part = (make, missing) => {
  try {
    const path = make()
    return path === undefined ? { missing } : { path }
  } catch (thrown) {
    return { missing: `${missing} (${thrown instanceof Error ? thrown.message : String(thrown)})` }
  }
}
/** @param {() => string} make
 *  @param {string} name */
const goPart = (make, name) => (noGo ? { missing: noGo } : part(make, `${name} cannot be built`))

async function buildServers() {
  if (noGo || isOnlyAsked) return { missing: noGo ?? 'nothing is measured' }
  const servers = ['etcd', 'kube-apiserver', 'kube-controller-manager']
  const code = await step(`building ${servers.join(', ')}`, () =>
    run(process.execPath, ['conformance/build.mjs', ...servers]),
  )
  return code === 0 ? { path: '' } : { missing: 'kube-apiserver and etcd cannot be built' }
}

const realServers = await buildServers()
const loadGenerator = await step('building the load generator', async () =>
  isOnlyAsked ? { missing: 'nothing is measured' } : goPart(buildLoad, 'the load generator'),
)
const programs = await bundlePrograms(join(root, '.build/bench'))
const { run: runBenches } = await import(pathToFileURL(join(programs, 'main.mjs')).href)
process.exitCode = await runBenches(process.argv.slice(2), {
  root,
  programs,
  realServers,
  loadGenerator,
  peer: {
    controllerRuntime: () => goPart(buildControllerRuntime, 'the operator with controller-runtime'),
    kopf: () => part(installKopf, 'there is no Python that Kopf can be installed for'),
  },
})
