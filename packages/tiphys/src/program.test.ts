import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { reportError, runProgram } from './program.ts'
import { dataFolder } from './session/data-folder.ts'
import { writeServerFile } from './session/server-file.ts'
import { createTerminal } from './terminal.ts'
import { Screen } from './terminal-screen.ts'
import { builtCommand, runTiphys } from './tiphys-process.ts'

async function call(...argv: string[]) {
  let out = ''
  let err = ''
  const streams = {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  }
  const code = await runProgram(argv, createTerminal(streams, {}), new AbortController().signal)
  return { code, out, err }
}

describe('help', () => {
  it('groups the commands and shows examples', async () => {
    const { code, out } = await call('--help')
    expect(code).toBe(0)
    for (const { name, group, summary } of COMMANDS) {
      expect(out).toMatch(new RegExp(`^${group}:$`, 'm'))
      expect(out).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'))
    }
    expect(out).toMatch(/^Examples:\n {2}tiphys init my-operator\n.*\n {2}tiphys up my-operator\n/m)
  })

  it('is the same however it is asked for', async () => {
    const { out } = await call('--help')
    for (const argv of [[], ['help'], ['-h']]) expect(await call(...argv)).toEqual({ code: 0, out, err: '' })
  })

  it('of a command lists every flag', async () => {
    const { out } = await call('cluster', '--help')
    for (const flag of ['--port PORT', '--data DIR', '--memory', '--kubeconfig-out FILE', '--json', '--verbose'])
      expect(out).toContain(`\n  ${flag} `)
    expect(await call('help', 'cluster')).toEqual({ code: 0, out, err: '' })
  })

  it('of a command says what every word of its usage stands for, and what a flag takes', async () => {
    for (const { name, operands } of COMMANDS.filter(({ operands }) => operands && !operands.choices)) {
      const words = operands?.usage.match(/\b[A-Z]+(?:\/[A-Z]+)?\b/g) ?? []
      const { out } = await call(name, '--help')
      const where = out.slice(out.indexOf('Where:'), out.indexOf('Flags:'))
      for (const word of words) expect(where, `${name}: ${word}`).toContain(word)
    }
    expect((await call('up', '--help')).out).toMatch(/--runtime NAME .*\n +one of auto, process, docker, simulated\n/)
  })

  it('keeps within 100 columns', async () => {
    for (const argv of [['--help'], ...COMMANDS.map(({ name }) => [name, '--help'])]) {
      const { out } = await call(...argv)
      for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100)
    }
  })
})

it('help keeps its columns on a screen that is narrower', async () => {
  const screen = new Screen(60)
  const terminal = createTerminal({ stdout: screen, stderr: screen }, {})
  await runProgram(['logs', '--help'], terminal, new AbortController().signal)
  expect(screen.lines.join('\n')).toContain(`
  STEP  the name of a step, as tiphys get run RUN shows it

Flags:
  -f, --follow        go on until the run ends
  -n, --namespace NS  where it is (anywhere; the newest)
  --data DIR          where everything is kept (.tiphys)
  --json              print JSON instead of text
  --help              show this help
  --verbose           log more, and show the stack of an
                      error
`)
})

describe('what is not understood ends with 2 and one line that helps', () => {
  it.each([
    [['clutser'], 'there is no command "clutser". Did you mean cluster?'],
    [['frobnicate'], 'there is no command "frobnicate". tiphys --help lists the commands'],
    [['version'], 'there is no command "version". Did you mean --version?'],
    [['--verison'], 'there is no flag --verison. Did you mean --version?'],
    [['help', 'clutser'], 'there is no command "clutser". Did you mean cluster?'],
    [['cluster', '--prot', '1'], 'there is no flag --prot. Did you mean --port?'],
    [['cluster', '--frobnicate'], 'there is no flag --frobnicate. tiphys cluster --help lists what it takes'],
    [['cluster', 'here'], 'cluster does not take "here". tiphys cluster --help lists what it takes'],
    [['cluster', '--port'], '--port needs a PORT. tiphys cluster --help lists what it takes'],
    [['cluster', '--port', '--json'], '--port needs a PORT. tiphys cluster --help lists what it takes'],
    [['cluster', '--memory=yes'], '--memory takes no value. tiphys cluster --help lists what it takes'],
    [['logs'], 'logs needs RUN [STEP]. tiphys logs --help lists what it takes'],
    [['completion'], 'completion needs the name of a shell. It takes one of bash, zsh, fish'],
    [['completion', 'tcsh'], 'completion does not know "tcsh". It takes one of bash, zsh, fish'],
  ])('%j', async (argv, message) => {
    expect(await call(...argv)).toEqual({ code: 2, out: '', err: `error: ${message}\n` })
  })
})

describe('an error', () => {
  const report = (thrown: unknown, ...argv: string[]) => {
    let err = ''
    const silent = { write: () => {} }
    reportError(thrown, createTerminal({ stdout: silent, stderr: { write: text => (err += text) } }, {}), argv)
    return err
  }

  it('that nobody foresaw is called a defect, and its stack is kept for --verbose', () => {
    const error = new TypeError('x is not a function\nreally')
    expect(report(error)).toBe(
      'error: x is not a function really\nThis is a defect in tiphys. Run the command again with --verbose to see where it happened.\n',
    )
    expect(report(error, '--verbose')).toContain('program.test.ts')
  })

  it('may be anything that was thrown', () => expect(report('words')).toMatch(/^error: words\n/))
})

describe('the built command', () => {
  it('answers --version with nothing but itself and its package.json, which is why that is quick', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tiphys-version-'))
    try {
      await mkdir(join(folder, 'bin'))
      const packageJson = new URL('../package.json', import.meta.url)
      const { version } = JSON.parse(await readFile(packageJson, 'utf8')) as { version: string }
      await cp(packageJson, join(folder, 'package.json'))
      await cp(builtCommand, join(folder, 'bin/tiphys.js'))
      const answer = await runTiphys(['--version'], { command: join(folder, 'bin/tiphys.js') })
      expect(answer).toEqual({ code: 0, out: `${version}\n`, err: '' })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('shows help without loading any command', async () => {
    const main = await readFile(new URL('../dist/main.js', import.meta.url), 'utf8')
    const loadedAtOnce = [...main.matchAll(/from"([^"]+)"/g)].map(([, name]) => name)
    expect(loadedAtOnce.filter(name => name?.startsWith('node:') === false && !name.startsWith('./chunk-'))).toEqual([])
    expect(main.length).toBeLessThan(20_000)
    expect((await runTiphys(['--help'])).code).toBe(0)
  })

  it('ends with 2 for an unknown command', async () => {
    expect(await runTiphys(['clutser'])).toMatchObject({ code: 2, out: '' })
  })
})

describe('who interrupts a command', () => {
  it('does not wait with it for somebody who does not answer', async () => {
    const path = await mkdtemp(join(tmpdir(), 'tiphys-program-'))
    const interruption = new AbortController()
    // It says that it is there, and no more.
    const server = createServer(({ url }, answer) => (url?.endsWith('/ping') ? answer.end('{}') : interruption.abort()))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const instance = { command: 'up', pid: process.pid, version: '0', kubeconfig: '', manifests: [] } as const
    await writeServerFile(dataFolder(path), { ...instance, url, token: 't' })
    const streams = { stdout: { write: () => {} }, stderr: { write: () => {} } }
    const terminal = createTerminal(streams, {})
    expect(await runProgram(['runs', '--data', path], terminal, interruption.signal, 1)).toBe(130)
    server.closeAllConnections()
    server.close()
    await rm(path, { recursive: true })
  })
})
