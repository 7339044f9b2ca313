// Regenerates the cases and their answers in testdata. Needs Go; the answers come from the modules in go.mod.
//   node packages/events/oracle/update.mjs
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { cases } from './cases.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const testdata = join(here, '..', 'testdata')
mkdirSync(testdata, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'events-oracle-'))
try {
  const binary = join(work, 'oracle')
  execFileSync('go', ['build', '-o', binary, '.'], { cwd: here, stdio: 'inherit' })
  for (const [kind, questions] of Object.entries(cases)) {
    const input = questions.map(question => JSON.stringify(question)).join('\n')
    const answers = ask(binary, input)
    const lines = questions.map((question, index) => `{"case":${JSON.stringify(question)},"answer":${answers[index]}}`)
    writeFileSync(join(testdata, `${kind}.jsonl.gz`), gzipSync(`${lines.join('\n')}\n`, { level: 9 }))
    console.log(`${kind}: ${lines.length} cases`)
  }
} finally {
  rmSync(work, { recursive: true })
}

function ask(binary, input) {
  const path = join(work, 'answers')
  const answers = openSync(path, 'w')
  const { status } = spawnSync(binary, { input, stdio: ['pipe', 'ignore', 'inherit', answers], maxBuffer: 1 << 28 })
  closeSync(answers)
  if (status !== 0) throw new Error(`the oracle ended with ${status}`)
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}
