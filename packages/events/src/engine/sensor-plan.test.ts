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

  it.each([
    ['a url that is missing', { http: { method: 'POST' } }, set('http.url')],
    ['a value of a wrong type', { http: { url: 5 } }, set('http.url')],
    ['something in what is missing', { k8s: { operation: 'create' } }, set('k8s.source.inline')],
    ['what something wrong is in', { k8s: { source: {} } }, set('k8s.source')],
    ['all of a type', { http: {} }, set('http')],
    ['an operation that makes no sense', { k8s: { operation: 'destroy', source: { resource } } }, set('k8s.operation')],
    ['one item of a list', { http: { url: 'http://a', payload: [{ dest: 5 }] } }, set('http.payload.0.dest')],
    ['the last item of a list', { http: { url: 'http://a', payload: [{ dest: 5 }] } }, set('http.payload.-1.dest')],
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
    ['another item of a list', { http: { url: 'http://a', payload: [{ dest: 5 }] } }, set('http.payload.1.dest')],
    ['the type', {}, set('http.url')],
    ['a type that is not supported', { slack: {} }, set('http.url')],
    ['a field of a type that is not supported', { email: {} }, set('email.to.-1')],
    ['a field of a source that is not supported', { k8s: { source: { s3: {} } } }, set('k8s.source.s3.key')],
    ['nothing', { http: {} }, [{ dest: 5 }, null, {}]],
  ])('is not content with a parameter that sets %s', (_, type, parameters) => {
    const trigger = { template: { name: 'tell', ...type }, parameters }
    expect(problemsOf({ dependencies: [dependency], triggers: [trigger] })).toHaveLength(1)
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
