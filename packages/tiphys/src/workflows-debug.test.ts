import { mkdirSync } from 'node:fs'
import { it } from 'vitest'
import { measureWorkflows } from '../../../bench/src/workflows.ts'
it('bench', async () => {
  mkdirSync('/var/tmp/bench-wf', { recursive: true })
  const rounds = await measureWorkflows({ command: '/work/main/node_modules/.bin/tiphys', scratch: '/var/tmp/bench-wf', rounds: 1, runs: 200, repeats: 3, say: l => console.log(l) })
  console.log(JSON.stringify(rounds, null, 1))
}, 280000)
