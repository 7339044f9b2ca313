import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { createTriggerTypes } from '../triggers/index.ts'
import { planSensor } from './sensor-plan.ts'

const dependency = { name: 'a', eventSourceName: 'source', eventName: 'entry' }
const log = { template: { name: 'tell', log: {} } }

function plan(spec: unknown, annotations: Record<string, string> = {}) {
  const sensor: KubeObject = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Sensor', metadata: { annotations }, spec }
  return planSensor(sensor, createTriggerTypes())
}

const problemsOf = (spec: unknown) => {
  const { dependencyProblems, triggerProblems } = plan(spec)
  return [...dependencyProblems, ...triggerProblems].map(({ path, message }) => `${path}: ${message}`)
}

describe('the plan of a Sensor', () => {
  it('has the triggers that can be carried out, each with its dependencies', () => {
    const dependencies = [dependency, { ...dependency, name: 'b' }]
    const { triggers } = plan({
      dependencies,
      triggers: [
        log,
        { template: { name: 'one', conditions: 'b', log: {} } },
        { template: { name: 'bad', slack: {} } },
      ],
    })
    expect(triggers.map(({ name, dependencies: of }) => [name, of.map(({ name }) => name)])).toEqual([
      ['tell', ['a', 'b']],
      ['one', ['b']],
    ])
  })

  it('takes null for nothing, and reads the values of filters as texts', () => {
    const data = [{ path: 'body.n', type: 'number', value: [10, '12'], template: null }]
    const { dependencies, triggers, dependencyProblems } = plan({
      dependencies: [{ ...dependency, transform: null, filters: { data, exprs: null, time: null } }],
      triggers: [{ ...log, retryStrategy: null, rateLimit: null, dlqTrigger: null, parameters: null }],
    })
    expect(dependencyProblems).toEqual([])
    expect(triggers).toHaveLength(1)
    const filters = { data: [{ path: 'body.n', type: 'number', value: ['10', '12'] }] }
    expect(dependencies).toEqual([{ ...dependency, filters }])
    expect(triggers[0]?.retry.delayAfter(new Error('no'), { counted: 1, all: 1 }, 0)).toBeUndefined()
  })

  it.each([
    [{}, ['spec.dependencies: no event dependencies found', 'spec.triggers: no triggers found']],
    [
      { dependencies: [{ name: 'a' }], triggers: [log] },
      [
        'spec.dependencies[0].eventSourceName: must be specified',
        'spec.dependencies[0].eventName: must be specified',
        'spec.triggers[0]: has no dependency that could make it fire',
      ],
    ],
    [
      {
        dependencies: [
          {
            ...dependency,
            transform: '.body',
            filters: {
              data: { path: 'body.a' },
              exprs: [null, { expr: 'a', fields: 'b' }],
              time: { start: 8 },
              script: ['return true'],
            },
          },
        ],
        triggers: [log],
      },
      [
        'spec.dependencies[0].transform: must have fields, not be ".body"',
        'spec.dependencies[0].filters.data: must be a list, not an object',
        'spec.dependencies[0].filters.exprs[1].fields: must be a list, not "b"',
        'spec.dependencies[0].filters.time.start: must be a string, not 8',
        'spec.dependencies[0].filters.script: must be a string, not a list',
        'spec.triggers[0]: has no dependency that could make it fire',
      ],
    ],
    [
      {
        dependencies: [
          {
            ...dependency,
            filters: {
              exprs: [null, { expr: 'a > 1', fields: [{ name: 'a' }] }],
              data: [{ type: 'text', comparator: '~' }],
              dataLogicalOperator: 'nor',
              time: { start: 'noon', stop: '13:00:00' },
            },
          },
        ],
        triggers: [log],
      },
      [
        'spec.dependencies[0].filters.dataLogicalOperator: "nor" is none of and, or',
        'spec.dependencies[0].filters.exprs[0].expr: must be specified',
        'spec.dependencies[0].filters.exprs[0].fields: must be specified',
        'spec.dependencies[0].filters.exprs[1].fields[0].path: must be specified',
        'spec.dependencies[0].filters.data[0].path: must be specified',
        'spec.dependencies[0].filters.data[0].value: must be specified',
        'spec.dependencies[0].filters.data[0].type: "text" is none of bool, number, string',
        'spec.dependencies[0].filters.data[0].comparator: "~" is none of =, !=, >, >=, <, <=',
        expect.stringMatching(/^spec.dependencies\[0\].filters.time: .*noon/),
        'spec.triggers[0]: has no dependency that could make it fire',
      ],
    ],
    [
      {
        dependencies: [dependency],
        triggers: [
          {
            template: {
              name: 'tell',
              conditions: ['a'],
              conditionsReset: {},
              k8s: {
                source: { inline: 'x' },
                parameters: [
                  null,
                  { src: {}, dest: 'a' },
                  { src: { dependencyName: 'a' }, dest: 'a', operation: 'add' },
                ],
              },
            },
            parameters: {},
            policy: { k8s: { backoff: { duration: 'soon' } }, status: { allow: [] } },
            retryStrategy: 'often',
          },
        ],
      },
      [
        'spec.triggers[0].parameters: must be a list',
        'spec.triggers[0].template.k8s.parameters[0].src: must be specified',
        'spec.triggers[0].template.k8s.parameters[0].dest: must be specified',
        'spec.triggers[0].template.k8s.parameters[1].src.dependencyName: must be specified',
        'spec.triggers[0].template.k8s.parameters[2].operation: "add" is none of overwrite, append and prepend',
        'spec.triggers[0].policy.k8s.labels: must be specified',
        'spec.triggers[0].policy.status.allow: must be specified: no answer would count as a success',
        'spec.triggers[0].policy.k8s.backoff: time: invalid duration "soon"',
        'spec.triggers[0].retryStrategy: must have fields',
        'spec.triggers[0].template.conditions: must be a string such as "a && b", not ["a"]',
        'spec.triggers[0].template.conditionsReset: must be a list',
      ],
    ],
    [
      { dependencies: [dependency], triggers: [{ ...log, retryStrategy: { steps: 'few' } }] },
      ['spec.triggers[0].retryStrategy: steps is not a number: "few"'],
    ],
    [
      { dependencies: [dependency], triggers: [log, log] },
      ['spec.triggers[1].template.name: duplicate trigger name: tell'],
    ],
    [
      { dependencies: [dependency], triggers: [{ ...log, rateLimit: { unit: 'Day', requestsPerUnit: 0 } }] },
      [
        'spec.triggers[0].rateLimit.unit: Day is none of Second, Minute and Hour',
        'spec.triggers[0].rateLimit.requestsPerUnit: must be a number above 0',
      ],
    ],
    [
      { dependencies: [dependency], triggers: [{ ...log, dlqTrigger: { template: { log: {} } } }] },
      ['spec.triggers[0].dlqTrigger.template.name: trigger must define a name'],
    ],
    [
      {
        dependencies: [dependency],
        triggers: [{ template: { ...log.template, conditionsReset: [{ byTime: { cron: 'x' } }] } }],
      },
      ['spec.triggers[0].template.conditionsReset[0].byTime: expected exactly 5 fields, found 1: [x]'],
    ],
  ])('says what is wrong with %j', (spec, expected) => {
    expect(problemsOf(spec)).toEqual(expected)
  })

  const set = (...dests: string[]) => dests.map(dest => ({ src: { dependencyName: 'a', dataKey: 'body.x' }, dest }))
  const resource = { apiVersion: 'v1', kind: 'ConfigMap' }
  const src = { dependencyName: 'a' }

  it.each([
    ['a url that is missing', { http: { method: 'POST' } }, set('http.url')],
    ['a value of a wrong type', { http: { url: 5 } }, set('http.url')],
    ['something in what is missing', { k8s: { operation: 'create' } }, set('k8s.source.inline')],
    ['what something wrong is in', { k8s: { source: {} } }, set('k8s.source')],
    ['all of a type', { http: {} }, set('http')],
    ['an operation that makes no sense', { k8s: { operation: 'destroy', source: { resource } } }, set('k8s.operation')],
    ['one item of a list', { http: { url: 'http://a', payload: [{ src, dest: 5 }] } }, set('http.payload.0.dest')],
    [
      'the last item of a list',
      { http: { url: 'http://a', payload: [{ src, dest: 5 }] } },
      set('http.payload.-1.dest'),
    ],
    ['several fields', { nats: { payload: [] } }, set('nats.url', 'nats.subject')],
    ['the address of a server', { custom: { spec: {} } }, set('custom.serverURL')],
  ])('takes %s that a parameter of the trigger sets', (_, type, parameters) => {
    const trigger = { template: { name: 'tell', ...type }, parameters }
    expect(problemsOf({ dependencies: [dependency], triggers: [trigger] })).toEqual([])
    expect(problemsOf({ dependencies: [dependency], triggers: [{ ...trigger, parameters: [] }] })).not.toEqual([])
    expect(problemsOf({ dependencies: [dependency], triggers: [{ ...log, dlqTrigger: trigger }] })).toEqual([])
  })

  it.each([
    ['another field', { http: {} }, set('http.method')],
    ['a field whose name begins in the same way', { http: {} }, set('http.urls')],
    ['another item of a list', { http: { url: 'http://a', payload: [{ src, dest: 5 }] } }, set('http.payload.1.dest')],
    ['the type', {}, set('http.url')],
    ['a type that is not supported', { slack: {} }, set('http.url')],
    ['a field of a type that is not supported', { email: {} }, set('email.to.-1')],
    ['a field of a source that is not supported', { k8s: { source: { s3: {} } } }, set('k8s.source.s3.key')],
  ])('is not content with a parameter that sets %s', (_, type, parameters) => {
    const trigger = { template: { name: 'tell', ...type }, parameters }
    expect(problemsOf({ dependencies: [dependency], triggers: [trigger] })).toHaveLength(1)
  })

  it('warns of a parameter that is about no dependency, and so sets nothing', () => {
    const parameters = [{ src: { dependencyName: 'b', dataKey: 'body' }, dest: 'data.x' }]
    const { triggers, warnings } = plan({
      dependencies: [dependency],
      triggers: [{ template: { name: 'make', k8s: { source: { resource }, parameters } } }],
    })
    expect(triggers).toHaveLength(1)
    expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'spec.triggers[0].template.k8s.parameters[0].src.dependencyName: there is no dependency "b", so that nothing is set: there are a',
    ])
  })

  it('reads what the annotations ask for', () => {
    const { options, warnings } = plan(
      { dependencies: [dependency], triggers: [log] },
      { 'tiphys.dev/key': 'body.id', 'tiphys.dev/serialize': 'completion', 'tiphys.dev/on-parked': 'stop' },
    )
    expect(options).toEqual({ key: 'body.id', waitsForCompletion: true, coalesces: false, blocksOnParked: false })
    expect(warnings).toMatchObject([{ path: 'tiphys.dev/on-parked' }])
  })

  it('changes its fingerprint with the trigger, its dependencies and the options, and with nothing else', () => {
    const of = (more: object = {}, annotations = {}) =>
      plan({ dependencies: [dependency], triggers: [log], ...more }, annotations).triggers[0]?.fingerprint
    expect(of({ replicas: 3 })).toBe(of())
    expect(of({ dependencies: [{ ...dependency, eventName: 'other' }] })).not.toBe(of())
    expect(of({}, { 'tiphys.dev/coalesce': 'latest' })).not.toBe(of())
  })
})
