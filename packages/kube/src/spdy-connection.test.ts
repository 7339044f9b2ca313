import { readFileSync } from 'node:fs'
import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createSpdyConnection, type SpdyStream } from './spdy-connection.ts'
import { encodeFrame, type SpdyFrame, SpdyFrameReader } from './spdy-framer.ts'
import { SpdyHeaderReader, SpdyHeaderWriter } from './spdy-headers.ts'

const [written, read] = readFileSync(new URL('../testdata/spdy.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line)) as [{ format: string }, { text: string; documents: string[]; error?: string }]

describe('frames', () => {
  it('of Go are understood, in any pieces', async () => {
    const bytes = Buffer.from(written.format, 'hex')
    const reader = new SpdyFrameReader()
    const frames = [...bytes].flatMap(byte => reader.push(Uint8Array.of(byte)))
    const headers = new SpdyHeaderReader()
    const seen: unknown[] = []
    for (const frame of frames) {
      const { headerBlock, ...rest } = frame as SpdyFrame & { headerBlock?: Uint8Array }
      seen.push(headerBlock ? { ...rest, headers: await headers.read(headerBlock) } : rest)
    }
    const of = (streamtype: string) => ({ streamtype, port: '8080', requestid: '0' })
    expect(seen).toEqual([
      { type: 'syn-stream', streamId: 1, isLast: false, priority: 0, headers: of('error') },
      { type: 'data', streamId: 1, data: Buffer.alloc(0), isLast: true },
      { type: 'syn-stream', streamId: 3, isLast: false, priority: 2, headers: of('data') },
      { type: 'syn-reply', streamId: 1, isLast: false, headers: {} },
      { type: 'data', streamId: 3, data: Buffer.from('hello'), isLast: false },
      { type: 'ping', id: 7 },
      { type: 'settings', payload: Buffer.from('000000010000000700010000', 'hex') },
      { type: 'window-update', streamId: 3, delta: 100 },
      { type: 'headers', streamId: 3, isLast: false, headers: { x: '1\u00002' } },
      { type: 'rst-stream', streamId: 3, status: 5 },
      { type: 'goaway', lastStreamId: 3, status: 0 },
    ])
    headers.close()
  })

  it('are understood by Go', () => {
    const headers = new SpdyHeaderWriter()
    const of = (streamtype: string) => headers.write({ streamtype, port: '8080', requestid: '0' })
    const frames: SpdyFrame[] = [
      { type: 'syn-stream', streamId: 1, headerBlock: of('error'), isLast: false, priority: 0 },
      { type: 'data', streamId: 1, data: new Uint8Array(0), isLast: true },
      { type: 'syn-stream', streamId: 3, headerBlock: of('data'), isLast: true, priority: 2 },
      { type: 'syn-reply', streamId: 1, headerBlock: headers.write({}), isLast: false },
      { type: 'data', streamId: 3, data: Buffer.from('hello'), isLast: false },
      { type: 'ping', id: 7 },
      { type: 'rst-stream', streamId: 3, status: 5 },
      { type: 'goaway', lastStreamId: 3, status: 0 },
    ]
    expect(Buffer.concat(frames.map(encodeFrame)).toString('hex')).toBe(read.text)
    expect(read.error).toBeUndefined()
    expect(read.documents).toEqual([
      'syn-stream 1 map[Port:[8080] Requestid:[0] Streamtype:[error]] last=false',
      'data 1  last=true',
      'syn-stream 3 map[Port:[8080] Requestid:[0] Streamtype:[data]] last=true',
      'syn-reply 1 map[] last=false',
      'data 3 hello last=false',
      'ping 7',
      'rst-stream 3 5',
      'goaway 3 0',
    ])
  })

  it('of another version are refused', () => {
    expect(() => new SpdyFrameReader().push(Buffer.from('8002000600000004', 'hex').subarray(0, 8))).not.toThrow()
    expect(() => new SpdyFrameReader().push(Buffer.from('800200060000000400000001', 'hex'))).toThrow('SPDY/2')
  })
})

/** Two ends of a wire that carries bytes. */
function wire(): [Duplex, Duplex] {
  const ends: Duplex[] = [0, 1].map(
    self =>
      new Duplex({
        read() {},
        write(chunk, _encoding, done) {
          ends[1 - self]?.push(chunk)
          done()
        },
        final(done) {
          ends[1 - self]?.push(null)
          done()
        },
        destroy(error, done) {
          if (!ends[1 - self]?.destroyed) ends[1 - self]?.push(null)
          done(error)
        },
      }),
  )
  return ends as [Duplex, Duplex]
}

function connect(take?: (stream: SpdyStream) => void) {
  const [left, right] = wire()
  const onStream = take && ((stream: SpdyStream) => take(stream.on('error', () => {})))
  return {
    client: createSpdyConnection(left, { role: 'client' }),
    server: createSpdyConnection(right, { role: 'server', ...(onStream && { onStream }) }),
    left,
    right,
  }
}

/** Unlike a loop over the stream, leaves its writing half open. */
function readAll(stream: Duplex): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    stream.on('data', piece => pieces.push(piece))
    stream.on('end', () => resolve(Buffer.concat(pieces).toString()))
    stream.on('error', reject)
    stream.on('close', () => reject(new Error('closed before its end')))
  })
}

describe('a connection', () => {
  it('carries streams both ways, each half ending by itself', async () => {
    const { client } = connect(stream => {
      void readAll(stream).then(text => stream.end(`${stream.headers.name}:${text}`))
    })
    const streams = ['a', 'b'].map(name => client.openStream({ name }))
    streams[1]?.end('two')
    streams[0]?.end('one')
    expect(await Promise.all(streams.map(readAll))).toEqual(['a:one', 'b:two'])
    client.close()
  })

  it('carries more than fits a frame, unchanged', async () => {
    const { client } = connect(stream => {
      stream.pipe(stream)
    })
    const stream = client.openStream({})
    const content = Buffer.alloc(3_000_000, 'tiphys ')
    stream.end(content)
    expect(await readAll(stream)).toBe(content.toString())
    client.close()
  })

  it('refuses streams that nobody takes', async () => {
    const { client } = connect()
    await expect(readAll(client.openStream({}))).rejects.toThrow('the other side reset the stream (3)')
    client.close()
  })

  it('tells the other side when a stream is destroyed, and goes on', async () => {
    const seen: SpdyStream[] = []
    const { client } = connect(stream => {
      seen.push(stream)
      stream.write('hello')
    })
    const first = client.openStream({})
    for await (const _ of first) break
    const second = client.openStream({})
    for await (const piece of second as AsyncIterable<Buffer>) {
      expect(piece.toString()).toBe('hello')
      break
    }
    expect(seen).toHaveLength(2)
    expect(seen[0]?.destroyed).toBe(true)
    client.close()
  })

  it('breaks its streams when it breaks', async () => {
    const { client, left } = connect(() => {})
    const stream = client.openStream({})
    const reading = readAll(stream)
    left.destroy(new Error('cable cut'))
    await expect(reading).rejects.toThrow('cable cut')
    await client.closed
  })

  it('ends when the other side sends nonsense', async () => {
    const { client, right } = connect(() => {})
    const reading = readAll(client.openStream({}))
    right.write(Buffer.from('GET / HTTP/1.1\r\n\r\n'))
    right.write(Buffer.from('ffff00000000000000000000', 'hex'))
    right.push(null)
    right.end()
    await expect(reading).rejects.toThrow()
    await client.closed
  })

  it('answers the pings of the other side, not its own', async () => {
    const [left, right] = wire()
    createSpdyConnection(right, { role: 'server' })
    const reader = new SpdyFrameReader()
    const answers: SpdyFrame[] = []
    left.write(encodeFrame({ type: 'ping', id: 2 }))
    left.write(encodeFrame({ type: 'ping', id: 9 }))
    for await (const piece of left as AsyncIterable<Buffer>) {
      answers.push(...reader.push(piece))
      break
    }
    expect(answers).toEqual([{ type: 'ping', id: 9 }])
  })
})
