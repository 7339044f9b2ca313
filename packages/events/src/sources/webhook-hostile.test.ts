import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { silentLog, systemClock, systemRandom } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { afterEach, describe, expect, it } from 'vitest'
import type { Bus } from '../bus/bus.ts'
import { openBus } from '../bus/journal-bus.ts'
import { eventId } from '../event-id.ts'
import { SourceStage } from './source-stage.ts'
import { webhookSource } from './webhook-source.ts'

const MIB = 2 ** 20
const isFull = process.env.TIPHYS_FULL !== undefined

let stage: SourceStage
let url: URL
afterEach(() => stage.close())

async function serve(publish?: SourceStage['publish']): Promise<void> {
  stage = new SourceStage({}, systemClock)
  if (publish) stage.publish = publish
  const { listen } = stage.http
  stage.http.listen = async route => {
    const listening = await listen(route)
    url = new URL(listening.url)
    return listening
  }
  stage.start(webhookSource, { endpoint: '/hook', method: 'POST', port: '0' })
  await stage.until(() => stage.reports.length > 0)
}

async function send(body: string | Buffer, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, { method: 'POST', body, headers })
  await response.text()
  return response.status
}

/** Runs a program of Node in a process of its own, so that what it needs is not counted here. What it prints is JSON. */
async function elsewhere<T>(program: string, ...args: (string | number)[]): Promise<T> {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['-e', program, ...args.map(String)], {
    maxBuffer: 64 * MIB,
    timeout: 590_000,
  })
  return JSON.parse(stdout) as T
}

/** Sends chunks for as long as somebody takes them, a gibibyte at most. What was answered, and how much was taken. */
const ENDLESS = `
const [port, head, size] = process.argv.slice(1)
const chunk = Buffer.from(Number(size).toString(16) + '\\r\\n' + 'x'.repeat(Number(size)) + '\\r\\n')
let answer = ''
const socket = require('node:net').connect(Number(port), '127.0.0.1', () => {
  socket.write(JSON.parse(head))
  push()
})
const push = () => {
  while (socket.writable && socket.bytesWritten < 2 ** 30) if (!socket.write(chunk)) return
  socket.end()
}
socket.on('drain', push)
socket.on('data', data => (answer += data.toString('latin1')))
// Whoever refuses to read on resets the connection.
socket.on('error', () => {})
socket.on('close', () => console.log(JSON.stringify({ answer, bytes: socket.bytesWritten })))
`
const sendEndlessly = (head: string) =>
  elsewhere<{ answer: string; bytes: number }>(ENDLESS, url.port, JSON.stringify(head), 64 * 1024)

/** Sends requests at a rate, whether or not earlier ones have been answered; the status of each. A connection that breaks
 *  leaves nothing known, and the request is sent again under its key, as senders do. */
const FLOOD = `
const { Agent, request } = require('node:http')
const [port, count, perSecond, maxSockets] = process.argv.slice(1).map(Number)
const agent = new Agent({ keepAlive: true, maxSockets })
const statuses = Array.from({ length: count }, () => 0)
const one = (i, done, attempt = 1) => {
  const headers = { 'Idempotency-Key': 'request-' + i }
  const sent = request({ port, host: '127.0.0.1', path: '/hook', method: 'POST', agent, headers }, response => {
    statuses[i] = response.statusCode
    response.resume().once('end', done)
  })
  sent.once('error', () => (attempt < 5 ? one(i, done, attempt + 1) : done()))
  sent.end(JSON.stringify({ i }))
}
const began = performance.now()
let [begun, ended] = [0, 0]
const next = () => {
  const due = Math.min(count, Math.ceil(((performance.now() - began) / 1000) * perSecond))
  while (begun < due)
    one(begun++, () => {
      if (++ended === count) {
        agent.destroy()
        console.log(JSON.stringify(statuses))
      }
    })
  if (begun < count) setImmediate(next)
}
next()
`

describe('a body that never ends', () => {
  const head = 'POST /hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'

  it('is refused with 413 after the limit, and takes no memory', { timeout: 300_000 }, async () => {
    await serve()
    await send('{}')
    const before = process.memoryUsage().rss
    let most = before
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 5)
    try {
      for (let i = 0; i < (isFull ? 20 : 2); i++) {
        const { answer, bytes } = await sendEndlessly(head)
        expect(answer).toMatch(/^HTTP\/1\.1 413 /)
        expect(bytes).toBeLessThan(32 * MIB)
      }
    } finally {
      clearInterval(watching)
    }
    expect(most - before).toBeLessThan(32 * MIB)
    expect(stage.events).toHaveLength(1)
  })

  it('does not keep others from being served', async () => {
    await serve()
    const hostile = Array.from({ length: 5 }, () => sendEndlessly(head))
    expect(await send('{"a":1}')).toBe(200)
    for (const { answer } of await Promise.all(hostile)) expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('a body that is something else', () => {
  it('a bomb of gzip is not opened', async () => {
    await serve()
    const bomb = gzipSync(Buffer.alloc(64 * MIB))
    expect(bomb.length).toBeLessThan(MIB)
    const before = process.memoryUsage().rss
    expect(await send(bomb, { 'content-encoding': 'gzip', 'content-type': 'application/json' })).toBe(400)
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * MIB)
    expect(stage.events).toEqual([])
  })

  it.each([
    ['bytes', Buffer.from([0, 255, 254, 0, 1])],
    ['nothing', ''],
    ['half of it', '{"a":'],
    ['two of it', '{} {}'],
    ['NaN', '{"a":NaN}'],
  ])('%s is refused with 400', async (_, body) => {
    await serve()
    expect(await send(body)).toBe(400)
    expect(stage.events).toEqual([])
  })

  it.each([
    ['keys of all objects', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
    ['keys that are there twice', '{"a":1,"a":2}'],
    ['numbers that a double cannot hold', '{"a":9007199254740993,"b":1e400,"c":-0.10}'],
    ['a hundred thousand levels', '['.repeat(100_000) + ']'.repeat(100_000)],
    [
      'what shells and templates would carry out',
      JSON.stringify({ a: '$(rm -rf /) `id` {{ .Input }} "\'\n\u0000\u2028' }),
    ],
  ])('%s arrive as they were sent', async (_, body) => {
    await serve()
    expect(await send(body)).toBe(200)
    expect(stage.events[0]?.data.endsWith(`"body":${body}}`)).toBe(true)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it.each([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}'],
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a length that is none', 'Content-Length: +2\r\n\r\n{}'],
    ['a header across lines', 'X-A: a\r\n b\r\nContent-Length: 2\r\n\r\n{}'],
  ])('%s get one answer, and never a second request', async (_, rest) => {
    await serve()
    const { answer } = await new Promise<{ answer: string }>(resolve => {
      let answer = ''
      const socket = connect(Number(url.port), url.hostname, () =>
        socket.end(`POST /hook HTTP/1.1\r\nHost: x\r\n${rest}`),
      )
      socket.on('data', (data: Buffer) => {
        answer += data.toString('latin1')
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve({ answer }))
    })
    expect(answer.split('HTTP/1.1 ').length - 1).toBe(1)
  })

  it('headers that are too long are refused with 431', async () => {
    await serve()
    const head = `POST /hook HTTP/1.1\r\nHost: x\r\nX-A: ${'x'.repeat(100 * 1024)}\r\n\r\n`
    const { answer } = await sendEndlessly(head)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  })
})

describe('a flood', () => {
  const [perSecond, seconds, sockets] = isFull ? [5000, 30, 3000] : [2000, 1, 500]

  it(`of ${perSecond} requests a second for ${seconds} s: each is answered, and what was answered with success is there`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'flood-'))
    const env = { clock: systemClock, random: systemRandom, log: silentLog }
    // Nobody has handled anything, and nothing makes room for what is new.
    const limits = { maxEvents: 10 * perSecond * seconds, maxBytes: 1024 * MIB }
    const opened = await openBus(await openFileJournal({ directory, env }), { env, limits })
    await serve(event => opened.publish({ ...event, source: 'source', subject: 'entry', type: 'webhook' }))
    try {
      const statuses = await elsewhere<number[]>(FLOOD, url.port, perSecond * seconds, perSecond, sockets)
      expect(statuses.filter(status => ![200, 429, 503].includes(status))).toEqual([])
      const accepted = statuses.flatMap((status, i) => (status === 200 ? [`request-${i}`] : []))
      expect(accepted.length).toBeGreaterThan(0)
      const stored = await idsOn(opened)
      const idOf = (key: string) => eventId('source-uid', 'entry', 'idempotency-key', key)
      expect(accepted.filter(key => stored.get(idOf(key)) !== 1)).toEqual([])
      // Nothing that was refused is there either.
      expect(stored.size).toBe(accepted.length)
    } finally {
      await stage.stop()
      await opened.close()
      await rm(directory, { recursive: true })
    }
  }, 600_000)
})

async function idsOn(bus: Bus): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for await (const { event } of bus.events()) found.set(event.id, (found.get(event.id) ?? 0) + 1)
  return found
}
