import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { systemEnv, VirtualClock } from '@tiphys/env'
import { afterEach, describe, expect, it } from 'vitest'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse, WatchSink } from '../request/api-response.ts'
import { StatusError } from '../status-error.ts'
import { createApiServer } from './api-server.ts'
import { type ConnectionLimits, type Listening, listen } from './http-listener.ts'

const MIB = 1024 * 1024
const event = () => ({ type: 'ADDED', object: {} })
const OK: ApiResponse = { status: 200, headers: {}, body: { type: 'text', text: 'ok' } }

describe('a listener', () => {
  let listening: Listening | undefined
  const sockets: Socket[] = []

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await listening?.stop()
    listening = undefined
  })

  const start = async (
    handle: (request: ApiRequest) => Promise<ApiResponse>,
    limits: Partial<ConnectionLimits> = {},
  ): Promise<void> => {
    listening = await listen({ host: '127.0.0.1', port: 0, env: systemEnv, handle, limits })
  }

  const open = async (): Promise<Socket> => {
    const socket = connect((listening as Listening).port, '127.0.0.1')
    // A reset ends the conversation like a close does.
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }

  /** Everything that the server says until it closes. */
  const readAll = async (socket: Socket): Promise<string> => {
    let text = ''
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
    })
    await new Promise(resolve => socket.once('close', resolve).once('end', resolve))
    return text
  }

  const ask = async (bytes: string): Promise<string> => {
    const socket = await open()
    const answer = readAll(socket)
    socket.write(bytes)
    return answer
  }

  const readsBodies = async (request: ApiRequest): Promise<ApiResponse> => {
    try {
      const body = await request.body()
      const text = 'bytes' in body ? String(body.bytes.length) : ''
      return { status: 200, headers: {}, body: { type: 'text', text } }
    } catch (thrown) {
      const { code, message } = thrown as StatusError
      return { status: code, headers: {}, body: { type: 'text', text: message } }
    }
  }

  const isAlive = async () =>
    (await ask('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).startsWith('HTTP/1.1 200')

  it('is quiet when nobody has asked for a moment, and calls it quiet when somebody never stops', async () => {
    const clock = new VirtualClock()
    listening = await listen({ host: '127.0.0.1', port: 0, env: { ...systemEnv, clock }, handle: async () => OK })
    const waiting = () => {
      let isQuiet = false
      void listening?.untilQuiet().then(() => (isQuiet = true))
      return () => isQuiet
    }
    const undisturbed = waiting()
    await clock.advance(49)
    expect(undisturbed()).toBe(false)
    expect(await isAlive()).toBe(true)
    await clock.advance(49)
    expect(undisturbed()).toBe(false)
    await clock.advance(1)
    expect(undisturbed()).toBe(true)
    const disturbed = waiting()
    for (let asked = 0; asked < 7; asked++) {
      expect(await isAlive()).toBe(true)
      expect(disturbed()).toBe(false)
      await clock.advance(43)
    }
    expect(disturbed()).toBe(true)
  })

  it('lets a client that sends too much read the refusal', async () => {
    await start(readsBodies)
    const head = 'POST / HTTP/1.1\r\nHost: x\r\n'
    const declared = await ask(`${head}Content-Length: ${4 * MIB}\r\n\r\n${'x'.repeat(4 * MIB)}`)
    expect(declared).toMatch(/^HTTP\/1\.1 413 /)
    expect(declared).toContain('Request entity too large: limit is 3145728')
    const chunk = `100000\r\n${'x'.repeat(MIB)}\r\n`
    const chunked = await ask(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}0\r\n\r\n`)
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /)
    expect(await ask(`${head}Connection: close\r\nContent-Length: ${3 * MIB}\r\n\r\n${'x'.repeat(3 * MIB)}`)).toMatch(
      /\r\n\r\n3145728$/,
    )
  })

  it('lets a client read an answer that did not wait for its body', async () => {
    await start(async () => ({ status: 401, headers: {}, body: { type: 'text', text: 'who are you' } }))
    const answer = await ask(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 * MIB}\r\n\r\n${'x'.repeat(2 * MIB)}`)
    expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*who are you$/)
  })

  it('does not read without end what nobody wants', async () => {
    await start(async () => OK)
    const socket = await open()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    const chunk = Buffer.from(`100000\r\n${'x'.repeat(MIB)}\r\n`)
    let sent = 0
    while (!socket.destroyed && sent < 64) {
      sent++
      if (!socket.write(chunk)) await new Promise(resolve => socket.once('drain', resolve).once('close', resolve))
    }
    expect(sent).toBeLessThan(64)
    expect(await isAlive()).toBe(true)
  })

  it('survives garbage, and answers it with 400', async () => {
    await start(async () => OK)
    for (const garbage of [
      '\x16\x03\x01\x02\x00\x01\x00',
      'hello\r\n\r\n',
      '\0'.repeat(1000),
      'GET / HTTP/9.9\r\n\r\n',
    ]) {
      expect(await ask(garbage)).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(await isAlive()).toBe(true)
  })

  it('closes the connection when an answer cannot be written, and goes on', async () => {
    await start(async ({ path }) => {
      if (path === '/') return OK
      const fail = (): string => {
        throw new Error('cannot be written')
      }
      return { status: 200, headers: {}, body: { type: 'json', value: fail, text: fail } }
    })
    expect(await ask('GET /broken HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('')
    expect(await isAlive()).toBe(true)
  })

  it('reads the path of a whole address', async () => {
    await start(async ({ path }) => ({ status: 200, headers: {}, body: { type: 'text', text: path } }))
    expect(await ask('GET http://x:1/api/v1?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /\r\n\r\n\/api\/v1$/,
    )
  })

  it('stops although somebody has connected and does not say who it is', async () => {
    const server = await createApiServer({ env: systemEnv })
    listening = await server.listen()
    const silent = await open()
    const closed = once(silent, 'close')
    await server.close()
    await closed
  })

  it('ends a watch that ends before it began', async () => {
    await start(async () => ({
      status: 200,
      headers: {},
      body: {
        type: 'watch',
        start: sink => {
          sink.send({ line: () => 'gone\n', value: event })
          sink.end()
          return { stop: () => {} }
        },
      },
    }))
    expect(await ask('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain('gone\n')
  })

  describe('with a watch', () => {
    let sink: WatchSink | undefined
    let stopped = 0
    const watching = async ({ path }: ApiRequest): Promise<ApiResponse> => {
      if (path === '/') return OK
      const body: ApiResponse['body'] = {
        type: 'watch',
        start: receiver => {
          sink = receiver
          return { stop: () => stopped++ }
        },
      }
      return { status: 200, headers: {}, body }
    }

    const watch = async (): Promise<Socket> => {
      stopped = 0
      const socket = await open()
      socket.write('GET /watch HTTP/1.1\r\nHost: x\r\n\r\n')
      await once(socket, 'readable')
      return socket
    }

    it('disconnects a receiver that does not read, instead of keeping everything for it', async () => {
      await start(watching)
      const socket = await watch()
      const line = `${'x'.repeat(256 * 1024)}\n`
      let lines = 0
      while (!(sink as WatchSink).isBehind() && lines < 1000) {
        ;(sink as WatchSink).send({ line: () => line, value: event })
        lines++
        await new Promise(resolve => setImmediate(resolve))
      }
      expect(lines).toBeLessThan(200)
      ;(sink as WatchSink).end()
      socket.resume()
      await once(socket, 'close')
      expect(await isAlive()).toBe(true)
    })

    const send = (...lines: string[]) => {
      for (const text of lines) (sink as WatchSink).send({ line: () => `${text}\n`, value: event })
    }

    it('sends the events of one turn in one chunk, to everybody alike', async () => {
      await start(watching)
      const watchers: Socket[] = []
      const sinks: WatchSink[] = []
      for (let i = 0; i < 3; i++) {
        watchers.push(await watch())
        sinks.push(sink as WatchSink)
      }
      const texts = watchers.map(readAll)
      for (const each of sinks) {
        sink = each
        send('one', 'zwölf')
      }
      await new Promise(resolve => setImmediate(resolve))
      for (const each of sinks) each.end()
      for (const watcher of watchers) watcher.end()
      for (const text of await Promise.all(texts)) expect(text).toMatch(/\r\n\r\nb\r\none\nzw..lf\n\r\n0\r\n\r\n$/)
    })

    it('keeps its events behind the answer that is still due on the same connection', async () => {
      let answer: (given: ApiResponse) => void = () => {}
      const slow = new Promise<ApiResponse>(resolve => {
        answer = resolve
      })
      sink = undefined
      await start(request => (request.path === '/slow' ? slow : watching(request)))
      const socket = await open()
      const text = readAll(socket)
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /watch HTTP/1.1\r\nHost: x\r\n\r\n')
      while (sink === undefined) await new Promise(resolve => setImmediate(resolve))
      send('early')
      await new Promise(resolve => setImmediate(resolve))
      answer(OK)
      while (socket.bytesRead === 0) await new Promise(resolve => setImmediate(resolve))
      send('late')
      await new Promise(resolve => setImmediate(resolve))
      ;(sink as WatchSink).end()
      socket.end()
      expect(await text).toMatch(/\r\n\r\nokHTTP[^]*\r\n\r\n6\r\nearly\n\r\n5\r\nlate\n\r\n0\r\n\r\n$/)
    })

    it('needs no chunks for a client of HTTP/1.0', async () => {
      await start(watching)
      const socket = await open()
      const text = readAll(socket)
      sink = undefined
      socket.write('GET /watch HTTP/1.0\r\n\r\n')
      while (sink === undefined) await new Promise(resolve => setImmediate(resolve))
      send('plain')
      ;(sink as WatchSink).end()
      expect(await text).toMatch(/\r\n\r\nplain\n$/)
    })

    it('stops watching when the receiver leaves', async () => {
      await start(watching)
      const socket = await watch()
      socket.destroy()
      while (stopped === 0) await new Promise(resolve => setImmediate(resolve))
      expect(await isAlive()).toBe(true)
    })

    it('ends it and every idle connection when it stops', async () => {
      await start(watching)
      const [watcher, idle] = [await watch(), await open()]
      const ends = Promise.all([readAll(watcher), readAll(idle)])
      await listening?.stop()
      listening = undefined
      await ends
      expect(stopped).toBe(1)
    })
  })

  describe('with a client that takes its time', () => {
    const limits = { headersMs: 100, requestMs: 200, idleMs: 100, checkMs: 10 }
    const begun = 'POST / HTTP/1.1\r\nHost: x\r\n'

    it.each([
      ['nothing', ''],
      ['half a line', 'GET / HT'],
      ['half its headers', begun],
    ])('answers 408 to one that sends %s', async (_what, bytes) => {
      await start(readsBodies, limits)
      expect(await ask(bytes)).toMatch(/^HTTP\/1\.1 408 /)
      expect(await isAlive()).toBe(true)
    })

    it.each([
      ['half its body', `${begun}Content-Length: 100\r\n\r\nhalf`],
      ['a chunk that does not come', `${begun}Transfer-Encoding: chunked\r\n\r\n64\r\nhalf`],
    ])('closes the connection of one that sends %s', async (_what, bytes) => {
      await start(readsBodies, limits)
      expect(await ask(bytes)).toMatch(/^(HTTP\/1\.1 408 |$)/)
      expect(await isAlive()).toBe(true)
    })

    it('does not let a byte now and then keep a connection', async () => {
      await start(readsBodies, limits)
      const socket = await open()
      const answer = readAll(socket)
      socket.write(begun)
      const drip = setInterval(() => socket.write('X-A: b\r\n'), 20)
      expect(await answer).toMatch(/^HTTP\/1\.1 408 /)
      clearInterval(drip)
    })

    it('closes a connection over which nothing more comes', async () => {
      await start(async () => OK, limits)
      expect(await ask('GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 [^]*ok$/)
    })

    it('answers one that closed its half after asking', async () => {
      await start(async () => OK, limits)
      const socket = await open()
      const answer = readAll(socket)
      socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*ok$/)
    })

    it('closes one that closed its half before it asked for anything', async () => {
      await start(async () => OK, limits)
      const socket = await open()
      const answer = readAll(socket)
      socket.end('GET / HT')
      expect(await answer).toMatch(/^(HTTP\/1\.1 400 |$)/)
    })

    it('serves others, and keeps nothing, while 500 are half done', async () => {
      await start(readsBodies, limits)
      const slow = await Promise.all(Array.from({ length: 500 }, open))
      const ends = slow.map((socket, i) => {
        socket.write(i % 2 === 0 ? begun : `${begun}Content-Length: 100\r\n\r\nhalf`)
        return readAll(socket)
      })
      expect(await isAlive()).toBe(true)
      await Promise.all(ends)
      expect(await isAlive()).toBe(true)
    })
  })

  describe('asked for another protocol', () => {
    const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
    const speaks = async ({ canUpgrade }: ApiRequest): Promise<ApiResponse> => {
      if (!canUpgrade) return { status: 400, headers: {}, body: { type: 'text', text: 'Upgrade request required' } }
      const accept = (client: Duplex, head: Buffer) => {
        client.write(head)
        client.pipe(client)
      }
      return {
        status: 101,
        headers: { connection: 'Upgrade', upgrade: 'websocket' },
        body: { type: 'connection', accept, abandon: () => {} },
      }
    }

    it('hands the connection over, with what was sent too early', async () => {
      await start(speaks)
      const socket = await open()
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\nearly`)
      let said = ''
      socket.on('data', chunk => {
        said += chunk.toString()
      })
      while (!said.endsWith('early')) await once(socket, 'data')
      expect(said).toMatch(
        /^HTTP\/1\.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\nearly$/,
      )
      socket.write('later')
      while (!said.endsWith('later')) await once(socket, 'data')
    })

    it('ends what it handed over when it stops', async () => {
      await start(speaks)
      const socket = await open()
      const all = readAll(socket)
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\nearly`)
      await once(socket, 'data')
      await listening?.stop()
      listening = undefined
      await all
    })

    it('refuses, or answers, as ever, and takes nothing that follows for a request', async () => {
      const asked: string[] = []
      await start(async ({ path }) => {
        asked.push(path)
        return { status: 403, headers: {}, body: { type: 'text', text: 'no' } }
      })
      const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
      const answer = await ask(`POST /exec HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n${smuggled}`)
      expect(answer).toMatch(/^HTTP\/1\.1 403 [^]*connection: close[^]*no$/i)
      expect(asked).toEqual(['/exec'])
    })

    it('survives a client that leaves before the answer', async () => {
      let abandoned = 0
      let go: (() => void) | undefined
      const waits = new Promise<void>(resolve => {
        go = resolve
      })
      await start(async ({ path, signal }) => {
        if (path === '/') return OK
        signal.addEventListener('abort', () => go?.())
        await waits
        return { status: 101, headers: {}, body: { type: 'connection', accept: () => {}, abandon: () => abandoned++ } }
      })
      const socket = await open()
      socket.write(`GET /exec HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`)
      await isAlive()
      socket.destroy()
      while (abandoned === 0) await new Promise(resolve => setImmediate(resolve))
      expect(await isAlive()).toBe(true)
    })
  })
})
