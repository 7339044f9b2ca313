import { systemEnv } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { rehearse } from './rehearsal.ts'

const scripts = {
  run: async ({ program, input }: { program: string; input: string }) => {
    if (program === 'broken') throw new Error('jq: broken')
    return program === '.body' ? JSON.stringify((JSON.parse(input) as { body: unknown }).body) : input
  },
}
const EVENT = {
  id: 'a'.repeat(32),
  source: 'memcached',
  subject: 'changes',
  type: 'resource',
  time: '2026-01-05T08:00:00Z',
  data: '{"type":"ADD","body":{"metadata":{"name":"cache"},"spec":{"size":4}}}',
}

const sensor = (spec: object): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Sensor',
  metadata: { name: 'memcached', namespace: 'shop', uid: 'u-1' },
  spec,
})
const dependency = (more: object = {}) => ({
  name: 'changed',
  eventSourceName: 'memcached',
  eventName: 'changes',
  ...more,
})
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'cache-' }, data: { size: '' } }
const trigger = (more: object = {}) => ({
  template: {
    name: 'write',
    ...more,
    k8s: {
      operation: 'create',
      source: { resource: CONFIG_MAP },
      parameters: [{ src: { dependencyName: 'changed', dataKey: 'body.spec.size' }, dest: 'data.size' }],
    },
  },
})
const tried = (spec: object, event = EVENT) => rehearse(sensor(spec), event, { env: systemEnv, scripts })

describe('a rehearsal', () => {
  it('says what a trigger would send, with the parameters set and the name it would have', async () => {
    const { triggers, problems } = await tried({ dependencies: [dependency()], triggers: [trigger()] })
    expect(problems).toEqual([])
    expect(triggers[0]).toMatchObject({ verdict: 'fires', missing: [], sends: { data: { size: '4' } } })
    const sent = triggers[0]?.sends as KubeObject | undefined
    expect(sent?.metadata.name).toMatch(/^cache-[0-9a-f]{10}$/)
    expect(triggers[0]?.does).toBe(`create ConfigMap ${sent?.metadata.name}`)
  })

  it('judges every filter by itself, so that the second obstacle is seen before the first is gone', async () => {
    const filters = {
      data: [
        { path: 'body.spec.size', type: 'number', comparator: '<', value: ['3'] },
        { path: 'type', type: 'string', value: ['DELETE'] },
      ],
      exprs: [{ expr: 'size > 1', fields: [{ name: 'size', path: 'body.spec.size' }] }],
    }
    const { dependencies, triggers } = await tried({ dependencies: [dependency({ filters })], triggers: [trigger()] })
    expect(dependencies[0]).toMatchObject({ verdict: 'filtered', by: 'data' })
    expect(dependencies[0]?.filters.map(({ text, passed }) => [text, passed])).toEqual([
      ['size > 1', true],
      ['body.spec.size < 3', false],
      ['type = DELETE', false],
    ])
    expect(dependencies[0]?.filters[1]?.inputs).toEqual([{ path: 'body.spec.size', value: '4' }])
    expect(triggers[0]).toMatchObject({ verdict: 'filtered' })
  })

  it('filters and sends what the transformation made', async () => {
    const { dependencies, triggers } = await tried({
      dependencies: [
        dependency({
          transform: { jq: '.body' },
          filters: { data: [{ path: 'spec.size', type: 'number', value: ['4'] }] },
        }),
      ],
      triggers: [trigger()],
    })
    expect(dependencies[0]).toMatchObject({
      verdict: 'passed',
      transformed: '{"metadata":{"name":"cache"},"spec":{"size":4}}',
    })
    // The parameter still says body.spec.size, which the transformation has taken away.
    expect(triggers[0]).toMatchObject({ verdict: 'broken' })
    expect(triggers[0]?.message).toContain('the dataKey "body.spec.size" finds no value in the event of changed')
  })

  it('names what a join still waits for, and whom an event is not about', async () => {
    const other = { name: 'other', eventSourceName: 'orders', eventName: 'incoming' }
    const { dependencies, triggers } = await tried({ dependencies: [dependency(), other], triggers: [trigger()] })
    expect(dependencies[1]).toMatchObject({ verdict: 'other', about: 'orders/incoming' })
    expect(triggers[0]).toMatchObject({ verdict: 'waits', missing: ['other'] })
    expect(triggers[0]).not.toHaveProperty('sends')
  })

  it('shows the request of an http trigger without reading what is secret', async () => {
    const http = {
      url: 'http://example.com/hook',
      secureHeaders: [{ name: 'authorization', valueFrom: { secretKeyRef: { name: 'hook', key: 'token' } } }],
      payload: [{ src: { dependencyName: 'changed', dataKey: 'body.spec.size' }, dest: 'size' }],
    }
    const { triggers } = await tried({
      dependencies: [dependency()],
      triggers: [{ template: { name: 'call', http } }],
    })
    expect(triggers[0]).toMatchObject({
      verdict: 'fires',
      does: 'POST http://example.com/hook',
      sends: { payload: { size: '4' }, secureHeaders: http.secureHeaders },
    })
  })

  it('tells what is wrong with the manifest, and with a program, instead of failing', async () => {
    const { problems, dependencies } = await tried({
      dependencies: [dependency({ transform: { jq: 'broken' } })],
      triggers: [{ template: { name: 'nothing' } }],
    })
    expect(problems.map(({ path }) => path)).toContain('spec.triggers[0].template')
    expect(dependencies[0]).toMatchObject({ verdict: 'failed', by: 'transform', message: 'jq: broken' })
  })
})
