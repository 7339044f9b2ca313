import { expect, it } from 'vitest'
import { sourceEntries } from './index.ts'

const webhook = { endpoint: '/a', method: 'POST', port: '12000' }

it('finds the entries of every type that there is', () => {
  const { entries, unsupported, problems } = sourceEntries({
    eventBusName: 'default',
    replicas: 1,
    template: {},
    service: {},
    webhook: { a: webhook, b: webhook },
    calendar: { c: { interval: '10s' } },
    resource: { d: { version: 'v1', resource: 'pods', eventTypes: ['ADD'] } },
    file: { e: { eventType: 'CREATE', watchPathConfig: { directory: '/x', path: 'y' } } },
  })
  expect(entries.map(({ type, name }) => `${type.type}.${name}`)).toEqual([
    'webhook.a',
    'webhook.b',
    'calendar.c',
    'resource.d',
    'file.e',
  ])
  expect(unsupported).toEqual([])
  expect(problems).toEqual([])
})

it('names what it does not support, what nobody knows and what is wrong', () => {
  const { entries, unsupported, problems } = sourceEntries({
    kafka: { k: { url: 'x' } },
    webhok: {},
    webhook: { w: webhook, bad: 'x' },
    calendar: { w: { interval: '10' } },
    file: [],
  })
  expect(entries.map(({ name }) => name)).toEqual(['w', 'bad', 'w'])
  expect(unsupported).toEqual([
    { type: 'kafka', name: 'k', message: expect.stringMatching(/^kafka is not supported by Tiphys yet: read it with/) },
  ])
  expect(problems.map(({ path, severity }) => `${severity} ${path}`)).toEqual([
    'warning webhok',
    'error webhook.bad',
    'error calendar.w',
    'error calendar.w.interval',
    'error file',
  ])
})
