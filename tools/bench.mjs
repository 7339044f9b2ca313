// `npm run bench [NAME] [-- --json FILE]`: builds what is measured, what it is measured against and what measures, then
// measures. `--write` puts the table into docs/performance.md, `--rounds N` changes how often.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from './build.mjs'
import { setup } from './setup.mjs'
import { root, run, step } from './steps.mjs'

await setup()
await build()
const peers = await step('building kube-apiserver, kube-controller-manager and etcd', () =>
  run(process.execPath, ['conformance/build.mjs', 'etcd', 'kube-apiserver', 'kube-controller-manager']),
)
if (peers !== 0) process.exit(peers)
const { buildControllerRuntime, buildLoad, bundlePrograms, installKopf } = await import('../bench/build.mjs')
const loadGenerator = await step('building the load generator', async () => buildLoad())
const programs = await bundlePrograms(join(root, '.build/bench'))
const { run: runBenches } = await import(pathToFileURL(join(programs, 'main.mjs')).href)
process.exitCode = await runBenches(process.argv.slice(2), {
  root,
  programs,
  loadGenerator,
  peer: { controllerRuntime: buildControllerRuntime, kopf: installKopf },
})
