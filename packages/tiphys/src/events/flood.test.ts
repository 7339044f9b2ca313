import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { type KubeObject, readYaml } from '@tiphys/kube'
import { afterEach, expect, it } from 'vitest'
import { embeddedServer, LossScene } from './loss-scene.ts'

const isFull = process.env.TIPHYS_FULL !== undefined
const [PER_SECOND, SECONDS] = isFull ? [5000, 30] : [1500, 3]
/** In full more than the engine answers at once, so that it has to refuse. */
const CONNECTIONS = isFull ? 4000 : 400
const MIB = 2 ** 20
/** What an engine that takes in a flood may need beyond what it needs without. */
const MOST_MORE_BYTES = 384 * MIB

let scene: LossScene
let receiver: Server

afterEach(async () => {
  await scene.close()
  receiver.closeAllConnections()
  receiver.close()
})

const manifests = (port: number, url: string) => `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: flooded, namespace: default}
spec:
  dependencies: [{name: dep, eventSourceName: flood, eventName: push}]
  triggers:
    - template:
        name: post
        http: {url: "${url}", method: POST, payload: [{src: {dependencyName: dep, dataKey: body.number}, dest: number}]}
      retryStrategy: {steps: 20, duration: 100ms}
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: flood, namespace: default}
spec: {webhook: {push: {endpoint: /push, method: POST, port: "${port}"}}}
`

/** Sends so many requests a second, whether or not those before are answered, and prints the status of each. One that
 *  finds no connection free waits for one, which is the sender's time and not the engine's. */
const LOAD = `
const { connect } = require('node:net')
const [port, count, perSecond, most] = process.argv.slice(1).map(Number)
const statuses = new Array(count).fill(0)
const [began, idle, due] = [performance.now(), [], []]
let [begun, ended, open] = [0, 0, 0]
const bytesOf = n => {
  const body = JSON.stringify({ number: n, text: 'x'.repeat(200) })
  return 'POST /push HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: ' + body.length + '\\r\\n\\r\\n' + body
}
const done = () => {
  if (++ended === count) process.stdout.write(JSON.stringify(statuses), () => process.exit(0))
}
function dial() {
  open++
  const socket = connect(port, '127.0.0.1')
  let [current, text] = [-1, '']
  socket.take = n => { current = n; socket.write(bytesOf(n)) }
  socket.setEncoding('latin1').on('data', chunk => {
    // Nothing was asked: the connection is about to end.
    if (current < 0) return
    text += chunk
    const head = text.indexOf('\\r\\n\\r\\n')
    if (head < 0) return
    const length = Number(/content-length: (\\d+)/i.exec(text)?.[1] ?? 0)
    if (text.length < head + 4 + length) return
    statuses[current] = Number(text.slice(9, 12))
    const closes = /connection: close/i.test(text.slice(0, head))
    ;[current, text] = [-1, '']
    done()
    if (closes) socket.end()
    else free(socket)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    open--
    const at = idle.indexOf(socket)
    if (at >= 0) idle.splice(at, 1)
    // Nothing was answered: it is sent again, as it may be.
    if (current >= 0) due.unshift(current)
    if (due.length > 0) dial()
  })
  socket.on('connect', () => free(socket))
}
function free(socket) {
  if (due.length > 0) socket.take(due.shift())
  else idle.push(socket)
}
function next() {
  const until = Math.min(count, Math.ceil(((performance.now() - began) / 1000) * perSecond))
  for (; begun < until; begun++) {
    const socket = idle.pop()
    if (socket) socket.take(begun)
    else { due.push(begun); if (open < most) dial() }
  }
  if (begun < count) setTimeout(next, 1)
}
next()
`

/** The most memory that the process has had. */
const peakOf = (pid: number) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

it(`a flood of ${PER_SECOND} webhooks a second for ${SECONDS} s is answered, what was acknowledged is delivered, and memory is bounded`, {
  timeout: 600_000,
}, async () => {
  const received = new Set<number>()
  receiver = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => {
      received.add(Number((JSON.parse(text) as { number: string }).number))
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const port = 18_251
  scene = await LossScene.open(await embeddedServer())
  for (const { value } of await readYaml(manifests(port, url))) await scene.server.client.create(value as KubeObject)
  const engine = scene.start()
  await engine.says('ready')
  const before = peakOf(engine.child.pid as number)

  const count = PER_SECOND * SECONDS
  const args = ['-e', LOAD, ...[port, count, PER_SECOND, CONNECTIONS].map(String)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * MIB })
  const statuses = JSON.parse(stdout) as number[]
  expect(statuses.filter(status => ![200, 429, 503].includes(status))).toEqual([])
  const accepted = statuses.flatMap((status, n) => (status === 200 ? [n] : []))
  expect(accepted.length).toBeGreaterThan(count / 20)

  // As long as some come, the rest may.
  for (let came = -1; accepted.some(n => !received.has(n)) && received.size > came; ) {
    came = received.size
    await new Promise(resolve => setTimeout(resolve, 5000))
  }
  expect(accepted.filter(n => !received.has(n))).toEqual([])
  // Nothing that was refused has come in its place.
  expect(received.size).toBe(accepted.length)
  expect(peakOf(engine.child.pid as number) - before).toBeLessThan(MOST_MORE_BYTES)
})
