// `npm start`: sets up what npm can, then shows what is there.
import { build } from './build.mjs'
import { setup } from './setup.mjs'
import { root, run } from './steps.mjs'

await setup()
await build()
// Ctrl-C goes to the whole group: tiphys ends by itself and its exit code is ours.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.exitCode = await run(process.execPath, [`${root}packages/tiphys/bin/tiphys.js`, 'cluster', ...process.argv.slice(2)], { show: true })
