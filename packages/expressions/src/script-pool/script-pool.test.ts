import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createScriptPool, ScriptFailure, type ScriptPool } from './index.ts'

let folder: string
let pool: ScriptPool

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-scripts-'))
  await build({
    entryPoints: { worker: fileURLToPath(new URL('./worker-program.ts', import.meta.url)) },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  })
  pool = createScriptPool({ workerProgram: join(folder, 'worker.mjs'), size: 2 })
})

afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true, force: true })
})

const event = JSON.stringify({ b: 2, a: [1, 2, 3] })

/** Ends as soon as it can, so that later tests find both workers warm. */
async function settle(): Promise<void> {
  await Promise.all([0, 1].map(() => pool.run({ language: 'jq', program: '.', input: '{}' })))
}

describe('a pool of scripts', () => {
  test('runs jq, Lua and templates', async () => {
    const transformed = await pool.run({ language: 'jq', program: '{sum: (.a | add), b}', input: event })
    expect(transformed).toBe('{"b":2,"sum":6}')
    const script = 'event.n = #event.a return event'
    expect(await pool.run({ language: 'lua', program: script, input: event })).toBe('{"a":[1,2,3],"b":2,"n":3}')
    expect(await pool.run({ language: 'lua-filter', program: 'return event.b > 1', input: event })).toBe('true')
    const template = { language: 'template', program: '{{ .b }}-{{ len .a }}', input: event }
    expect(await pool.run(template)).toBe('"2-3"')
  })

  test('says why a script failed', async () => {
    const failures = [
      { language: 'jq', program: '.a +', input: event },
      { language: 'jq', program: '.b.c', input: event },
      { language: 'lua', program: 'return nope.x', input: event },
      { language: 'cobol', program: '', input: event },
    ].map(request => pool.run(request).catch((error: unknown) => error))
    const messages = (await Promise.all(failures)).map(failure => (failure as ScriptFailure).message)
    expect(messages).toEqual([
      'The script failed: unexpected EOF',
      'The script failed: expected an object but got: number (2)',
      "The script failed: <string>:1: attempt to index a non-table object(nil) with key 'x'",
      'The script failed: the language cobol is not known',
    ])
  })

  test('runs more scripts than it has workers, each with its own result', async () => {
    const wanted = Array.from({ length: 40 }, (_job, index) => index)
    const outputs = await Promise.all(
      wanted.map(index => pool.run({ language: 'jq', program: `{n: ${index}}`, input: '{}' })),
    )
    expect(outputs).toEqual(wanted.map(index => `{"n":${index}}`))
  })

  test('ends scripts that take too long, while others go on and the process does not notice', async () => {
    await settle()
    const before = performance.eventLoopUtilization()
    const bombs = [
      { language: 'jq', program: 'def f: f; f', input: '{}' },
      { language: 'lua', program: 'while true do end', input: '{}' },
    ]
    const started = performance.now()
    const ended = bombs.map(async bomb => {
      const failure = await pool.run(bomb).catch((error: unknown) => error)
      return { failure, after: performance.now() - started }
    })
    const innocent = pool.run({ language: 'jq', program: '.', input: event })
    for (const { failure, after } of await Promise.all(ended)) {
      expect(failure).toBeInstanceOf(ScriptFailure)
      expect((failure as ScriptFailure).problem).toBe('limit')
      expect((failure as ScriptFailure).message).toBe('The script was stopped: it ran for more than 1000 ms')
      expect(after).toBeGreaterThan(990)
    }
    expect(await innocent).toBe('{"a":[1,2,3],"b":2}')
    // For how much of the time this thread was held, not how late its turn came: the machine of the tests has other things
    // to do. A script that ran here would hold it for all of the time.
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.1)
  })

  test.each([
    ['jq', '[range(1e9)]'],
    ['jq', 'def f: [., .] | f; f'],
    ['jq', 'reduce range(1e6) as $i ([]; . + [[range(100)]])'],
    ['lua', 'local t = {} while true do t[#t + 1] = {1, 2, 3, 4} end'],
    ['lua', 'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end return t'],
    ['template', '{{ range $i := until 1000000 }}{{ range $j := until 1000000 }}{{ $i }}{{ $j }}{{ end }}{{ end }}'],
  ])('stops a %s script that takes more and more: %s', async (language, program) => {
    const before = process.memoryUsage().rss
    const failure = await pool.run({ language, program, input: '{}' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ScriptFailure)
    expect((failure as ScriptFailure).problem).toBe('limit')
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(200)
    expect(await pool.run({ language: 'jq', program: '.', input: '{}' })).toBe('{}')
  })

  test('ends workers at their limit of memory, and the process lives on', async () => {
    const patient = createScriptPool({ workerProgram: join(folder, 'worker.mjs'), size: 1, timeMs: 20_000 })
    const bombs = [
      ['jq', 'reduce range(200) as $i ([]; . + [("x" * 2000000) + "\\($i)"]) | map(test("z"))'],
      ['jq', '[range(50) | ("日" * 1000000) | tojson] | length'],
      ['lua', 'local t = {} for i = 1, 1000 do t[i] = (("x"):rep(2000000) .. i):upper() end return t'],
      ['lua', 'local t = {} for i = 1, 100 do t[i] = {} t[i][1000000] = 1 end return t'],
    ] as const
    for (const [language, program] of bombs)
      await expect(patient.run({ language, program, input: '{}' })).rejects.toThrow(/more than 64 MB of memory/)
    // Larger steps than V8 survives are refused beforehand.
    const leaps = [
      ['jq', '"x" * 20000000'],
      ['jq', '[range(1e9)]'],
      ['lua', 'return ("x"):rep(20000000)'],
      ['lua', 'local t = {} t[60000000] = 1'],
    ] as const
    for (const [language, program] of leaps)
      await expect(patient.run({ language, program, input: '{}' })).rejects.toThrow(/makes a/)
    await patient.close()
  })

  test('refuses results that are too long', async () => {
    const program = '{a: ("x" * 2000000)}'
    await expect(pool.run({ language: 'jq', program, input: '{}' })).rejects.toThrow(/more than 1048576 characters/)
  })

  test('rejects everything when no worker can be started', async () => {
    const broken = createScriptPool({ workerProgram: join(folder, 'missing.mjs'), size: 1 })
    await expect(broken.run({ language: 'jq', program: '.', input: '{}' })).rejects.toThrow(/Cannot find module/)
    await broken.close()
  })

  test('rejects what runs and waits when it is closed', async () => {
    const closing = createScriptPool({ workerProgram: join(folder, 'worker.mjs'), size: 1 })
    const outcomes = ['def f: f; f', '.'].map(program =>
      closing.run({ language: 'jq', program, input: '{}' }).catch((error: unknown) => (error as Error).message),
    )
    await closing.close()
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatch(/the pool of scripts is closed/)
    await expect(closing.run({ language: 'jq', program: '.', input: '{}' })).rejects.toThrow(/closed/)
  })
})
