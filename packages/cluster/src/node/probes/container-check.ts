import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { asError } from '@tiphys/env'
import type { Container, GRPCAction, HTTPGetAction } from '@tiphys/kube/kinds'
import type { RunningContainer, Sandbox } from '../../runtime/pod-runtime.ts'

/** What a check needs of the container. */
export interface CheckTarget {
  container: Container
  sandbox: Sandbox
  running: RunningContainer
}

export interface CheckResult {
  isSuccess: boolean
  /** What the Event says of a failure. */
  output: string
}

/** How much of a program's output or of an answer is kept. */
const MOST_OUTPUT = 10 * 1024

const AGENT = 'kube-probe/1.36'

/** A port by number, or by its name in the container. */
export function portOf({ ports = [] }: Container, port: number | string): number {
  if (typeof port === 'number') return port
  const named = ports.find(({ name }) => name === port)?.containerPort
  if (named !== undefined) return named
  if (/^\d+$/u.test(port)) return Number(port)
  throw new Error(`couldn't find port: "${port}"`)
}

/** Runs a program in the container. The signal ends it. */
export async function checkExec(
  { running }: CheckTarget,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<CheckResult> {
  const parts: Uint8Array[] = []
  let kept = 0
  const session = await running.exec({
    argv,
    stdin: false,
    tty: false,
    output(_stream, chunk) {
      if (kept >= MOST_OUTPUT) return
      parts.push(chunk.subarray(0, MOST_OUTPUT - kept))
      kept += chunk.length
    },
  })
  const kill = () => void session.kill()
  signal.addEventListener('abort', kill, { once: true })
  try {
    const { exitCode } = await session.exited
    return { isSuccess: exitCode === 0 && !signal.aborted, output: Buffer.concat(parts).toString() }
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

export async function checkTcp(
  { container, sandbox }: CheckTarget,
  { port, host }: { port: number | string; host?: string },
): Promise<CheckResult> {
  const number = portOf(container, port)
  try {
    const socket = await sandbox.dial(number, host || undefined)
    socket.destroy()
    return { isSuccess: true, output: '' }
  } catch (thrown) {
    return { isSuccess: false, output: dialMessage(sandbox, number, host, thrown) }
  }
}

const dialMessage = ({ ips }: Sandbox, port: number, host: string | undefined, thrown: unknown) => {
  const { message } = asError(thrown)
  const why = message.includes('ECONNREFUSED') ? 'connection refused' : message
  return `dial tcp ${host || ips[0] || '127.0.0.1'}:${port}: connect: ${why}`
}

export async function checkHttp(
  target: CheckTarget,
  action: HTTPGetAction,
  signal: AbortSignal,
): Promise<CheckResult & { statusCode?: number }> {
  const { container, sandbox } = target
  const port = portOf(container, action.port)
  const path = action.path?.startsWith('/') ? action.path : `/${action.path ?? ''}`
  const isSecure = action.scheme === 'HTTPS'
  const address = action.host || sandbox.ips[0] || '127.0.0.1'
  const url = `${isSecure ? 'https' : 'http'}://${address}:${port}${path}`
  let socket: Duplex
  try {
    socket = await sandbox.dial(port, action.host || undefined)
  } catch (thrown) {
    return { isSuccess: false, output: `Get "${url}": ${dialMessage(sandbox, port, action.host, thrown)}` }
  }
  // A probe asks whether the server answers, not who it is.
  const stream = isSecure ? connectTls({ socket, rejectUnauthorized: false }) : socket
  try {
    const statusCode = await requestStatus(stream, path, headersOf(action, `${address}:${port}`), signal)
    const isSuccess = statusCode >= 200 && statusCode < 400
    return { isSuccess, statusCode, output: isSuccess ? '' : `HTTP probe failed with statuscode: ${statusCode}` }
  } catch (thrown) {
    const why = signal.aborted
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : (thrown as Error).message
    return { isSuccess: false, output: `Get "${url}": ${why}` }
  } finally {
    stream.destroy()
    socket.destroy()
  }
}

function headersOf({ httpHeaders = [] }: HTTPGetAction, host: string): Record<string, string> {
  const headers: Record<string, string> = { Host: host, 'User-Agent': AGENT, Accept: '*/*', Connection: 'close' }
  for (const { name, value } of httpHeaders) {
    const known = Object.keys(headers).find(each => each.toLowerCase() === name.toLowerCase())
    if (known !== undefined) delete headers[known]
    headers[name] = value
  }
  return headers
}

function requestStatus(
  stream: Duplex,
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      path,
      headers,
      signal,
      createConnection: () => stream,
    }
    stream.once('error', reject)
    const request = httpRequest(options, response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.once('error', reject)
    request.end()
  })
}

/** The health service that gRPC servers have. */
export async function checkGrpc(
  { sandbox }: CheckTarget,
  { port, service = '' }: GRPCAction,
  signal: AbortSignal,
): Promise<CheckResult> {
  const address = `${sandbox.ips[0] ?? '127.0.0.1'}:${port}`
  const failed = (output: string): CheckResult => ({ isSuccess: false, output })
  let socket: Duplex
  try {
    socket = await sandbox.dial(port)
  } catch {
    return failed(`timeout: failed to connect service "${address}" within 1s: context deadline exceeded`)
  }
  const session = connectHttp2(`http://${address}`, { createConnection: () => socket })
  try {
    const status = await askHealth(session, service, signal)
    return status === 1
      ? { isSuccess: true, output: '' }
      : failed(`service unhealthy (responded with "${HEALTH[status] ?? status}")`)
  } catch (thrown) {
    return failed(`error: health rpc probe failed: ${(thrown as Error).message}`)
  } finally {
    session.destroy()
    socket.destroy()
  }
}

const HEALTH = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']

function askHealth(session: ReturnType<typeof connectHttp2>, service: string, signal: AbortSignal): Promise<number> {
  const name = Buffer.from(service)
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name])
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
  return new Promise((resolve, reject) => {
    session.once('error', reject)
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': AGENT,
    })
    const parts: Buffer[] = []
    let trouble = ''
    signal.addEventListener('abort', () => stream.destroy(new Error('context deadline exceeded')), { once: true })
    stream.on('data', (chunk: Buffer) => parts.push(chunk))
    const readStatus = ({ 'grpc-status': status, 'grpc-message': text }: IncomingHttpHeaders) => {
      if (status !== undefined && status !== '0') trouble = String(text ?? status)
    }
    // A refusal has its status in the headers, an answer after its message.
    stream.on('response', readStatus)
    stream.on('trailers', readStatus)
    stream.once('error', reject)
    stream.once('end', () => {
      if (trouble !== '') return reject(new Error(trouble))
      const answer = Buffer.concat(parts)
      // Field 1 of the message, which follows five bytes of framing.
      resolve(answer[5] === 0x08 ? (answer[6] ?? 0) : 0)
    })
    stream.end(frame)
  })
}
