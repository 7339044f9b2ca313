import { once } from 'node:events'
import { request } from 'node:https'
import type { Duplex } from 'node:stream'
import { openWebSocket } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandOptions, exitStatus, SizeReader } from './remote-command.ts'
import { startTestCluster } from './testing/test-cluster.ts'

describe('a command’s protocol', () => {
  let cluster: Awaited<ReturnType<typeof startTestCluster>>
  beforeAll(async () => {
    cluster = await startTestCluster()
  })
  afterAll(() => cluster.stop())

  const tls = () => {
    const { certificate, key } = cluster.server.issueClientCertificate({ name: 'server', groups: ['system:masters'] })
    return { ca: cluster.server.caCertificate, cert: certificate, key }
  }
  const path = (command: readonly string[], streams = 'input=1&output=1&error=1') =>
    `/exec/default/one/main?${streams}&${command.map(word => `command=${encodeURIComponent(word)}`).join('&')}`

  /** All messages by the channel they came over. */
  const messages = async (socket: Duplex): Promise<Record<number, string>> => {
    const heard: Record<number, string> = {}
    for await (const message of socket as AsyncIterable<Uint8Array>) {
      const channel = message[0] as number
      heard[channel] = (heard[channel] ?? '') + Buffer.from(message.subarray(1)).toString()
    }
    return heard
  }

  const open = async (protocols: string[], command: readonly string[]) => {
    const { port } = cluster.kubelet
    const url = `https://127.0.0.1:${port}${path(command)}`
    const opened = await openWebSocket({ url, subprotocols: protocols, headers: {}, tls: tls() })
    if ('refusal' in opened) throw new Error(`refused with ${opened.refusal.statusCode}`)
    return opened
  }

  it('ends the input of a command in its fifth version', async () => {
    const { socket, protocol } = await open(['v5.channel.k8s.io', 'v4.channel.k8s.io'], ['wc', '-c'])
    socket.write(Buffer.from('\0hello'))
    socket.write(Uint8Array.of(255, 0))
    const heard = await messages(socket)
    expect(protocol).toBe('v5.channel.k8s.io')
    expect(heard[1]?.trim()).toBe('5')
    expect(JSON.parse(heard[3] ?? '')).toEqual({ metadata: {}, status: 'Success' })
  })

  it('tells an exit code as a status in its fourth, and as a text in its first', async () => {
    const fourth = await messages((await open(['v4.channel.k8s.io'], ['sh', '-c', 'exit 9'])).socket)
    expect(JSON.parse(fourth[3] ?? '')).toEqual(exitStatus(9))
    const first = await messages((await open(['channel.k8s.io'], ['sh', '-c', 'exit 9'])).socket)
    expect(first[3]).toBe('command terminated with non-zero exit code: exit status 9')
  })

  it.each([
    ['a protocol that nobody speaks', { upgrade: 'websocket', 'sec-websocket-protocol': 'v9.channel.k8s.io' }, 400],
    ['SPDY without a protocol', { upgrade: 'SPDY/3.1' }, 403],
    ['something else', { upgrade: 'h2c' }, 400],
  ])('refuses %s and runs nothing', async (_what, headers, status) => {
    const { port } = cluster.kubelet
    const call = request({
      host: '127.0.0.1',
      port,
      path: path(['sleep', '1000']),
      ...tls(),
      agent: false,
      headers: { connection: 'Upgrade', ...headers },
    })
    call.end()
    const [answer] = (await once(call, 'response')) as [{ statusCode: number; resume(): void }]
    answer.resume()
    expect(answer.statusCode).toBe(status)
    while (cluster.pods.running.size > 0) await new Promise(resolve => setImmediate(resolve))
  })

  it('refuses to run without any stream', async () => {
    expect(commandOptions(new URLSearchParams('tty=1'))).toBeUndefined()
    expect(commandOptions(new URLSearchParams('input=1&output=1&error=1&tty=1'))).toEqual({
      stdin: true,
      stdout: true,
      stderr: false,
      tty: true,
    })
  })
})

describe('terminal sizes', () => {
  const read = (...pieces: string[]) => {
    const reader = new SizeReader()
    return pieces.flatMap(piece => reader.push(Buffer.from(piece)))
  }

  it('are read from whatever pieces they come in', () => {
    const sizes = [
      { columns: 80, rows: 24 },
      { columns: 100, rows: 50 },
    ]
    const text = '{"Width":80,"Height":24}\n{"Width":100,"Height":50}\n'
    expect(read(text)).toEqual(sizes)
    expect(read(...text.split(''))).toEqual(sizes)
  })

  it('are left alone when they are none', () => {
    expect(
      read('{"Width":0,"Height":24}', '{"Width":"80"}', '}{', 'x'.repeat(5000), '{"Width":1e9,"Height":1}'),
    ).toEqual([])
  })
})
