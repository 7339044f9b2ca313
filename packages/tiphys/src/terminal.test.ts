import { describe, expect, it } from 'vitest'
import { bold, createTerminal, cutTo, dim, padTo, red, widthOf } from './terminal.ts'
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

describe('what was recorded of others', () => {
  const printed = (isTTY: boolean, line: string) => {
    let text = ''
    const stdout = { isTTY, write: (piece: string) => void (text += piece) }
    createTerminal({ stdout, stderr: stream(true) }, {}).out.print(line)
    return text
  }
  const hostile = 'a\x1b[2Jb\x1b]0;title\x07c\rd\u009b1me\u202ef'

  it('moves no cursor and renames no window', () => {
    expect(printed(true, hostile)).toBe('a·[2Jb·]0;title·c·d·1me·f\n')
    expect(printed(true, 'a\tb\nc \x1b[31mred\x1b[39m')).toBe('a\tb\nc \x1b[31mred\x1b[39m\n')
  })

  it('goes into a file as it is', () => expect(printed(false, hostile)).toBe(`${hostile}\n`))
})

describe('pinned lines', () => {
  it('stay below what is printed on either stream, and leave nothing behind', () => {
    const screen = new Screen()
    const err = { isTTY: true, write: (text: string) => screen.write(text) }
    const { out, err: errors, pin } = createTerminal({ stdout: screen, stderr: err }, {})
    let count = 0
    const pinned = pin(() => [`${count} events`])
    out.print('one')
    count = 1
    pinned.renew()
    errors.print('two')
    expect(screen.lines).toEqual(['one', 'two', '1 events'])
    pinned.remove()
    out.print('three')
    expect(screen.lines).toEqual(['one', 'two', 'three', ''])
  })

  it('are cut rather than broken, also when the screen becomes narrower', () => {
    const screen = new Screen()
    const { out, pin } = createTerminal({ stdout: screen, stderr: stream(true) }, {})
    pin(() => ['x'.repeat(50)])
    out.print('one')
    expect(screen.lines).toEqual(['one', `${'x'.repeat(36)}…`])
    screen.resize(20)
    expect(screen.lines).toEqual(['one', `${'x'.repeat(16)}…`])
  })

  it('are drawn over what they were, however many they become, and never fill the screen', () => {
    const screen = new Screen()
    const { out, pin } = createTerminal({ stdout: screen, stderr: stream(true) }, {})
    let lines = ['a', 'b']
    const pinned = pin(() => lines)
    for (const next of [['a', 'c', 'd'], ['e'], Array.from({ length: 20 }, (_, i) => `${i}`)]) {
      lines = next
      pinned.renew()
      expect(screen.lines).toEqual(next.slice(0, screen.rows - 1))
    }
    out.print('above')
    expect(screen.lines.slice(0, 3)).toEqual(['above', '0', '1'])
    lines = ['y'.repeat(30), 'z'.repeat(30)]
    pinned.renew()
    screen.resize(20)
    expect(screen.lines).toEqual(['above', `${'y'.repeat(16)}…`, `${'z'.repeat(16)}…`])
    pinned.remove()
    expect(screen.lines).toEqual(['above', ''])
  })

  it('are not there for a file, a pipe or a terminal that cannot move its cursor', () => {
    const written: string[] = []
    const write = (text: string) => written.push(text)
    for (const [isTTY, env] of [
      [false, {}],
      [true, { TERM: 'dumb' }],
    ] as const) {
      const { out, pin } = createTerminal({ stdout: { isTTY, write }, stderr: stream(true) }, env)
      pin(() => ['pinned']).renew()
      out.print('line')
    }
    expect(written).toEqual(['line\n', 'line\n'])
  })

  it('leave alone what goes to a file beside it', () => {
    const screen = new Screen()
    const written: string[] = []
    const { err, pin } = createTerminal({ stdout: screen, stderr: { write: text => written.push(text) } }, {})
    pin(() => ['pinned'])
    err.print('logged')
    expect([written, screen.lines]).toEqual([['logged\n'], ['pinned']])
  })
})

describe('a text of some width', () => {
  const { out } = createTerminal({ stdout: stream(true), stderr: stream(true) }, {})

  it('is measured as it is seen', () => {
    expect([widthOf('abc'), widthOf(red(out, 'abc')), widthOf('✔ 日本'), widthOf('e\u0301')]).toEqual([3, 3, 6, 1])
    expect(padTo(red(out, 'ab'), 4)).toBe(`${red(out, 'ab')}  `)
  })

  it('is cut where it is too long, and its styles end', () => {
    expect(cutTo('abcd', 4)).toBe('abcd')
    expect(cutTo('abcde', 4)).toBe('abc…')
    expect(cutTo(`${red(out, 'ab')}${dim(out, 'cdef')}`, 4)).toBe(`${red(out, 'ab')}${dim(out, 'c…')}`)
    expect(cutTo('日本語', 4)).toBe('日…')
  })
})
