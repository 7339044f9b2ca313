import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServiceRoute } from '../runtime/pod-runtime.ts'
import { NAMESPACES, NetworkHarness, whyNoNamespaces } from './testing/network-harness.ts'

/** Says who it is to every connection, over TCP and UDP, all pods on the same ports. */
const SERVER = `
  const { createServer } = require('node:net'), name = process.argv[1]
  createServer({ allowHalfOpen: true }, socket => {
    let got = 0
    socket.on('data', chunk => { got += chunk.length })
    socket.on('end', () => socket.end(name + ' got ' + got + ' from ' + socket.remoteAddress))
    socket.on('error', () => {})
  }).listen(8080, '0.0.0.0', () => {
    const udp = require('node:dgram').createSocket('udp4')
    udp.on('message', (data, from) => udp.send(name + ' heard ' + data, from.port, from.address))
    udp.bind(5353, '0.0.0.0', () => console.log('ready'))
  })`

/** Connects a number of times, one after the other, and prints what it got. */
const CLIENT = `
  const [host, port, times, bytes] = process.argv.slice(1)
  const { connect } = require('node:net')
  const once = () => new Promise(resolve => {
    const socket = connect({ host, port: Number(port), allowHalfOpen: true }, () => socket.end(Buffer.alloc(Number(bytes))))
    let said = ''
    socket.on('data', chunk => { said += chunk })
    socket.on('end', () => resolve(said))
    socket.on('error', error => resolve(error.code))
  });
  (async () => {
    const answers = []
    for (let index = 0; index < Number(times); index++) answers.push(await once())
    console.log(JSON.stringify(answers))
  })()`

const UDP_CLIENT = `
  const [host, port, ...words] = process.argv.slice(1)
  const socket = require('node:dgram').createSocket('udp4')
  const heard = []
  socket.on('message', data => { heard.push(String(data)); if (heard.length === words.length) { console.log(JSON.stringify(heard)); socket.close() } })
  for (const word of words) socket.send(word, Number(port), host)`

const LOOKUP = `
  const { Resolver } = require('node:dns').promises, [type, name] = process.argv.slice(1)
  new Resolver().resolve(name, type).then(found => console.log(JSON.stringify(found)), error => console.log(JSON.stringify(error.code)))`

for (const [how, flags] of Object.entries(NAMESPACES)) {
  const obstacle = whyNoNamespaces(flags)
  describe.skipIf(obstacle !== undefined)(
    `a network of pods ${how}${obstacle ? ` (not run: ${obstacle})` : ''}`,
    () => {
      let network: NetworkHarness
      const ips: Record<string, string> = {}
      const api = createServer((request, response) => response.end(`the API at ${request.url}`))

      const service = (
        name: string,
        clusterIp: string | undefined,
        more: Partial<ServiceRoute> = {},
      ): ServiceRoute => ({
        namespace: 'default',
        name,
        clusterIps: clusterIp === undefined ? [] : [clusterIp],
        sessionAffinity: 'None',
        ports: [
          { name: 'main', protocol: 'TCP', port: 80, targets: servers().map(ip => ({ ip, port: 8080 })) },
          { name: 'words', protocol: 'UDP', port: 53, targets: servers().map(ip => ({ ip, port: 5353 })) },
        ],
        endpoints: servers().map((ip, index) => ({ ip, hostname: `web-${index}`, ready: true })),
        publishNotReadyAddresses: false,
        ...more,
      })
      const servers = () => ['one', 'two', 'three'].map(name => ips[name] ?? '')
      const kubernetes = (): ServiceRoute =>
        service('kubernetes', '10.96.0.1', {
          ports: [{ name: 'https', protocol: 'TCP', port: 443, targets: ['api'] }],
          endpoints: [],
        })
      const ask = async (host: string, port: number, times: number, bytes = 0): Promise<string[]> => {
        const { stdout, stderr } = await network.runIn(
          'client',
          process.execPath,
          '-e',
          CLIENT,
          host,
          `${port}`,
          `${times}`,
          `${bytes}`,
        )
        expect(stderr).toBe('')
        return JSON.parse(stdout) as string[]
      }

      beforeAll(async () => {
        network = await NetworkHarness.start(flags)
        await new Promise<void>(resolve => api.listen(network.apiSocket, resolve))
        await Promise.all(
          ['one', 'two', 'three'].map(async name => {
            ips[name] = (await network.addPod(name)).ip
            await network.startIn(name, process.execPath, '-e', SERVER, name)
          }),
        )
        ips.client = (await network.addPod('client')).ip
        await network.setServices([kubernetes(), service('web', '10.96.7.7'), service('headless', undefined)])
      })

      afterAll(async () => {
        await network?.close()
        api.close()
      })

      test('gives every pod an address, and three pods the same port', async () => {
        expect(new Set(Object.values(ips)).size).toBe(4)
        for (const name of ['one', 'two', 'three']) {
          expect(await ask(ips[name] ?? '', 8080, 1)).toEqual([`${name} got 0 from ${ips.client}`])
          expect(await network.dial(ips[name] ?? '', 8080, 'abc')).toContain(`${name} got 3`)
        }
      })

      test('reaches what listens on a pod’s loopback alone', async () => {
        const script = `
          const { createServer } = require('node:net')
          const listen = (port, onConnection) => createServer({ allowHalfOpen: true }, onConnection).listen(port, '127.0.0.1')
          listen(7777, socket => socket.end('inside'))
          listen(7779, socket => {
            let said = ''
            socket.on('data', chunk => { said += chunk })
            socket.on('end', () => socket.end('heard ' + said))
          }).on('listening', () => console.log('ready'))`
        await network.startIn('one', process.execPath, '-e', script)
        await expect(network.dial(ips.one ?? '', 7777, '')).rejects.toThrow('ECONNREFUSED')
        expect(await network.dialLoopback('one', 7777, '')).toBe('inside')
        expect(await network.dialLoopback('one', 7779, 'this')).toBe('heard this')
        await expect(network.dialLoopback('one', 7778, '')).rejects.toThrow('ECONNREFUSED')
      })

      test('spreads connections to a ClusterIP over all replicas', async () => {
        const answers = await ask('10.96.7.7', 80, 6)
        expect(answers.map(answer => answer.split(' ')[0] ?? '').toSorted()).toEqual([
          'one',
          'one',
          'three',
          'three',
          'two',
          'two',
        ])
      })

      test('passes much data on and the end of one direction before the other', async () => {
        const [answer] = await ask('10.96.7.7', 80, 1, 20_000_000)
        expect(answer).toMatch(/got 20000000 from/)
      })

      test('finds a service by its name through the system’s own resolver', async () => {
        const short = await ask('web', 80, 1)
        const long = await ask('web.default.svc.cluster.local', 80, 1)
        expect([...short, ...long].every(answer => / got 0 from /.test(answer))).toBe(true)
        const { stdout } = await network.runIn('client', 'getent', 'hosts', 'web-1.headless.default.svc.cluster.local')
        expect(stdout.split(' ')[0]).toBe(ips.two)
      })

      test('finds the addresses of a headless service, and its named ports', async () => {
        const lookup = async (type: string, name: string) =>
          JSON.parse((await network.runIn('client', process.execPath, '-e', LOOKUP, type, name)).stdout) as unknown
        expect(((await lookup('A', 'headless.default.svc.cluster.local')) as string[]).toSorted()).toEqual(
          servers().toSorted(),
        )
        expect(await lookup('SRV', '_main._tcp.headless.default.svc.cluster.local')).toHaveLength(3)
        expect(await lookup('A', 'nothing.default.svc.cluster.local')).toBe('ENOTFOUND')
        expect(await lookup('AAAA', 'web.default.svc.cluster.local')).toBe('ENODATA')
      })

      test('answers for names outside at once when there is no way out', async () => {
        const { stdout, code } = await network.runIn(
          'client',
          'curl',
          '-sS',
          '-m',
          '3',
          '-w',
          '%{exitcode}',
          'http://example.com/',
        )
        expect([stdout, code]).toEqual(['6', 6])
        const outside = await network.runIn(
          'client',
          'curl',
          '-s',
          '-m',
          '3',
          '-w',
          '%{exitcode}',
          'http://192.0.2.99/',
        )
        expect(outside.stdout).toBe('7')
      })

      test('relays datagrams to one replica and back', async () => {
        const { stdout } = await network.runIn(
          'client',
          process.execPath,
          '-e',
          UDP_CLIENT,
          '10.96.7.7',
          '53',
          'a',
          'b',
          'c',
        )
        const heard = JSON.parse(stdout) as string[]
        expect(new Set(heard.map(line => line.split(' ')[0])).size).toBe(1)
        expect(heard.map(line => line.split(' ')[2] ?? '').toSorted()).toEqual(['a', 'b', 'c'])
      })

      test('leads to the API server, which pods cannot reach otherwise', async () => {
        const { stdout } = await network.runIn('client', 'curl', '-s', 'http://kubernetes.default.svc:443/version')
        expect(stdout).toBe('the API at /version')
      })

      test('refuses at once what leads nowhere', async () => {
        expect(await ask('10.96.7.7', 81, 1)).toEqual(['ECONNREFUSED'])
        expect(await ask('10.96.200.1', 80, 1)).toEqual(['ECONNREFUSED'])
      })

      test('goes to the next replica when one refuses, and follows the table', async () => {
        const ports = [
          {
            name: '',
            protocol: 'TCP' as const,
            port: 80,
            targets: [
              { ip: ips.one ?? '', port: 1 },
              { ip: ips.two ?? '', port: 8080 },
            ],
          },
        ]
        const others = [kubernetes(), service('web', '10.96.7.7'), service('headless', undefined)]
        await network.setServices([...others, service('flaky', '10.96.9.9', { ports })])
        expect(new Set(await ask('10.96.9.9', 80, 4))).toEqual(new Set([expect.stringContaining('two got 0')]))
        await network.setServices([...others, service('flaky', '10.96.9.9', { ports: [] })])
        expect(await ask('10.96.9.9', 80, 1)).toEqual(['ECONNREFUSED'])
        await network.setServices(others)
        expect(await network.problems()).toEqual([])
      })

      test('keeps a client at its replica when the service wants that', async () => {
        const others = [kubernetes(), service('web', '10.96.7.7'), service('headless', undefined)]
        await network.setServices([...others, service('sticky', '10.96.9.10', { sessionAffinity: 'ClientIP' })])
        expect(new Set(await ask('10.96.9.10', 80, 5)).size).toBe(1)
        await network.setServices(others)
      })

      test('has pods ready before they are asked for, and takes back what pods leave', async () => {
        for (let index = 0; index < 6; index++) {
          const { ip } = await network.addPod(`brief-${index}`)
          await network.removePod(`brief-${index}`)
          expect(ip).toMatch(/^10\.244\./)
        }
        await network.removePod('never-there')
        const { ip } = await network.addPod('last')
        expect(Object.values(ips)).not.toContain(ip)
      })
    },
  )
}

test('nothing of a network shows outside its namespaces', async context => {
  const flags = NAMESPACES['as root']
  if (whyNoNamespaces(flags) !== undefined) return context.skip()
  const before = readdirSync('/sys/class/net').toSorted()
  const network = await NetworkHarness.start(flags)
  const { netns } = await network.addPod('one')
  expect(readdirSync(join(netns, '..'))).toEqual([])
  expect(readdirSync('/sys/class/net').toSorted()).toEqual(before)
  await network.close()
})
