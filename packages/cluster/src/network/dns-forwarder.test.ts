import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, VirtualClock } from '@tiphys/env'
import { freePort } from '@tiphys/env/testing'
import { afterEach, expect, test } from 'vitest'
import { createDnsForwarder, nameServers } from './dns-forwarder.ts'

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

const QUESTION = Buffer.from('123401000001000000000000' + '0000010001', 'hex')

/** A name server that gives the question back as its answer, over UDP cut off when asked to. */
async function startServer({ isTruncating = false, isSilent = false } = {}): Promise<number> {
  const udp = createSocket('udp4')
  udp.on('message', (message, { address, port }) => {
    if (isSilent) return
    const answer = Buffer.from(message)
    answer.writeUInt16BE(isTruncating ? 0x8380 : 0x8180, 2)
    // One for somebody else comes first.
    const foreign = Buffer.from(answer)
    foreign.writeUInt16BE(0x9999, 0)
    udp.send(foreign, port, address)
    udp.send(answer, port, address)
  })
  // One that the system hands out for datagrams can be another program's for connections.
  const port = await freePort()
  await new Promise<void>(resolve => udp.bind(port, '127.0.0.1', resolve))
  const tcp = createServer(socket => {
    socket.on('data', chunk => {
      const answer = Buffer.from(chunk)
      answer.writeUInt16BE(0x8180, 4)
      socket.write(answer.subarray(0, 5))
      socket.write(answer.subarray(5))
    })
    socket.on('error', () => {})
  })
  await new Promise<void>(resolve => tcp.listen(port, '127.0.0.1', resolve))
  cleanUps.push(
    () => udp.close(),
    () => tcp.close(),
  )
  return port
}

test('passes a question on and brings the answer to it back', async () => {
  const forward = createDnsForwarder({ clock: systemClock, servers: ['127.0.0.1'], port: await startServer() })
  const answer = Buffer.from(await forward(QUESTION))
  expect([answer.readUInt16BE(0), answer.readUInt16BE(2)]).toEqual([0x1234, 0x8180])
})

test('asks again over TCP when the answer was cut off', async () => {
  const port = await startServer({ isTruncating: true })
  const forward = createDnsForwarder({ clock: systemClock, servers: ['127.0.0.1'], port })
  expect(Buffer.from(await forward(QUESTION)).readUInt16BE(2)).toBe(0x8180)
})

test('goes on to the next server when one is not there', async () => {
  const port = await startServer()
  const forward = createDnsForwarder({ clock: systemClock, servers: ['127.0.0.9', '127.0.0.1'], port })
  expect((await forward(QUESTION)).length).toBe(QUESTION.length)
})

test('gives up on a server that is silent, and says so; without any server at once', async () => {
  const clock = new VirtualClock()
  const forward = createDnsForwarder({ clock, servers: ['127.0.0.1'], port: await startServer({ isSilent: true }) })
  const answer = expect(forward(QUESTION)).rejects.toThrow('the name server 127.0.0.1 does not answer')
  await clock.advance(2001)
  await answer
  await expect(createDnsForwarder({ clock, servers: [] })(QUESTION)).rejects.toThrow('no name server')
})

test('finds the machine’s name servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-resolv-'))
  const path = join(folder, 'resolv.conf')
  writeFileSync(path, '# nameserver 9.9.9.9\nsearch a\nnameserver 10.0.0.2\n nameserver ::1\nnameserver nonsense\n')
  expect(nameServers(path)).toEqual(['10.0.0.2', '::1'])
  expect(nameServers(join(folder, 'missing'))).toEqual([])
  rmSync(folder, { recursive: true })
})
