import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { asError, type Clock, type Timer } from '@tiphys/env'
import {
  type Answer,
  decodeAddresses,
  decodeQuery,
  encodeAnswer,
  encodeMalformed,
  encodeQuestion,
  type Query,
  RecordType,
  ResponseCode,
} from './dns-message.ts'
import { answerQuestion, type Zone } from './dns-zone.ts'

type Forward = (message: Uint8Array) => Promise<Uint8Array>

export interface DnsServerOptions {
  ip: string
  port?: number
  clock: Clock
  zone: () => Zone
  /** Asks the machine's resolver a question that is none of the cluster's; takes and gives whole DNS messages.
   *  Without it, such names do not exist: nobody waits for an answer that cannot come. */
  forward?: Forward | undefined
}

export interface DnsServer {
  readonly port: number
  close(): void
}

const TCP_IDLE_MS = 10_000
const LARGEST_MESSAGE = 65_535
const MOST_UNREAD = 1_000_000
const NOBODY: Answer = { code: ResponseCode.NXDOMAIN, answers: [], authority: [], additional: [] }

/** Serves a cluster's names over UDP and TCP. */
export async function startDnsServer({ ip, port = 53, clock, zone, forward }: DnsServerOptions): Promise<DnsServer> {
  let turn = 0
  const answer = async (message: Uint8Array, limitOf: (query: Query) => number): Promise<Uint8Array | undefined> => {
    const incoming = decodeQuery(message)
    if (incoming.kind === 'ignored') return undefined
    if (incoming.kind === 'malformed') return encodeMalformed(incoming.id, incoming.opcode)
    const { query } = incoming
    const own = answerTo(query, zone(), turn++)
    if (own) return encodeAnswer(query, forward ? await completeAlias(query, own, forward) : own, limitOf(query))
    if (!forward) return encodeAnswer(query, NOBODY, limitOf(query))
    const forwarded = await forward(message).catch(asError)
    if (!(forwarded instanceof Error)) return forwarded
    return encodeAnswer(query, { ...NOBODY, code: ResponseCode.SERVFAIL }, limitOf(query))
  }

  const udp = createSocket('udp4')
  udp.on('message', (message, { address, port: clientPort }) => {
    void answer(message, query => query.payloadLimit).then(reply => {
      // Whoever has gone meanwhile concerns nobody.
      if (reply && !isClosed) udp.send(reply, clientPort, address, () => {})
    })
  })
  const connections = new Set<Socket>()
  const tcp = createServer(socket => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    serveStream(socket, clock, message => answer(message, () => LARGEST_MESSAGE))
  })
  let isClosed = false
  await new Promise<void>((resolve, reject) => {
    udp.once('error', reject)
    tcp.once('error', reject)
    // Any free port is one that TCP has free: of UDP's hardly any is ever taken.
    tcp.listen({ host: ip, port }, () => udp.bind((tcp.address() as AddressInfo).port, ip, resolve))
  })
  for (const server of [udp, tcp]) server.removeAllListeners('error').on('error', () => {})
  return {
    port: udp.address().port,
    close() {
      isClosed = true
      udp.close()
      tcp.close()
      for (const connection of connections) connection.destroy()
    },
  }
}

/** Adds what an alias to a name outside leads to, because simple resolvers do not ask again. */
async function completeAlias(query: Query, own: Answer, forward: Forward): Promise<Answer> {
  const last = own.answers.at(-1)
  const { type } = query.question
  if (last?.type !== 'CNAME' || (type !== RecordType.A && type !== RecordType.AAAA)) return own
  const reply = await forward(encodeQuestion(query.id, { labels: last.target, type })).catch(asError)
  const found = reply instanceof Error ? undefined : decodeAddresses(reply)
  if (!found) return { ...own, code: ResponseCode.SERVFAIL }
  return { ...own, code: found.code, answers: [...own.answers, ...found.records] }
}

function answerTo(query: Query, zone: Zone, turn: number): Answer | undefined {
  if (query.opcode !== 0) return { ...NOBODY, code: ResponseCode.NOTIMP }
  if (query.ednsVersion !== undefined && query.ednsVersion > 0) return { ...NOBODY, code: ResponseCode.BADVERS }
  return answerQuestion(zone, query.question, turn)
}

/** Messages with their length before them, answered in order. */
function serveStream(
  socket: Socket,
  clock: Clock,
  answer: (message: Uint8Array) => Promise<Uint8Array | undefined>,
): void {
  let pending = Buffer.alloc(0)
  let last = Promise.resolve()
  let idle: Timer | undefined
  const restartIdle = () => {
    idle?.cancel()
    idle = clock.schedule(TCP_IDLE_MS, () => socket.destroy())
  }
  restartIdle()
  socket.on('error', () => {})
  socket.once('close', () => idle?.cancel())
  socket.on('data', chunk => {
    restartIdle()
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0)
      const message = pending.subarray(2, end)
      pending = pending.subarray(end)
      last = last.then(async () => {
        const reply = await answer(message)
        if (!reply || socket.destroyed) return
        // Whoever asks and asks and never reads would fill the memory.
        if (socket.writableLength > MOST_UNREAD) return void socket.destroy()
        const length = Buffer.alloc(2)
        length.writeUInt16BE(reply.length)
        socket.write(Buffer.concat([length, reply]))
      })
    }
  })
}
