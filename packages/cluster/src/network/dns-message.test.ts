import { seededRandom } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import type { ServiceRoute } from '../runtime/pod-runtime.ts'
import {
  type Answer,
  type DnsRecord,
  decodeAddresses,
  decodeQuery,
  encodeAnswer,
  encodeMalformed,
  encodeQuestion,
  RecordType,
  ResponseCode,
} from './dns-message.ts'
import { answerQuestion, createZone } from './dns-zone.ts'
import { parseIpv4Range } from './ipv4.ts'

/** `www.Example.com A`, with recursion desired, and EDNS when a payload limit is given. */
function queryBytes(name: string, type: number, payloadLimit?: number): Buffer {
  const header = Buffer.from([0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, payloadLimit === undefined ? 0 : 1])
  const labels = name.split('.').flatMap(label => [Buffer.from([label.length]), Buffer.from(label, 'latin1')])
  const question = Buffer.from([0, type >> 8, type & 255, 0, 1])
  const edns =
    payloadLimit === undefined ? [] : [Buffer.from([0, 0, 41, payloadLimit >> 8, payloadLimit & 255, 0, 0, 0, 0, 0, 0])]
  return Buffer.concat([header, ...labels, question, ...edns])
}

function decoded(bytes: Uint8Array) {
  const incoming = decodeQuery(bytes)
  if (incoming.kind !== 'query') throw new Error(`it is ${incoming.kind}`)
  return incoming.query
}

describe('reading a query', () => {
  test('takes the question, its id and how much the asker takes', () => {
    expect(decoded(queryBytes('www.Example.com', RecordType.A))).toEqual({
      id: 0x1234,
      opcode: 0,
      isRecursionDesired: true,
      question: { labels: ['www', 'Example', 'com'], type: 1, class: 1 },
      payloadLimit: 512,
      ednsVersion: undefined,
    })
    expect(decoded(queryBytes('a.b', RecordType.SRV, 4096))).toMatchObject({ payloadLimit: 1232, ednsVersion: 0 })
  })

  test('ignores what is too short and what is itself an answer', () => {
    expect(decodeQuery(Buffer.alloc(11))).toEqual({ kind: 'ignored' })
    const answer = queryBytes('a', 1)
    answer.writeUInt8(0x81, 2)
    expect(decodeQuery(answer)).toEqual({ kind: 'ignored' })
  })

  test('calls malformed: no question, two questions, cut-off names, pointers that do not lead back, long names', () => {
    const none = queryBytes('a', 1)
    none.writeUInt16BE(0, 4)
    const two = queryBytes('a', 1)
    two.writeUInt16BE(2, 4)
    const loop = Buffer.concat([queryBytes('a', 1).subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])])
    const long = queryBytes(Array(130).fill('a').join('.'), 1)
    const cut = queryBytes('abc.def', 1).subarray(0, 17)
    for (const bytes of [none, two, loop, long, cut]) {
      expect(decodeQuery(bytes)).toEqual({ kind: 'malformed', id: 0x1234, opcode: 0 })
    }
    expect(encodeMalformed(0x1234, 0).slice(0, 4)).toEqual(Uint8Array.from([0x12, 0x34, 0x80, 1]))
  })
})

describe('writing an answer', () => {
  const address = (last: number) => ({ type: 'A' as const, name: ['web'], ttl: 5, address: `10.0.0.${last}` })
  const answer = (count: number): Answer => ({
    code: ResponseCode.NOERROR,
    answers: Array.from({ length: count }, (_, index) => address(index)),
    authority: [],
    additional: [],
  })

  test('repeats the question as it was asked and points to names that were written before', () => {
    const query = decoded(queryBytes('WEB', 1))
    const bytes = Buffer.from(encodeAnswer(query, answer(1), 512))
    expect(bytes.toString('hex')).toBe(
      [
        '12348580',
        '0001000100000000',
        '0357454200',
        '00010001',
        'c00c',
        '00010001',
        '00000005',
        '0004',
        '0a000000',
      ].join(''),
    )
  })

  test('leaves out what does not fit and says so', () => {
    const query = decoded(queryBytes('web', 1))
    const short = Buffer.from(encodeAnswer(query, answer(100), 512))
    expect(short.length).toBeLessThanOrEqual(512)
    expect(short.readUInt16BE(2) & 0x0200).not.toBe(0)
    expect(short.readUInt16BE(6)).toBe(Math.floor((512 - 21) / 16))
    const whole = Buffer.from(encodeAnswer(query, answer(100), 65_535))
    expect([whole.readUInt16BE(2) & 0x0200, whole.readUInt16BE(6)]).toEqual([0, 100])
  })

  test('answers EDNS with EDNS, within the limit', () => {
    const query = decoded(queryBytes('web', 1, 1232))
    const bytes = Buffer.from(encodeAnswer(query, answer(200), query.payloadLimit))
    expect(bytes.length).toBeLessThanOrEqual(1232)
    expect(bytes.readUInt16BE(10)).toBe(1)
    expect(bytes.subarray(-11).toString('hex')).toBe('000029' + '04d0' + '000000000000')
  })
})

test('reads addresses and aliases of another server’s answer, and nothing from a malformed one', () => {
  const question = { labels: ['a', 'b'], type: RecordType.A }
  const query = decoded(encodeQuestion(7, question))
  expect(query).toMatchObject({ id: 7, question: { ...question, class: 1 }, isRecursionDesired: true })
  const records: DnsRecord[] = [
    { type: 'CNAME', name: ['a', 'b'], ttl: 9, target: ['c', 'b'] },
    { type: 'A', name: ['c', 'b'], ttl: 9, address: '192.0.2.1' },
    { type: 'AAAA', name: ['c', 'b'], ttl: 9, bytes: Uint8Array.from({ length: 16 }, (_, index) => index) },
  ]
  const other: DnsRecord = { type: 'TXT', name: ['a', 'b'], ttl: 9, text: 'left out' }
  const bytes = encodeAnswer(query, { code: 3, answers: [other, ...records], authority: [], additional: [] }, 512)
  expect(decodeAddresses(bytes)).toEqual({ code: 3, records })
  for (let length = 0; length < bytes.length; length++)
    expect(decodeAddresses(bytes.subarray(0, length))).toBeUndefined()
})

test('no bytes whatever make it throw, hang, or answer with more than was allowed', () => {
  const random = seededRandom(7)
  const services: ServiceRoute[] = [
    {
      namespace: 'default',
      name: 'web',
      clusterIps: [],
      sessionAffinity: 'None',
      ports: [{ name: 'main', protocol: 'TCP', port: 80, targets: [] }],
      endpoints: Array.from({ length: 40 }, (_, index) => ({ ip: `10.244.0.${index}`, ready: true })),
      publishNotReadyAddresses: false,
    },
  ]
  const zone = createZone({
    domain: 'cluster.local',
    dnsAddress: '10.96.0.10',
    ranges: [parseIpv4Range('10.244.0.0/16')],
    services,
  })
  const seeds = [
    queryBytes('web.default.svc.cluster.local', RecordType.A, 1232),
    queryBytes('_main._tcp.web.default.svc.cluster.local', RecordType.SRV, 600),
    queryBytes('5.0.244.10.in-addr.arpa', RecordType.PTR),
    Buffer.alloc(40),
  ]
  const kinds = new Set<string>()
  const tooLong: string[] = []
  for (let round = 0; round < 5_000; round++) {
    const seed = seeds[round % seeds.length] ?? Buffer.alloc(0)
    const bytes = Buffer.from(seed.subarray(0, Math.ceil(random.next() * seed.length * 1.2)))
    for (let change = Math.floor(random.next() * 4); change > 0 && bytes.length > 0; change--) {
      bytes[Math.floor(random.next() * bytes.length)] = Math.floor(random.next() * 256)
    }
    const incoming = decodeQuery(bytes)
    kinds.add(incoming.kind)
    decodeAddresses(bytes)
    if (incoming.kind !== 'query') continue
    const answer = answerQuestion(zone, incoming.query.question, round)
    if (!answer) continue
    const { length } = encodeAnswer(incoming.query, answer, incoming.query.payloadLimit)
    if (length > incoming.query.payloadLimit) tooLong.push(bytes.toString('hex'))
  }
  expect(tooLong).toEqual([])
  expect([...kinds].toSorted()).toEqual(['ignored', 'malformed', 'query'])
})
