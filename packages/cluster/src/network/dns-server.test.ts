import { Resolver } from 'node:dns/promises'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { systemClock } from '@tiphys/env'
import { afterEach, expect, test } from 'vitest'
import { decodeQuery, encodeAnswer } from './dns-message.ts'
import { type DnsServer, type DnsServerOptions, startDnsServer } from './dns-server.ts'
import { createZone } from './dns-zone.ts'

const endpoints = Array.from({ length: 200 }, (_, index) => ({ ip: `10.244.1.${index}`, ready: true }))
const many = {
  namespace: 'a',
  name: 'many',
  clusterIps: [],
  sessionAffinity: 'None' as const,
  ports: [],
  endpoints,
  publishNotReadyAddresses: false,
}
const alias = { ...many, name: 'alias', endpoints: [], externalName: 'example.com' }
const zone = createZone({ domain: 'cluster.local', dnsAddress: '127.0.0.1', ranges: [], services: [many, alias] })

let server: DnsServer | undefined
afterEach(() => server?.close())

async function start(options: Partial<DnsServerOptions> = {}) {
  const started = await startDnsServer({ ip: '127.0.0.1', port: 0, clock: systemClock, zone: () => zone, ...options })
  server = started
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${started.port}`])
  return { resolver, port: started.port }
}

test('answers that are too long for a datagram come over TCP', async () => {
  const { resolver } = await start()
  expect(await resolver.resolve4('many.a.svc.cluster.local')).toHaveLength(200)
})

test('a name of somebody else’s does not exist when nobody can be asked', async () => {
  const { resolver } = await start()
  await expect(resolver.resolve4('example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test('somebody else’s names are asked of the machine’s resolver, and its failure is told', async () => {
  const asked: number[] = []
  const { resolver } = await start({
    async forward(message) {
      asked.push(message.length)
      if (asked.length > 1) throw new Error('no way out')
      const answer = Buffer.concat([message, Buffer.from('c00c00010001000000050004c0000201', 'hex')])
      answer.writeUInt16BE(0x8180, 2)
      answer.writeUInt16BE(1, 6)
      // The question's own additional record would come before the answer.
      return answer.readUInt16BE(10) === 0 ? answer : withoutEdns(answer)
    },
  })
  expect(await resolver.resolve4('example.com')).toEqual(['192.0.2.1'])
  await expect(resolver.resolve4('example.org')).rejects.toMatchObject({ code: 'ESERVFAIL' })
})

test('an alias to a name outside comes with what that leads to', async () => {
  const target: string[] = []
  const { resolver } = await start({
    async forward(message) {
      const incoming = decodeQuery(message)
      if (incoming.kind !== 'query') throw new Error('it is no question')
      const { labels: name } = incoming.query.question
      target.push(name.join('.'))
      const answers = [{ type: 'A' as const, name, ttl: 5, address: '192.0.2.7' }]
      return encodeAnswer(incoming.query, { code: 0, answers, authority: [], additional: [] }, 512)
    },
  })
  expect(await resolver.resolve4('alias.a.svc.cluster.local')).toEqual(['192.0.2.7'])
  expect(target).toEqual(['example.com'])
})

test('several questions on one connection are answered in order, and nonsense with FORMERR', async () => {
  const { port } = await start()
  const socket = connect(port, '127.0.0.1')
  const question = Buffer.from('000101000001000000000000' + '00' + '00010001', 'hex')
  const nonsense = Buffer.from('000201000001000000000000' + 'ff', 'hex')
  for (const message of [question, nonsense]) socket.write(Buffer.from([0, message.length, ...message]))
  socket.end()
  const answers = await buffer(socket)
  const second = answers.subarray(2 + answers.readUInt16BE(0))
  expect([answers.readUInt16BE(2), second.readUInt16BE(2), second.readUInt16BE(4) & 15]).toEqual([1, 2, 1])
})

function withoutEdns(message: Buffer): Buffer {
  const at = message.indexOf(Buffer.from('000029', 'hex'), 12)
  const cut = Buffer.concat([message.subarray(0, at), message.subarray(at + 11)])
  cut.writeUInt16BE(0, 10)
  return cut
}
