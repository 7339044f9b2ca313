// How long `tiphys --version` and `tiphys --help` take, as multiples of `node -e 0`: medians of interleaved runs.
import { spawnSync } from 'node:child_process'
import { build } from './build.mjs'
import { setup } from './setup.mjs'
import { root } from './steps.mjs'

const ROUNDS = 40
const command = `${root}packages/tiphys/bin/tiphys.js`
const CASES = {
  'node -e 0': ['-e', '0'],
  'tiphys --version': [command, '--version'],
  'tiphys --help': [command, '--help'],
}

await setup()
await build()
const times = Object.fromEntries(Object.keys(CASES).map(name => [name, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(CASES)) {
    const started = performance.now()
    spawnSync(process.execPath, args)
    times[name].push(performance.now() - started)
  }
}
const median = values => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
const base = median(times['node -e 0'])
for (const name of Object.keys(CASES)) {
  const time = median(times[name])
  console.log(`${name.padEnd(18)} ${time.toFixed(0).padStart(4)} ms  ${(time / base).toFixed(2)}×`)
}
