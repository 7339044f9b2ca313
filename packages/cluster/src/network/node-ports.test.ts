import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { systemClock } from '@tiphys/env'
import { freePort } from '@tiphys/env/testing'
import { afterEach, expect, test } from 'vitest'
import type { ServiceRoute } from '../runtime/pod-runtime.ts'
import { dial } from './dial.ts'
import { createNodePorts, type NodePortProblem } from './node-ports.ts'
import type { Target } from './service-table.ts'

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

async function listen(onConnection: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true }, onConnection)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => server.close())
  return { server, port: (server.address() as AddressInfo).port }
}

/** Answers when the other side has said everything. */
function echo(socket: Socket): void {
  let said = ''
  socket.on('data', chunk => {
    said += String(chunk)
  })
  socket.on('end', () => socket.end(`heard ${said}`))
}

const service = (nodePort: number, ports: readonly number[], protocol: 'TCP' | 'UDP' = 'TCP'): ServiceRoute => ({
  namespace: 'default',
  name: 'web',
  clusterIps: ['10.96.1.1'],
  sessionAffinity: 'None',
  ports: [{ name: '', protocol, port: 80, nodePort, targets: ports.map(port => ({ ip: '127.0.0.1', port })) }],
  endpoints: [],
  publishNotReadyAddresses: false,
})

function start() {
  const problems: NodePortProblem[] = []
  const dialTarget = (target: Target) => {
    if (target === 'api') throw new Error('no service here leads to the API')
    return dial({ host: target.ip, port: target.port }, { clock: systemClock })
  }
  const nodePorts = createNodePorts({ dial: dialTarget, onProblem: problem => problems.push(problem) })
  cleanUps.push(() => nodePorts.close())
  return { nodePorts, problems }
}

async function ask(port: number): Promise<string> {
  const socket = await dial({ host: '127.0.0.1', port }, { clock: systemClock })
  socket.end('hello')
  return text(socket)
}

test('leads from a node port to a pod, past one that refuses', async () => {
  const { port } = await listen(echo)
  const [nodePort, dead] = [await freePort(), await freePort()]
  const { nodePorts, problems } = start()
  nodePorts.setServices([service(nodePort, [dead, port])])
  await nodePorts.whenOpen()
  expect(await Promise.all([ask(nodePort), ask(nodePort), ask(nodePort)])).toEqual(Array(3).fill('heard hello'))
  expect(problems).toEqual([])
})

test('a connection that no pod takes is reset, not ended as if all were said', async () => {
  const [nodePort, dead] = [await freePort(), await freePort()]
  const { nodePorts } = start()
  nodePorts.setServices([service(nodePort, [dead])])
  await nodePorts.whenOpen()
  await expect(ask(nodePort)).rejects.toThrow()
})

test('a port that is taken is told once, the others open, and it opens when it can be had', async () => {
  const taken = await listen(() => {})
  const pod = await listen(echo)
  const nodePort = await freePort()
  const { nodePorts, problems } = start()
  const services = [service(taken.port, [pod.port]), { ...service(nodePort, [pod.port]), name: 'other' }]
  for (let round = 0; round < 2; round++) {
    nodePorts.setServices(services)
    await nodePorts.whenOpen()
  }
  expect(problems).toEqual([
    {
      namespace: 'default',
      name: 'web',
      nodePort: taken.port,
      message: `The node port ${taken.port} cannot be opened on 127.0.0.1: another program listens on it`,
    },
  ])
  expect(await ask(nodePort)).toBe('heard hello')
  await new Promise(resolve => taken.server.close(resolve))
  nodePorts.setServices(services)
  await nodePorts.whenOpen()
  expect(await ask(taken.port)).toBe('heard hello')
})

test('closes the port of a service that goes, and lets its connections go on', async () => {
  const pod = await listen(() => {})
  const connected = new Promise<Socket>(resolve => pod.server.once('connection', resolve))
  const nodePort = await freePort()
  const { nodePorts } = start()
  nodePorts.setServices([service(nodePort, [pod.port])])
  await nodePorts.whenOpen()
  const socket = await dial({ host: '127.0.0.1', port: nodePort }, { clock: systemClock })
  const answer = text(socket)
  const podSide = await connected
  nodePorts.setServices([])
  await expect(dial({ host: '127.0.0.1', port: nodePort }, { clock: systemClock })).rejects.toThrow('ECONNREFUSED')
  podSide.end('still here')
  expect(await answer).toBe('still here')
  socket.end()
})

test('says that a UDP node port is not opened', async () => {
  const { nodePorts, problems } = start()
  nodePorts.setServices([service(30_053, [53], 'UDP')])
  expect(problems.map(({ message }) => message)).toEqual([
    'The node port 30053 is not opened: it is a UDP port, and only TCP is relayed from here',
  ])
})
