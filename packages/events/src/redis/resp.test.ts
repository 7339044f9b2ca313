import { describe, expect, it } from 'vitest'
import { encodeCommand, RedisFailure, type RedisReply, ReplyReader } from './resp.ts'

function readAll(...chunks: (string | Buffer)[]): RedisReply[] {
  const reader = new ReplyReader()
  const replies: RedisReply[] = []
  for (const chunk of chunks) {
    reader.push(Buffer.from(chunk as string))
    for (let reply = reader.next(); reply !== undefined; reply = reader.next()) replies.push(reply)
  }
  return replies
}

describe('replies', () => {
  const text =
    '+OK\r\n:-42\r\n$5\r\nhel\r\n\r\n$-1\r\n*-1\r\n*2\r\n$1\r\na\r\n*1\r\n:7\r\n-ERR no\r\n$6\r\ngrüß\r\n*0\r\n$0\r\n\r\n'
  const replies = ['OK', -42, 'hel\r\n', null, null, ['a', [7]], new RedisFailure('ERR no'), 'grüß', [], '']

  it('are read', () => {
    expect(readAll(text)).toEqual(replies)
  })

  it('are read however they are cut', () => {
    const bytes = Buffer.from(text)
    for (const size of [1, 2, 3, 5, 7, 11]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      )
      expect(readAll(...chunks)).toEqual(replies)
    }
  })

  it.each([
    'HTTP/1.1 400 Bad Request\r\n',
    '$99999999999999\r\n',
    '*9999999999\r\n',
    ':x\r\n',
    '$-7\r\n',
    '*1\r\n'.repeat(100),
  ])('are refused when they are none: %j', wrong => {
    expect(() => readAll(wrong)).toThrow(Error)
  })

  it('a line without an end does not fill the memory', () => {
    expect(() => readAll(`+${'x'.repeat(70_000)}`)).toThrow('a line of the server has no end')
  })
})

it('a command is a list of texts, measured in bytes', () => {
  expect(encodeCommand(['SET', 'grüß', 7]).toString()).toBe('*3\r\n$3\r\nSET\r\n$6\r\ngrüß\r\n$1\r\n7\r\n')
})
