import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { asError, type Env } from '@tiphys/env'
import { acceptWebSocket } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { type ContainerRef, type NodePods, NodeRefusal } from '../node/node-pods.ts'
import { containerLog, containerNames, sendLogs } from './container-logs.ts'
import { type KubeletAccess, type KubeletUser, neededRight } from './kubelet-access.ts'
import { KubeletRefusal } from './kubelet-refusal.ts'
import { NodeUsage } from './node-usage.ts'
import { SPDY_PORT_FORWARD_PROTOCOLS, servePortForward, WEB_SOCKET_PORT_FORWARD_PROTOCOLS } from './port-forward.ts'
import { type CommandStreams, commandOptions, RemoteCommand } from './remote-command.ts'
import { SPDY_COMMAND_PROTOCOLS, spdyStreams } from './spdy-streams.ts'
import { acceptSpdy } from './spdy-upgrade.ts'
import { WEB_SOCKET_COMMAND_PROTOCOLS, webSocketStreams } from './web-socket-streams.ts'

export interface KubeletServerOptions {
  env: Env
  nodeName: string
  pods: NodePods
  access: KubeletAccess
  /** What the node shows to its clients (PEM). */
  certificate: string
  key: string
  /** The authority whose certificates name clients (PEM). */
  clientCa: string
  host?: string
  port?: number
}

export interface KubeletServer {
  readonly host: string
  readonly port: number
  /** Ends every connection. */
  stop(): Promise<void>
}

/** Serves what a kubelet serves over HTTPS: logs, exec, attach and port-forward for the API server, and what the node
 *  tells about itself. Nobody gets anything without a right to it: a client certificate or a bearer token says who asks,
 *  and the API server whether that user may. */
export async function createKubeletServer(options: KubeletServerOptions): Promise<KubeletServer> {
  const { certificate, key, clientCa, host = '127.0.0.1', port = 0, env } = options
  const server = createServer({ cert: certificate, key, ca: clientCa, requestCert: true, rejectUnauthorized: false })
  const kubelet = new Kubelet(options)
  const connections = new Set<Duplex>()
  // Also those whose handshake is not complete: the server would wait for them when it stops.
  server.on('connection', (socket: Duplex) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  const report = (incoming: IncomingMessage) => (error: Error) =>
    env.log.error('a request to the node failed', { node: options.nodeName, path: incoming.url, error })
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    kubelet.serve(incoming, response).catch(report(incoming))
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    kubelet.upgrade(incoming, socket, head).catch(report(incoming))
  })
  await listening(server, host, port)
  return {
    host,
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        for (const socket of connections) socket.destroy()
      }),
  }
}

const listening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

/** An answer that is not a stream. */
interface Answer {
  status: number
  text: string
  type?: string
}

const PAGE_NOT_FOUND = () => new KubeletRefusal(404, '404 page not found\n')

class Kubelet {
  readonly #options: KubeletServerOptions
  readonly #usage: NodeUsage
  /** Whom the certificates of connections name: reading one takes longer than a short answer. */
  readonly #users = new WeakMap<TLSSocket, KubeletUser | undefined>()

  constructor(options: KubeletServerOptions) {
    this.#options = options
    this.#usage = new NodeUsage(options.nodeName, options.pods, options.env.clock)
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = await this.#admit(incoming)
      const [, root, ...parts] = pathParts(url)
      if (incoming.method === 'GET' && root === 'containerLogs') return await this.#sendLogs(url, parts, response)
      if (STREAMING.includes(root as string)) throw new KubeletRefusal(400, 'Upgrade request required')
      const answer = await this.#answer(incoming.method, url.pathname)
      if (!answer) throw PAGE_NOT_FOUND()
      writeAnswer(response, answer)
    } catch (thrown) {
      const answer = this.#refusal(thrown, incoming)
      if (response.headersSent) response.destroy()
      else writeAnswer(response, answer)
    }
  }

  async upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const url = await this.#admit(incoming)
      const [, root, ...parts] = pathParts(url)
      if (root === 'exec' || root === 'attach')
        return await this.#serveCommand(root, url, parts, incoming, socket, head)
      if (root === 'portForward') return await this.#servePortForward(parts, incoming, socket, head)
      throw PAGE_NOT_FOUND()
    } catch (thrown) {
      refuseUpgrade(socket, this.#refusal(thrown, incoming))
    }
  }

  /** Throws unless somebody with the right to it asks. */
  async #admit(incoming: IncomingMessage): Promise<URL> {
    const { access } = this.#options
    const url = new URL(incoming.url ?? '/', 'https://kubelet')
    const user = this.#certificateUser(incoming.socket as TLSSocket) ?? (await this.#tokenUser(incoming))
    if (!user) throw new KubeletRefusal(401, 'Unauthorized')
    const { verb, subresources } = neededRight(incoming.method ?? '', url.pathname)
    if (!(await access.isAllowed(user, verb, subresources))) {
      const words = `user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}]`
      throw new KubeletRefusal(403, `Forbidden (${words})\n`)
    }
    return url
  }

  #certificateUser(socket: TLSSocket): KubeletUser | undefined {
    if (!this.#users.has(socket)) this.#users.set(socket, certificateUser(socket))
    return this.#users.get(socket)
  }

  async #tokenUser(incoming: IncomingMessage): Promise<KubeletUser | undefined> {
    const [scheme = '', token = ''] = (incoming.headers.authorization ?? '').trim().split(' ')
    if (scheme.toLowerCase() !== 'bearer' || token === '') return undefined
    return this.#options.access.authenticate(token)
  }

  #refusal(thrown: unknown, incoming: IncomingMessage): Answer {
    if (thrown instanceof KubeletRefusal || thrown instanceof NodeRefusal) {
      return { status: thrown.status, text: thrown.message }
    }
    const error = asError(thrown)
    this.#options.env.log.warn('the node could not do what it was asked', { path: incoming.url, error })
    return { status: 500, text: error.message }
  }

  async #answer(method: string | undefined, path: string): Promise<Answer | undefined> {
    if (method !== 'GET') return undefined
    switch (path.replace(/\/$/, '')) {
      case '/healthz':
        return { status: 200, text: 'ok' }
      case '/pods':
      case '/runningpods': {
        const list = { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: this.#options.pods.pods() }
        return { status: 200, text: JSON.stringify(list), type: 'application/json' }
      }
      case '/stats/summary':
        return { status: 200, text: JSON.stringify(await this.#usage.summary()), type: 'application/json' }
      case '/metrics':
        return { status: 200, text: this.#usage.metrics(), type: METRICS_TYPE }
      case '/metrics/resource':
        return { status: 200, text: await this.#usage.resourceMetrics(), type: METRICS_TYPE }
    }
    return undefined
  }

  async #sendLogs(url: URL, parts: readonly string[], response: ServerResponse): Promise<void> {
    const { pods, env } = this.#options
    const [namespace = '', name = '', container = ''] = parts
    if (parts.length !== 3) throw PAGE_NOT_FOUND()
    const read = containerLog(pods, { namespace, pod: name, container }, url.searchParams)
    await sendLogs(read, response, env.clock)
  }

  async #serveCommand(
    how: 'exec' | 'attach',
    url: URL,
    parts: readonly string[],
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    const { pods, env } = this.#options
    const ref = this.#containerAt(parts)
    const options = commandOptions(url.searchParams)
    if (!options) throw new KubeletRefusal(400, 'you must specify at least 1 of stdin, stdout, stderr')
    const argv = url.searchParams.getAll('command')
    const command = await RemoteCommand.start(options, config =>
      how === 'exec' ? pods.exec(ref, { ...config, argv }) : pods.attach(ref, config),
    )
    let streams: CommandStreams | undefined
    try {
      const accepted = acceptWebSocket(incoming, socket, head, WEB_SOCKET_COMMAND_PROTOCOLS)
      if (accepted) streams = webSocketStreams(accepted.socket, accepted.protocol, options)
      else {
        const protocol = acceptSpdy(incoming, socket, head, SPDY_COMMAND_PROTOCOLS)
        streams = await spdyStreams(socket, protocol, options, env.clock)
      }
    } finally {
      if (!streams) await command.abandon()
    }
    if (streams) await command.serve(streams)
  }

  async #servePortForward(
    parts: readonly string[],
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    const { pods } = this.#options
    const [namespace = '', name = '', uid] = parts
    const pod = this.#findPod(namespace, name)
    if (!pod) throw new KubeletRefusal(404, 'pod does not exist')
    if (uid !== undefined && pod.metadata?.uid !== uid) throw new KubeletRefusal(404, 'pod not found')
    const accepted = acceptWebSocket(incoming, socket, head, WEB_SOCKET_PORT_FORWARD_PROTOCOLS)
    if (!accepted) acceptSpdy(incoming, socket, head, SPDY_PORT_FORWARD_PROTOCOLS)
    const forwarded = {
      name,
      uid: pod.metadata?.uid ?? '',
      dial: (port: number) => pods.dial({ namespace, pod: name }, port),
    }
    await servePortForward(accepted?.socket ?? socket, forwarded).closed
  }

  /** `/exec/namespace/pod/container`, with the pod's uid before the container where the client knows it. */
  #containerAt(parts: readonly string[]): ContainerRef {
    const [namespace = '', name = ''] = parts
    if (parts.length !== 3 && parts.length !== 4) throw PAGE_NOT_FOUND()
    const pod = this.#findPod(namespace, name)
    if (!pod || (parts.length === 4 && pod.metadata?.uid !== parts[2]))
      throw new KubeletRefusal(404, 'pod does not exist')
    const container = parts.at(-1) as string
    if (!containerNames(pod).includes(container)) {
      throw new KubeletRefusal(500, `container not found (${JSON.stringify(container)})`)
    }
    return { namespace, pod: name, container }
  }

  #findPod(namespace: string, name: string): Pod | undefined {
    return this.#options.pods.pod(namespace, name)
  }
}

const STREAMING = ['exec', 'attach', 'portForward']
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

function pathParts(url: URL): string[] {
  try {
    return url.pathname.split('/').map(decodeURIComponent)
  } catch {
    throw new KubeletRefusal(400, '400 Bad Request')
  }
}

function certificateUser(socket: TLSSocket): KubeletUser | undefined {
  if (!socket.authorized) return undefined
  const { CN, O } = socket.getPeerCertificate().subject as { CN?: string | string[]; O?: string | string[] }
  const name = [CN ?? []].flat()[0]
  return name === undefined ? undefined : { name, groups: [...[O ?? []].flat(), 'system:authenticated'] }
}

function writeAnswer(response: ServerResponse, { status, text, type = 'text/plain; charset=utf-8' }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function refuseUpgrade(socket: Duplex, { status, text }: Answer): void {
  if (!socket.writable) return
  const head = [
    `HTTP/1.1 ${status} ${STATUS_TEXT[status] ?? 'Error'}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
}
