import { describe, expect, it } from 'vitest'
import { unknownFields } from './unknown-fields.ts'

const problems = (kind: string, spec: unknown, apiVersion = 'argoproj.io/v1alpha1') =>
  unknownFields({ apiVersion, kind, metadata: { name: 'x', anything: 1 }, spec, status: { x: 1 } }).map(
    ({ path, message }) => `${path}: ${message}`,
  )

describe('unknown fields', () => {
  it('of a good manifest are none', () => {
    expect(
      problems('Sensor', {
        eventBusName: 'default',
        template: { serviceAccountName: 'x', container: { env: [] } },
        dependencies: [
          {
            name: 'a',
            eventSourceName: 's',
            eventName: 'e',
            filters: { data: [{ path: 'a', type: 'string', value: [] }] },
          },
        ],
        triggers: [
          {
            template: {
              name: 't',
              conditions: 'a',
              k8s: {
                operation: 'create',
                source: { resource: { any: { thing: 1 } } },
                parameters: [{ src: { dependencyName: 'a' }, dest: 'x' }],
              },
            },
            retryStrategy: { steps: 3 },
            atLeastOnce: true,
            dlqTrigger: { template: { name: 'd', log: {} } },
          },
        ],
      }),
    ).toEqual([])
    expect(
      problems('EventSource', { webhook: { a: { endpoint: '/', port: '1', method: 'POST' } }, replicas: 1 }),
    ).toEqual([])
    expect(problems('EventBus', { nats: { native: { replicas: 3, auth: 'token' } } })).toEqual([])
  })

  it('are found wherever they are, with what was probably meant', () => {
    expect(
      problems('Sensor', {
        dependancies: [],
        triggers: [{ template: { name: 't', atLeastOnce: true, policy: {}, log: { intervalsSeconds: 1 } } }],
      }),
    ).toEqual([
      'spec.dependancies: unknown field "dependancies", did you mean "dependencies"?',
      'spec.triggers[0].template.atLeastOnce: unknown field "atLeastOnce": it has no effect here, it belongs beside "template"',
      'spec.triggers[0].template.policy: unknown field "policy": it has no effect here, it belongs beside "template"',
      'spec.triggers[0].template.log.intervalsSeconds: unknown field "intervalsSeconds", did you mean "intervalSeconds"?',
    ])
    expect(problems('EventSource', { resource: { 'a b': { filter: { afterstart: true } } } })).toEqual([
      'spec.resource."a b".filter.afterstart: unknown field "afterstart", did you mean "afterStart"?',
    ])
  })

  it('of other kinds and of no object are nobody’s business', () => {
    expect(problems('Workflow', { x: 1 })).toEqual([])
    expect(problems('Sensor', { x: 1 }, 'v1')).toEqual([])
    expect([null, 'x', [], 1].flatMap(value => unknownFields(value))).toEqual([])
  })

  it('called __proto__ or constructor are fields like any other', () => {
    expect(problems('Sensor', JSON.parse('{"__proto__":{"x":1},"constructor":1}'))).toHaveLength(2)
  })
})
