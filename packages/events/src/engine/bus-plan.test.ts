import { describe, expect, it } from 'vitest'
import { busNameOf, busPlan } from './bus-plan.ts'

describe('the plan of an EventBus', () => {
  it.each([
    ['STAN is embedded', { nats: { native: {} } }, { type: 'embedded', limits: {} }],
    [
      'STAN with limits',
      { nats: { native: { maxAge: '72h', maxMsgs: 100, maxBytes: '1000' } } },
      { type: 'embedded', limits: { maxAgeMs: 259_200_000, maxEvents: 100, maxBytes: 1000 } },
    ],
    [
      'JetStream is embedded, with the settings of its stream',
      { jetstream: { version: 'latest', streamConfig: 'maxMsgs: 10\nmaxAge: 1h\nmaxBytes: -1\n' } },
      { type: 'embedded', limits: { maxEvents: 10, maxAgeMs: 3_600_000 } },
    ],
    [
      'another NATS',
      { jetstreamExotic: { url: 'nats://x:4222', accessSecret: { name: 's', key: 'k' }, streamConfig: 'replicas: 3' } },
      { type: 'jetstream', url: 'nats://x:4222', accessSecret: { name: 's', key: 'k' }, replicas: 3, limits: {} },
    ],
    ['another NATS without an address', { jetstreamExotic: {} }, { type: 'unsupported' }],
    ['Kafka', { kafka: { url: 'x' } }, { type: 'unsupported' }],
    ['another STAN', { nats: { exotic: { url: 'x' } } }, { type: 'unsupported' }],
    ['nothing', {}, { type: 'unsupported' }],
    ['no fields at all', 7, { type: 'unsupported' }],
  ])('%s', async (_, spec, expected) => {
    expect((await busPlan(spec)).plan).toMatchObject(expected)
  })

  it('says which settings cannot be read', async () => {
    expect((await busPlan({ jetstream: { streamConfig: '{' } })).problems).toMatchObject([
      { path: 'spec.jetstream.streamConfig', severity: 'warning' },
    ])
    expect((await busPlan({ nats: { native: { maxAge: 'long' } } })).problems).toMatchObject([
      { path: 'spec.nats.native.maxAge', message: expect.stringContaining('time: invalid duration "long"') },
    ])
  })
})

it('a bus has the name "default" unless another is given', () => {
  const object = (spec: unknown) => ({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Sensor', metadata: {}, spec })
  expect([{}, { eventBusName: '' }, { eventBusName: 7 }, { eventBusName: 'mine' }].map(object).map(busNameOf)).toEqual([
    'default',
    'default',
    'default',
    'mine',
  ])
})
