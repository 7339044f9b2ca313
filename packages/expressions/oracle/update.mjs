// Regenerates the cases and their answers in testdata. Needs Go; the answers come from the modules in go.mod.
//   node packages/expressions/oracle/update.mjs [cel|gjson|...]
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const testdata = join(here, '..', 'testdata')
const kinds = {
  cel: async () => {
    const { cases, fixtures } = await import('./cases/cel.mjs')
    writeFileSync(join(testdata, 'cel-fixtures.json'), `${JSON.stringify(fixtures)}\n`)
    return cases.map(oneCase => ({ ...oneCase, resolved: resolve(oneCase, fixtures) }))
  },
  cron: async () => (await import('./cases/cron.mjs')).cases,
  duration: async () => (await import('./cases/duration.mjs')).cases,
  expr: async () => {
    const { cases, environments } = await import('./cases/expr.mjs')
    writeFileSync(join(testdata, 'expr-environments.json'), `${JSON.stringify(environments)}\n`)
    return cases.map(({ n, ...rest }) => ({ n, ...rest, resolved: { ...rest, env: environments[n] } }))
  },
  gjson: async () => {
    const { cases, documents } = await import('./cases/gjson.mjs')
    writeFileSync(join(testdata, 'gjson-documents.json'), `${JSON.stringify(documents, null, 1)}\n`)
    return cases.map(oneCase => ({ ...oneCase, resolved: { ...oneCase, j: documents[oneCase.j] } }))
  },
  jq: async () => (await import('./cases/jq.mjs')).cases,
  govaluate: async () => {
    const { cases, shared } = await import('./cases/govaluate.mjs')
    writeFileSync(join(testdata, 'govaluate-parameters.json'), `${JSON.stringify(shared, null, 1)}\n`)
    return cases.map(({ p, e }) => ({ e, resolved: { e, p } }))
  },
  jsonpath: async () => (await import('./cases/jsonpath.mjs')).cases,
  lua: async () => (await import('./cases/lua.mjs')).cases,
  quantity: async () => (await import('./cases/quantity.mjs')).cases,
  sjson: async () => {
    const { cases, documents } = await import('./cases/sjson.mjs')
    writeFileSync(join(testdata, 'sjson-documents.json'), `${JSON.stringify(documents, null, 1)}\n`)
    return cases.map(oneCase => ({ ...oneCase, resolved: { ...oneCase, j: documents[oneCase.j] } }))
  },
  regex: async () => (await import('./cases/regex.mjs')).cases,
  sprig: () => templateCases('sprig'),
  template: () => templateCases('template'),
  time: async () => (await import('./cases/time.mjs')).cases,
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(kinds)
const work = mkdtempSync(join(tmpdir(), 'expressions-oracle-'))
const binary = join(work, 'oracle')
try {
  execFileSync('go', ['build', '-o', binary, '.'], { cwd: here, stdio: 'inherit' })
  for (const kind of wanted) {
    const cases = unique(await kinds[kind]())
    const input = cases.map(({ resolved, ...oneCase }) => JSON.stringify(resolved ?? oneCase)).join('\n')
    const runs = Array.from({ length: kind === 'cel' || kind === 'expr' ? 6 : 2 }, () =>
      ask(binary, kind, input, cases.length),
    )
    const lines = cases
      .map(
        ({ resolved: _resolved, ...oneCase }, index) =>
          `{"case":${JSON.stringify(oneCase)},"answer":${runs[0][index]}}`,
      )
      .filter((_, index) => isSettled(runs.map(answers => answers[index])))
    writeFileSync(join(testdata, `${kind}.jsonl`), `${lines.join('\n')}\n`)
    console.log(`${kind}: ${lines.length} cases`)
  }
} finally {
  rmSync(work, { recursive: true })
}

function ask(binary, kind, input, count) {
  const output = execFileSync(binary, [kind], { input, maxBuffer: 1 << 28, encoding: 'utf8' })
  const answers = output.trim().split('\n')
  if (answers.length !== count) throw new Error(`${kind}: ${count} cases, ${answers.length} answers`)
  return answers
}

// Go goes over maps in random order; a case whose answer depends on it says nothing. Nor does one that makes Go panic.
function isSettled(answers) {
  return answers.every(answer => answer === answers[0]) && !answers[0].startsWith('{"panic"')
}

// Puts the named schemas and values in.
function resolve({ schema, value, oldValue, ...rest }, { schemas, values }) {
  return {
    ...rest,
    ...(schema === undefined ? {} : { s: schemas[schema] }),
    ...(value === undefined ? {} : { self: values[value] }),
    ...(oldValue === undefined ? {} : { old: values[oldValue] }),
  }
}

function unique(cases) {
  const seen = new Map(cases.map(oneCase => [JSON.stringify(oneCase), oneCase]))
  return [...seen.values()]
}

async function templateCases(name) {
  const { cases, documents } = await import(`./cases/${name}.mjs`)
  writeFileSync(join(testdata, `${name}-data.json`), `${JSON.stringify(documents)}\n`)
  return cases.map(oneCase => ({ ...oneCase, resolved: { ...oneCase, d: documents[oneCase.d] } }))
}
