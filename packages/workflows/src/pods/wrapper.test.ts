import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createFrameReader, type Frame } from '../outputs/frames.ts'
import { MAX_OUTPUT_BYTES } from '../outputs/output-limit.ts'
import { WRAPPER_FOLDER, type Wrapping, wrapped } from './wrapper.ts'

const folder = mkdtempSync(join(tmpdir(), 'tiphys-wrapper-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const start = (script: string, wrapping: Partial<Wrapping> = {}): ChildProcess => {
  const [program = '', ...args] = wrapped(['sh', '-c', script], { nonce: 'n0', ...wrapping }).map(word =>
    // As Kubernetes does it.
    word.replaceAll('$$', () => '$').replaceAll(`${WRAPPER_FOLDER}/`, `${folder}/`),
  )
  return spawn(program, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] })
}

const finish = async (child: ChildProcess, onHeld?: (pid: string) => void) => {
  const frames: Frame[] = []
  const reader = createFrameReader('n0', frame => {
    frames.push(frame)
    if (frame.type === 'held') onHeld?.(frame.name)
  })
  const own: Buffer[] = []
  let errors = ''
  child.stdout?.on('data', (bytes: Buffer) => own.push(reader.push(bytes)))
  child.stderr?.on('data', (bytes: Buffer) => {
    errors += bytes.toString()
  })
  // Most commands do not read it.
  child.stdin?.on('error', () => {}).end('from outside\n')
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, own: Buffer.concat([...own, reader.end()]).toString(), errors, frames }
}

const contents = (frames: readonly Frame[]) =>
  Object.fromEntries(frames.map(({ name, type, content }) => [name, type === 'content' ? content.toString() : type]))

describe('the wrapper of a command', () => {
  it('prints files after the command, and says which are missing', async () => {
    const files = [
      { name: 'parameter:a', path: `${folder}/it's a` },
      { name: 'parameter:b', path: `${folder}/nowhere` },
      { name: 'parameter:c', path: folder },
    ]
    const { code, own, frames } = await finish(start(`echo hello; printf 'x\\ny' >"it's a"; printf done`, { files }))
    expect({ code, own }).toEqual({ code: 0, own: 'hello\ndone' })
    expect(contents(frames)).toEqual({ 'parameter:a': 'x\ny', 'parameter:b': 'missing', 'parameter:c': 'unreadable' })
  })

  it('prints one byte more than may be, and not a large file', async () => {
    const files = [{ name: 'parameter:big', path: `${folder}/big` }]
    const { frames } = await finish(start('head -c 1000000 /dev/zero >big', { files }))
    expect(frames[0]?.content.length).toBe(MAX_OUTPUT_BYTES + 1)
  })

  it.each([0, 3, 127, 255])('ends with the command’s own exit code %d', async exit => {
    const { code } = await finish(start(`exit ${exit}`, { files: [{ name: 'x', path: 'x' }] }))
    expect(code).toBe(exit)
  })

  it('ends as a shell does when a signal ended the command', async () => {
    expect((await finish(start('kill -KILL $$$$', { files: [{ name: 'x', path: 'x' }] }))).code).toBe(137)
  })

  it('hands SIGTERM on, waits for the command, and still prints its files', async () => {
    const files = [{ name: 'parameter:last', path: `${folder}/last` }]
    const child = start(
      `trap 'echo goodbye; echo saved >last; exit 7' TERM; echo ready; while :; do sleep 0.05; done`,
      { files },
    )
    child.stdout?.once('data', () => child.kill('SIGTERM'))
    const { code, own, frames } = await finish(child)
    expect({ code, own, ...contents(frames) }).toEqual({
      code: 7,
      own: 'ready\ngoodbye\n',
      'parameter:last': 'saved\n',
    })
  })

  it('leaves the standard input to the command', async () => {
    expect((await finish(start('cat', { files: [{ name: 'x', path: 'x' }] }))).own).toBe('from outside\n')
  })

  it('keeps the standard output apart from the standard error', async () => {
    const { code, own, errors, frames } = await finish(start('echo out; echo err >&2; exit 2', { keepsResult: true }))
    expect({ code, own, errors, ...contents(frames) }).toEqual({
      code: 2,
      own: 'out\n',
      errors: 'err\n',
      result: 'out\n',
    })
  })

  it('stays until it is released', async () => {
    const child = start('echo hello', { holds: true })
    const { code, own, frames } = await finish(child, pid => process.kill(Number(pid), 'SIGUSR1'))
    expect({ code, own, types: frames.map(({ type }) => type) }).toEqual({ code: 0, own: 'hello\n', types: ['held'] })
  })

  it('stays no longer when it is told to end', async () => {
    const child = start('exit 5', { holds: true })
    expect((await finish(child, () => child.kill('SIGTERM'))).code).toBe(5)
  })

  it('waits for other containers, and fails with them', async () => {
    const b = finish(start('echo b', { waitsFor: ['a'] }))
    const a = await finish(start('echo a', { reportsAs: 'a' }))
    expect([a.code, (await b).code, (await b).own]).toEqual([0, 0, 'b\n'])
    await finish(start('exit 1', { reportsAs: 'c' }))
    const d = await finish(start('echo never', { waitsFor: ['c'], reportsAs: 'd' }))
    expect([d.code, d.own, d.errors]).toEqual([64, '', 'the container c failed\n'])
    expect((await finish(start('echo never', { waitsFor: ['d'] }))).errors).toBe('the container d failed\n')
  })

  it('starts a failed command again as often as it is told', async () => {
    const script = 'echo x >>tries; [ $(wc -l <tries) = 3 ]'
    expect((await finish(start(script, { retries: { count: 5, pauseSeconds: 0 } }))).code).toBe(0)
    expect((await finish(start('exit 4', { retries: { count: 1, pauseSeconds: 0 } }))).code).toBe(4)
  })
})
