import { describe, expect, it } from 'vitest'
import { bold, createTerminal, dim, red } from './terminal.ts'
import { Screen } from './terminal-screen.ts'

const stream = (isTTY: boolean) => ({ isTTY, write: () => {} })
const coloursOf = (out: boolean, err: boolean, env: Record<string, string> = {}) => {
  const terminal = createTerminal({ stdout: stream(out), stderr: stream(err) }, env)
  return { out: terminal.out.hasColours, err: terminal.err.hasColours }
}

describe('colours', () => {
  it('are shown on a terminal', () => expect(coloursOf(true, true)).toEqual({ out: true, err: true }))

  it('never reach a file, whatever the other stream is', () => {
    expect(coloursOf(false, true)).toEqual({ out: false, err: true })
    expect(coloursOf(true, false)).toEqual({ out: true, err: false })
  })

  it('are off with NO_COLOR unless that is empty, and on a dumb terminal', () => {
    expect(coloursOf(true, true, { NO_COLOR: '1' })).toEqual({ out: false, err: false })
    expect(coloursOf(true, true, { NO_COLOR: '' })).toEqual({ out: true, err: true })
    expect(coloursOf(true, true, { TERM: 'dumb' })).toEqual({ out: false, err: false })
  })

  it('surround the words and nothing else', () => {
    const { out } = createTerminal({ stdout: stream(true), stderr: stream(true) }, {})
    const { out: plain } = createTerminal({ stdout: stream(false), stderr: stream(false) }, {})
    for (const style of [bold, dim, red]) {
      expect(style(plain, 'words')).toBe('words')
      expect(style(out, 'words').replaceAll(/\x1b\[\d+m/g, '')).toBe('words')
    }
  })
})

describe('a pinned line', () => {
  it('stays below what is printed on either stream, and leaves nothing behind', () => {
    const screen = new Screen()
    const err = { isTTY: true, write: (text: string) => screen.write(text) }
    const { out, err: errors, pin } = createTerminal({ stdout: screen, stderr: err }, {})
    let count = 0
    const pinned = pin(() => `${count} events`)
    out.print('one')
    count = 1
    pinned.renew()
    errors.print('two')
    expect(screen.lines).toEqual(['one', 'two', '1 events'])
    pinned.remove()
    out.print('three')
    expect(screen.lines).toEqual(['one', 'two', 'three', ''])
  })

  it('is cut rather than broken, also when the screen becomes narrower', () => {
    const screen = new Screen()
    const { out, pin } = createTerminal({ stdout: screen, stderr: stream(true) }, {})
    pin(() => 'x'.repeat(50))
    out.print('one')
    expect(screen.lines).toEqual(['one', 'x'.repeat(39)])
    screen.resize(20)
    expect(screen.lines).toEqual(['one', 'x'.repeat(19)])
  })

  it('is not there for a file, a pipe or a terminal that cannot move its cursor', () => {
    const written: string[] = []
    const write = (text: string) => written.push(text)
    for (const [isTTY, env] of [
      [false, {}],
      [true, { TERM: 'dumb' }],
    ] as const) {
      const { out, pin } = createTerminal({ stdout: { isTTY, write }, stderr: stream(true) }, env)
      pin(() => 'pinned').renew()
      out.print('line')
    }
    expect(written).toEqual(['line\n', 'line\n'])
  })

  it('leaves alone what goes to a file beside it', () => {
    const screen = new Screen()
    const written: string[] = []
    const { err, pin } = createTerminal({ stdout: screen, stderr: { write: text => written.push(text) } }, {})
    pin(() => 'pinned')
    err.print('logged')
    expect([written, screen.lines]).toEqual([['logged\n'], ['pinned']])
  })
})
