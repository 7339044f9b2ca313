// `npm start`: sets up what npm can, then runs the operator that people come for.
import { build } from './build.mjs'
import { setup } from './setup.mjs'

await setup()
await build()
// In this very process, so that a signal reaches tiphys whoever it was sent to.
process.argv = [process.argv[0], 'tiphys', 'up', 'examples/memcached', ...process.argv.slice(2)]
await import('../packages/tiphys/bin/tiphys.js')
