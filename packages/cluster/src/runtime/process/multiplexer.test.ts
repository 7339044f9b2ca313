import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { type Accept, answer, multiplex, readToEnd } from './multiplexer.ts'

function pair(accept: Accept) {
  const [near, far] = duplexPair()
  const server = multiplex(far, 'server', accept)
  return { client: multiplex(near, 'client', () => {}), server, near }
}

test('answers calls, and carries an error of the other end by its message', async () => {
  const { client } = pair((purpose, stream) => {
    if (purpose === 'fail') throw new Error('no such thing')
    answer(stream, { got: purpose })
  })
  expect(await client.call({ a: 1 })).toEqual({ got: { a: 1 } })
  await expect(client.call('fail')).rejects.toThrow('no such thing')
})

test('a question can be read to its end and then answered', async () => {
  const { client } = pair(async (_, stream) => {
    stream.end(`heard ${String(await readToEnd(stream))}`)
  })
  const stream = client.open('ask')
  stream.end('me')
  expect(String(await readToEnd(stream))).toBe('heard me')
})

test('keeps the order and the bytes of a long stream, both ways', async () => {
  const { client } = pair((_, stream) => {
    stream.pipe(stream)
  })
  const stream = client.open('echo')
  const sent = Buffer.alloc(3_000_000, 'abcdefghij')
  stream.end(sent)
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).equals(sent)).toBe(true)
})

test('a reader that pauses holds back its own writer and nobody else', async () => {
  let written = 0
  const { client } = pair((purpose, stream) => {
    if (purpose === 'ping') return answer(stream, 'pong')
    const write = (): void => {
      if (stream.destroyed) return
      written += 16_384
      stream.write(Buffer.alloc(16_384), () => setImmediate(write))
    }
    write()
  })
  const flood = client.open('flood')
  await vi.waitUntil(() => written > 256 * 1024, { timeout: 15_000 })
  for (let turn = 0; turn < 50; turn++) expect(await client.call('ping')).toBe('pong')
  expect(written).toBeLessThan(1_000_000)
  flood.resume()
  await vi.waitUntil(() => written > 1_000_000, { timeout: 15_000 })
  flood.destroy()
})

test('what was sent before a stream was given up can still be read', async () => {
  const { client } = pair((purpose, stream) => {
    if (purpose === 'ping') return answer(stream, 'pong')
    stream.end(Buffer.alloc(200_000, 'x'), () => stream.destroy())
  })
  const stream = client.open('read me')
  await client.call('ping')
  let length = 0
  for await (const chunk of stream) length += (chunk as Buffer).length
  expect(length).toBe(200_000)
})

test('the end of the connection ends every stream', async () => {
  const { client, near } = pair(() => {})
  const stream = client.open('wait')
  const failed = once(stream, 'error')
  near.destroy()
  expect(String((await failed)[0])).toContain('the connection has ended')
  await expect(client.call('late')).rejects.toThrow('the connection has ended')
})
