import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { NatsServer, noNatsServer } from '@tiphys/journal/testing'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene } from './engine-scene.ts'

const manifests = (address: string) => `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: messages}
spec:
  nats:
    orders:
      url: nats://${address}
      subject: orders.*
      jsonBody: true
      filter: {expression: body.amount > 10}
---
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: answers}
spec:
  dependencies:
    - {name: order, eventSourceName: messages, eventName: orders}
  triggers:
    - template:
        name: answer
        nats:
          url: ${address}
          subject: answers
          payload:
            - {src: {dependencyName: order, dataKey: body.item}, dest: item}
            - {src: {dependencyName: order, dataKey: subject}, dest: from}
`

describe.skipIf(noNatsServer !== '')(`with a NATS server${noNatsServer}`, () => {
  let nats: NatsServer
  let scene: EngineScene
  let other: Socket
  let answers: string[]

  beforeEach(async () => {
    nats = await NatsServer.start()
    answers = []
    other = await subscribed('answers')
    scene = await EngineScene.start({ access: { outbound: { allow: LOOPBACK_RANGES } } })
    await scene.apply(BUS)
  })
  afterEach(async () => {
    await scene.close()
    other.destroy()
    await nats.dispose()
  })

  /** Speaks NATS' protocol by hand: answers are the lines that follow a message's head. */
  const subscribed = (subject: string) =>
    new Promise<Socket>(resolve => {
      const socket = connect(nats.port, '127.0.0.1', () =>
        socket.write(`CONNECT {"verbose":false}\r\nSUB ${subject} 1\r\nPING\r\n`),
      )
      createInterface({ input: socket }).on('line', line => {
        if (line === 'PONG') resolve(socket)
        if (line.startsWith('{')) answers.push(line)
      })
    })
  const publish = (subject: string, body: string) => other.write(`PUB ${subject} ${body.length}\r\n${body}\r\n`)

  const until = async (isTrue: () => boolean | Promise<boolean>) => {
    while (!(await isTrue())) await new Promise(resolve => setTimeout(resolve, 2))
  }
  /** The server knows best who listens. */
  const isListening = async () => (await (await fetch(`${nats.monitor}/connz?subs=1`)).text()).includes('"orders.*"')

  it('a message becomes an event, passes the filter of its source, and another message comes of it', async () => {
    await scene.apply(manifests(nats.address))
    await until(isListening)
    publish('orders.small', '{"item":"pen","amount":2}')
    publish('orders.large', '{"item":"book","amount":12}')
    await until(() => answers.length === 1)
    expect(answers).toEqual(['{"item":"book","from":"orders.large"}'])
    await scene.settled()
    expect(scene.recordsOf('decision').some(({ verdict }) => verdict === 'filtered')).toBe(true)
  })

  it('an address that is not allowed is refused, and the delivery is parked with the reason', async () => {
    await scene.engine.stop()
    await scene.startEngine({ access: {} })
    await scene.apply(manifests(nats.address))
    await until(isListening)
    publish('orders.large', '{"item":"book","amount":12}')
    await until(async () => (await scene.engine.parked()).length === 1)
    expect(JSON.stringify(await scene.engine.parked())).toContain('that is not a public address')
    expect(answers).toEqual([])
  })
})
