import { type AddressInfo, createServer, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { createApiServer } from '@tiphys/apiserver'
import { seededRandom, silentLog, systemClock, VirtualClock } from '@tiphys/env'
import { freePort } from '@tiphys/env/testing'
import { createCaches, kindRef } from '@tiphys/kube'
import type { ContainerPort, Pod } from '@tiphys/kube/kinds'
import { afterEach, expect, test } from 'vitest'
import { dial } from './dial.ts'
import { createHostPorts, followHostPorts } from './host-ports.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function listen(says: string): Promise<{ server: Server; port: number }> {
  // A relay that is closed resets what is left.
  const server = createServer(socket => socket.on('error', () => {}).end(says))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => server.close())
  return { server, port: (server.address() as AddressInfo).port }
}

let age = 0
const pod = (name: string, port: Partial<ContainerPort>, rest: Partial<Pod['status'] & object> = {}): Pod =>
  ({
    ...kindRef('v1', 'Pod'),
    metadata: { namespace: 'default', name, uid: name, creationTimestamp: new Date(age++ * 1000).toISOString() },
    spec: { containers: [{ name: 'main', ports: [port] }] },
    status: { phase: 'Running', podIP: '127.0.0.1', ...rest },
  }) as Pod

function start() {
  const problems: string[] = []
  const ports = createHostPorts({
    dial: (host, port) => dial({ host, port }, { clock: systemClock }),
    onProblem: ({ metadata }, message) => problems.push(`${metadata.name}: ${message}`),
  })
  cleanUps.push(() => ports.close())
  return { ports, problems }
}

async function ask(port: number): Promise<string> {
  const socket = await dial({ host: '127.0.0.1', port }, { clock: systemClock })
  socket.end()
  return text(socket)
}

test('leads from a host port to the pod, and to the next one when that is gone', async () => {
  const [one, two] = [await listen('one'), await listen('two')]
  const hostPort = await freePort()
  const { ports, problems } = start()
  const [older, younger] = [
    pod('older', { hostPort, containerPort: one.port }),
    pod('younger', { hostPort, containerPort: two.port }),
  ]
  ports.setPods([younger, older])
  await ports.whenOpen()
  expect(await ask(hostPort)).toBe('one')
  expect(problems).toEqual([
    `younger: The host port ${hostPort} is not opened: the pod default/older has it, on another node of this machine`,
  ])
  ports.setPods([younger])
  expect(await ask(hostPort)).toBe('two')
  ports.setPods([])
  await expect(ask(hostPort)).rejects.toThrow('ECONNREFUSED')
  expect(problems).toHaveLength(1)
})

test('says that a port is taken, and tries again when pods change', async () => {
  const { port } = await listen('pod')
  const other = await listen('other')
  const { ports, problems } = start()
  const wanting = pod('web', { hostPort: other.port, containerPort: port })
  ports.setPods([wanting])
  await ports.whenOpen()
  expect(problems).toEqual([
    `web: The host port ${other.port} cannot be opened on 127.0.0.1: another program listens on it`,
  ])
  await new Promise(resolve => other.server.close(resolve))
  ports.setPods([wanting])
  await ports.whenOpen()
  expect(await ask(other.port)).toBe('pod')
})

test('opens nothing for a pod that has ended, has no address, or lives in the network of the machine', async () => {
  const { port } = await listen('pod')
  const hostPort = await freePort()
  const { ports, problems } = start()
  const onHost = pod('host', { hostPort, containerPort: port })
  ports.setPods([
    pod('done', { hostPort, containerPort: port }, { phase: 'Succeeded' }),
    pod('new', { hostPort, containerPort: port }, { podIP: '' }),
    { ...onHost, spec: { ...onHost.spec, hostNetwork: true } } as Pod,
    pod('udp', { hostPort, containerPort: port, protocol: 'UDP' }),
  ])
  await ports.whenOpen()
  await expect(ask(hostPort)).rejects.toThrow('ECONNREFUSED')
  expect(problems).toEqual([
    `udp: The host port ${hostPort} is not opened: it is a UDP port, and only TCP is relayed from here`,
  ])
})

test('follows the pods of the cluster that have such ports', async () => {
  const clock = new VirtualClock()
  const env = { clock, random: seededRandom(1), log: silentLog }
  const server = await createApiServer({ env, clusterDefaults: true })
  const client = server.client()
  const caches = createCaches(client, { env })
  const seen: string[][] = []
  const follower = followHostPorts({ caches, env }, pods => seen.push(pods.map(({ metadata }) => metadata.name ?? '')))
  cleanUps.push(
    () => server.close(),
    () => caches.stop(),
    () => follower.stop(),
  )
  const create = (name: string, ports: ContainerPort[]) =>
    client.create({
      ...kindRef<Pod>('v1', 'Pod'),
      metadata: { namespace: 'default', name },
      spec: { containers: [{ name: 'main', image: 'web', ports }] },
    } as Pod)
  while (!follower.isIdle()) await clock.advance(10)
  await create('plain', [{ containerPort: 80 }])
  await create('open', [{ containerPort: 80, hostPort: 8080 }])
  while (seen.at(-1)?.length !== 1) await clock.advance(10)
  expect(seen.at(-1)).toEqual(['open'])
  await client.delete({ ...kindRef('v1', 'Pod'), namespace: 'default', name: 'open' }, { gracePeriodSeconds: 0 })
  while (seen.at(-1)?.length !== 0) await clock.advance(10)
})
