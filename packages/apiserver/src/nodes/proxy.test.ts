import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { systemEnv } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiServer, createApiServer, type SecureListening } from '../server/api-server.ts'
import type { PodAddress } from './service-endpoints.ts'

const POD = '/api/v1/namespaces/default/pods/web'
const IP = '10.1.2.3'

describe('a proxied request', () => {
  let web: Server
  let server: ApiServer
  let listening: SecureListening
  const dialled: PodAddress[] = []
  const seen: IncomingMessage[] = []

  beforeAll(async () => {
    web = createServer((request, response) => {
      seen.push(request)
      if (request.url === '/moved') return response.writeHead(302, { location: '/elsewhere?x=1' }).end()
      let length = 0
      request.on('data', (chunk: Buffer) => {
        length += chunk.length
      })
      request.on('end', () =>
        response.writeHead(200, { 'x-own': 'yes' }).end(`${request.method} ${request.url} ${length}`),
      )
    })
    web.on('upgrade', (_request, socket: Duplex) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      socket.pipe(socket)
    })
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    const { port } = web.address() as AddressInfo
    const dialPod = async (address: PodAddress) => {
      dialled.push(address)
      if (address.port === 1) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
      return connect(port, '127.0.0.1')
    }
    server = await createApiServer({
      env: systemEnv,
      clusterDefaults: true,
      dialPod,
      tokens: [{ token: 'admin', user: 'admin', groups: ['system:masters'] }],
    })
    listening = await server.listen()
    await prepare()
  })
  afterAll(async () => {
    await server.close()
    web.close()
  })

  async function prepare(): Promise<void> {
    const client = server.client()
    const status = (object: KubeObject, status: unknown) =>
      client.subresource('update', { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web' }, 'status', {
        ...object,
        status,
      })
    const containers = [{ name: 'web', image: 'web', ports: [{ containerPort: 8080 }] }]
    const pod = await client.create({ ...named('v1', 'Pod', 'web'), spec: { containers } })
    await status(pod, { podIP: IP, podIPs: [{ ip: IP }] })
    const ports = [{ name: 'http', port: 80, targetPort: 8080 }]
    await client.create({ ...named('v1', 'Service', 'front'), spec: { ports } })
    const slice = named('discovery.k8s.io/v1', 'EndpointSlice', 'front-1')
    slice.metadata.labels = { 'kubernetes.io/service-name': 'front' }
    await client.create({
      ...slice,
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [
        { addresses: [IP], targetRef: { kind: 'Pod', namespace: 'default', name: 'web' } },
        // Nobody's: a service is no way to other machines.
        { addresses: ['10.9.9.9'] },
      ],
    })
  }

  const named = (apiVersion: string, kind: string, name: string): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'default' },
  })

  const ask = (path: string, options: { method?: string; body?: Buffer; headers?: Record<string, string> } = {}) =>
    new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; text: string }>(
      (resolve, reject) => {
        const { host, port, caCertificate } = listening
        const headers = { authorization: 'Bearer admin', 'impersonate-user': 'admin', ...options.headers }
        const { method = 'GET' } = options
        const call = httpsRequest({ host, port, path, method, headers, ca: caCertificate, agent: false }, answer => {
          let text = ''
          answer.on('data', chunk => {
            text += String(chunk)
          })
          answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }))
        })
        call.on('error', reject)
        call.end(options.body)
      },
    )

  const admin = { 'impersonate-group': 'system:masters' }

  it('reaches a port of a pod with its path and query', async () => {
    const answer = await ask(`${POD}/proxy/a%20b/c/?q=1`, { headers: admin })
    expect(answer).toMatchObject({ status: 200, text: 'GET /a%20b/c/?q=1 0', headers: { 'x-own': 'yes' } })
    expect(dialled.at(-1)).toEqual({ namespace: 'default', pod: 'web', ip: IP, port: 8080 })
    await ask('/api/v1/namespaces/default/pods/http:web:99/proxy/', { headers: admin })
    expect(dialled.at(-1)?.port).toBe(99)
  })

  it('shows nobody’s credentials to a pod', async () => {
    await ask(`${POD}/proxy/x`, { headers: { ...admin, 'x-mine': 'kept' } })
    const { headers } = seen.at(-1) as IncomingMessage
    expect(Object.keys(headers).filter(name => name === 'authorization' || name.startsWith('impersonate'))).toEqual([])
    expect(headers['x-mine']).toBe('kept')
  })

  it('passes on bodies that are larger than objects may be', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024)
    const answer = await ask(`${POD}/proxy/upload`, { method: 'POST', body, headers: admin })
    expect(answer.text).toBe(`POST /upload ${body.length}`)
  })

  it('keeps redirects inside', async () => {
    expect(await ask(`${POD}/proxy`, { headers: admin })).toMatchObject({
      status: 301,
      headers: { location: `${POD}/proxy/` },
    })
    expect(await ask(`${POD}/proxy/moved`, { headers: admin })).toMatchObject({
      status: 302,
      headers: { location: `${POD}/proxy/elsewhere?x=1` },
    })
  })

  it('reaches a service by the name or number of its port', async () => {
    for (const id of ['front:http', 'front:80', 'http:front:http']) {
      const answer = await ask(`/api/v1/namespaces/default/services/${id}/proxy/x`, { headers: admin })
      expect(answer.text).toBe('GET /x 0')
      expect(dialled.at(-1)).toMatchObject({ ip: IP, port: 8080 })
    }
    const none = await ask('/api/v1/namespaces/default/services/front:other/proxy/', { headers: admin })
    expect(JSON.parse(none.text)).toMatchObject({
      code: 503,
      message: 'no endpoints available for service "front:other"',
    })
  })

  it('says that nobody listens', async () => {
    const { text } = await ask('/api/v1/namespaces/default/pods/web:1/proxy/', { headers: admin })
    expect(JSON.parse(text)).toMatchObject({
      code: 503,
      message: `error trying to reach service: dial tcp ${IP}:1: connect: connection refused`,
    })
  })

  it('may change protocols', async () => {
    const { host, port, caCertificate } = listening
    const headers = { authorization: 'Bearer admin', connection: 'Upgrade', upgrade: 'echo' }
    const call = httpsRequest({ host, port, path: `${POD}/proxy/ws`, headers, ca: caCertificate, agent: false })
    call.end()
    const [, socket] = (await once(call, 'upgrade')) as [IncomingMessage, Duplex]
    socket.write('hello')
    expect(String((await once(socket, 'data'))[0])).toBe('hello')
    socket.destroy()
  })

  it('is refused without the right to it', async () => {
    const { status } = await ask(`${POD}/proxy/`, { headers: { 'impersonate-user': 'nobody' } })
    expect(status).toBe(403)
  })
})
