import { describe, expect, it } from 'vitest'
import { bold, createTerminal, dim, red } from './terminal.ts'

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
