// Takes the round-trip examples of the k8s.io/api module (every field of every kind, as protobuf and as JSON) for the
// kinds of stable versions: node generate/protobuf-answers.mjs <directory of k8s.io/api>/testdata/HEAD
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [directory] = process.argv.slice(2)
/** Answers and options that no client sends as a body. */
const NEVER_SENT =
  /^core\.v1\.(?!DeleteOptions)\w*(Options|WatchEvent|APIGroup|APIVersions|RangeAllocation|PodStatusResult|SerializedReference)\.|^(admission|apidiscovery)\./
const lines = readdirSync(directory)
  .filter(file => /\.v\d+\.[A-Z]\w+\.pb$/.test(file) && !NEVER_SENT.test(file))
  .map(file => {
    const name = file.slice(0, -'.pb'.length)
    const protobuf = readFileSync(join(directory, file)).toString('base64')
    const json = JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8'))
    return JSON.stringify({ name, protobuf, json })
  })
const target = new URL('../src/protobuf/testdata/protobuf-answers.jsonl', import.meta.url)
writeFileSync(target, `${lines.join('\n')}\n`)
console.log(`${lines.length} kinds`)
