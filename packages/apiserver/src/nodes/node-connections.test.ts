import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { systemEnv } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CertificateAuthority } from '../authentication/certificate-authority.ts'
import { NodeConnections } from './node-connections.ts'
import { ask } from './upstream.ts'

let kubelet: Server
let nodes: NodeConnections
const connections: Duplex[] = []
/** Whom the certificates name that came with the requests. */
const callers: string[] = []
/** The connection is cut instead of an answer, so often. */
let cuts = 0

beforeEach(async () => {
  const authority = CertificateAuthority.create(systemEnv)
  const own = authority.issue({ usage: 'server', commonName: 'node', hosts: ['127.0.0.1'] })
  const client = authority.issue({ usage: 'client', commonName: 'api' })
  const tls = { cert: own.certificate, key: own.key, ca: authority.certificate, requestCert: true }
  kubelet = createServer(tls, (request, response) => {
    const socket = request.socket as TLSSocket
    if (cuts > 0) {
      cuts--
      return socket.destroy()
    }
    callers.push(socket.getPeerCertificate().subject.CN)
    response.end('log')
  })
  kubelet.on('connection', socket => connections.push(socket))
  kubelet.listen(0, '127.0.0.1')
  await once(kubelet, 'listening')
  const { port } = kubelet.address() as AddressInfo
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  }
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'one' }, status }
  nodes = new NodeConnections(
    () => node,
    () => ({ caCertificate: authority.certificate, client }),
  )
})

afterEach(async () => {
  nodes.close()
  connections.length = 0
  callers.length = 0
  cuts = 0
  await new Promise(resolve => kubelet.close(resolve))
})

async function readLog(): Promise<string> {
  const upstream = nodes.findKept('one', { group: '', resource: 'pods' })
  const request = { method: 'GET', path: '/', headers: {}, signal: new AbortController().signal }
  const { response } = await ask(upstream, request)
  let text = ''
  for await (const piece of response as AsyncIterable<Buffer>) text += piece.toString()
  return text
}

describe('a connection to a node', () => {
  it('is kept for the next request, with the credentials', async () => {
    expect([await readLog(), await readLog(), await readLog()]).toEqual(['log', 'log', 'log'])
    expect(connections).toHaveLength(1)
    expect(callers).toEqual(['api', 'api', 'api'])
  })

  it('is made again when the node has closed it', async () => {
    await readLog()
    cuts = 1
    expect(await readLog()).toBe('log')
    expect(connections).toHaveLength(2)
  })

  it('is given up when a new one is cut as well', async () => {
    cuts = 1
    await expect(readLog()).rejects.toThrow('EOF')
  })

  it('survives a caller that leaves just when the answer has come to its end', async () => {
    const upstream = nodes.findKept('one', { group: '', resource: 'pods' })
    const leaving = new AbortController()
    const request = { method: 'GET', path: '/', headers: {}, signal: leaving.signal }
    const { response } = await ask(upstream, request)
    expect(response.complete).toBe(true)
    // The second finds that there is no more: the end is about to be told.
    expect([response.read()?.toString(), response.read()]).toEqual(['log', null])
    leaving.abort(new Error('the caller left'))
    await new Promise(resolve => connections[0]?.once('close', resolve))
    expect(await readLog()).toBe('log')
  })

  it('does not outlive the server', async () => {
    await readLog()
    const [kept] = connections
    const closed = once(kept as Duplex, 'close')
    nodes.close()
    await closed
    expect(kept?.destroyed).toBe(true)
  })
})
