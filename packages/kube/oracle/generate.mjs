// Writes the answers that the tests of this package compare with. Needs Go: `node packages/kube/oracle/generate.mjs`.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { jsonCases, selectorCases } from './selector-cases.mjs'
import { spdyCases } from './spdy-cases.mjs'
import { yamlCases } from './yaml-cases.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

function answer(file, cases) {
  const input = `${cases.map(question => JSON.stringify(question)).join('\n')}\n`
  const run = spawnSync('go', ['run', '.'], { cwd: here, input, maxBuffer: 1 << 28 })
  if (run.status !== 0) throw new Error(run.stderr.toString())
  writeFileSync(new URL(`../testdata/${file}`, import.meta.url), run.stdout)
  console.log(`${file}: ${cases.length} answers`)
}

answer('selectors.jsonl', selectorCases)
answer('json.jsonl', jsonCases)
answer('yaml.jsonl', yamlCases)
answer('spdy.jsonl', spdyCases)
