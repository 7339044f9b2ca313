import { connect, type NatsConnection } from '@nats-io/transport-node'
import { LOOPBACK_RANGES } from '@tiphys/events'
import { NatsServer, noNatsServer } from '@tiphys/journal/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene } from './events-engine-scene.ts'

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
  let other: NatsConnection
  let answers: string[]

  beforeEach(async () => {
    nats = await NatsServer.start()
    other = await connect({ servers: nats.address })
    answers = []
    other.subscribe('answers', { callback: (_, message) => void answers.push(message.string()) })
    await other.flush()
    scene = await EngineScene.start({ access: { outbound: { allow: LOOPBACK_RANGES } } })
    await scene.apply(BUS)
  })
  afterEach(async () => {
    await scene.close()
    await other.close()
    await nats.dispose()
  })

  const until = async (isTrue: () => boolean | Promise<boolean>) => {
    while (!(await isTrue())) await new Promise(resolve => setTimeout(resolve, 2))
  }
  const isProvided = async () =>
    (await scene.condition('EventSource', 'messages', 'SourcesProvided'))?.status === 'True'

  it('a message becomes an event, passes the filter of its source, and another message comes of it', async () => {
    await scene.apply(manifests(nats.address))
    await until(async () => {
      await scene.advance(1000)
      return isProvided()
    })
    other.publish('orders.small', '{"item":"pen","amount":2}')
    other.publish('orders.large', '{"item":"book","amount":12}')
    await until(() => answers.length === 1)
    expect(answers).toEqual(['{"item":"book","from":"orders.large"}'])
    await scene.settled()
    expect(scene.recordsOf('decision').some(({ verdict }) => verdict === 'filtered')).toBe(true)
  })

  it('an address that is not allowed is refused, and the delivery is parked with the reason', async () => {
    await scene.engine.stop()
    await scene.startEngine({ access: {} })
    await scene.apply(manifests(nats.address))
    await until(async () => {
      await scene.advance(1000)
      return isProvided()
    })
    other.publish('orders.large', '{"item":"book","amount":12}')
    await until(
      async () =>
        scene.recordsOf('parked' as 'decision').length > 0 ||
        JSON.stringify(scene.records).includes('is not a public address'),
    )
    expect(answers).toEqual([])
    expect(JSON.stringify(scene.records)).toContain('that is not a public address')
  })
})
