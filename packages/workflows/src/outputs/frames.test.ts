import { describe, expect, it } from 'vitest'
import { createFrameReader, type Frame } from './frames.ts'

const read = (chunks: readonly string[], nonce = 'n0') => {
  const frames: Frame[] = []
  const reader = createFrameReader(nonce, frame => frames.push(frame))
  const own = Buffer.concat([...chunks.map(chunk => reader.push(Buffer.from(chunk))), reader.end()]).toString()
  return { own, frames: frames.map(({ type, name, content }) => [type, name, content.toString()]) }
}

const LOG =
  'hello\nworld\n\n::tiphys:n0:base64:parameter:a\naGk=\n::tiphys:n0:end:parameter:a\n::tiphys:n0:missing:parameter:b\n::tiphys:n0:held:7\n'
const EXPECTED = {
  own: 'hello\nworld\n',
  frames: [
    ['content', 'parameter:a', 'hi'],
    ['missing', 'parameter:b', ''],
    ['held', '7', ''],
  ],
}

describe('the frames in a log', () => {
  it('are taken out of what the command printed', () => {
    expect(read([LOG])).toEqual(EXPECTED)
  })

  it('are found wherever the log is cut', () => {
    for (let at = 0; at <= LOG.length; at++) expect(read([LOG.slice(0, at), LOG.slice(at)])).toEqual(EXPECTED)
    expect(read(LOG.split(''))).toEqual(EXPECTED)
  })

  it('follow output that does not end with a line break', () => {
    expect(read(['no end\n::tiphys:n0:missing:x\n'])).toEqual({ own: 'no end', frames: [['missing', 'x', '']] })
  })

  it('may have lines of others between them', () => {
    const log = '\n::tiphys:n0:hex:x\n 68 69\nstill here!\n 0a\n::tiphys:n0:end:x\nbye\n'
    expect(read([log])).toEqual({ own: 'still here!\nbye\n', frames: [['content', 'x', 'hi\n']] })
  })

  it('of another nonce are what the command printed', () => {
    expect(read([LOG], 'n1')).toEqual({ own: LOG, frames: [] })
  })
})
