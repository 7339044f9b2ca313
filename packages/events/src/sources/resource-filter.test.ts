import { describe, expect, it } from 'vitest'
import { createResourceFilter } from './resource-filter.ts'
import {
  checkAnnotations,
  checkResourceSpec,
  labelSelectorOf,
  optionsOf,
  type ResourceFilter,
} from './resource-spec.ts'

const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', creationTimestamp: '2024-05-01T10:00:00Z' },
  spec: { nodeName: 'node-a', replicas: 3, paused: true, list: ['x', 'y'], empty: '' },
  status: { phase: 'Running' },
}

const passes = (filter: ResourceFilter) => createResourceFilter(filter)(object, JSON.stringify(object))
const field = (key: string, operation: string, value: string) => passes({ fields: [{ key, operation, value }] })

describe('a filter', () => {
  it.each<[string, ResourceFilter, boolean]>([
    ['nothing', {}, true],
    ['a prefix', { prefix: 'web' }, true],
    ['another prefix', { prefix: 'db' }, false],
    ['created before the time', { createdBy: '2024-05-01T10:00:01Z' }, true],
    ['created at the time', { createdBy: '2024-05-01T12:00:00+02:00' }, true],
    ['created after the time', { createdBy: '2024-05-01T09:59:59Z' }, false],
    ['afterStart alone, which the checkpoint decides', { afterStart: true }, true],
  ])('by %s', (_, filter, expected) => {
    expect(passes(filter)).toBe(expected)
  })

  it.each<[string, string, string, boolean]>([
    ['status.phase', '==', 'Running', true],
    ['status.phase', '=', 'Running', true],
    ['status.phase', '==', 'unn', true],
    ['status.phase', '==', '^unn', false],
    ['status.phase', '!=', 'Pending', true],
    ['status.phase', '!=', 'Run', false],
    ['spec.list.1', '==', 'y', true],
    ['spec.list.#(=="x")', '==', 'x', true],
    ['spec.missing', '!=', 'x', false],
    ['spec.empty', '==', '^$', true],
    // Numbers and booleans are matched as an empty text, as upstream does.
    ['spec.replicas', '==', '3', false],
    ['spec.replicas', '==', '^$', true],
    ['spec.paused', '!=', 'true', true],
    // What upstream does not understand drops the event.
    ['status.phase', '', 'Running', false],
    ['status.phase', 'in', 'Running', false],
    ['status.phase', '==', '(', false],
    ['status.phase', '!=', '(', false],
  ])('by field %s %s %s', (key, operation, value, expected) => {
    expect(field(key, operation, value)).toBe(expected)
  })

  it('needs every field', () => {
    const [yes, no] = ['Running', 'Pending'].map(value => ({ key: 'status.phase', operation: '==', value }))
    expect(passes({ fields: [yes ?? {}, yes ?? {}] })).toBe(true)
    expect(passes({ fields: [yes ?? {}, no ?? {}] })).toBe(false)
  })

  it('is not slow for an evil pattern', () => {
    const long = { ...object, status: { phase: `${'a'.repeat(50_000)}!` } }
    const evil = createResourceFilter({ fields: [{ key: 'status.phase', operation: '==', value: '^(a+)+$' }] })
    expect(evil(long, JSON.stringify(long))).toBe(false)
  })
})

describe('labels', () => {
  it.each([
    [[{ key: 'app', value: 'web' }], 'app=web'],
    [[{ key: 'app', operation: '==', value: 'web' }], 'app==web'],
    [[{ key: 'app', operation: '!=', value: 'web' }], 'app!=web'],
    [[{ key: 'app', operation: 'in', value: 'b,a' }], 'app in (a,b)'],
    [[{ key: 'app', operation: 'notin', value: 'a' }], 'app notin (a)'],
    [[{ key: 'app', operation: 'exists' }], 'app'],
    [[{ key: 'app', operation: '!' }], '!app'],
    [[{ key: 'size', operation: 'gt', value: '3' }], 'size>3'],
    [[{ key: 'size', operation: 'lt', value: '3' }], 'size<3'],
    [
      [
        { key: 'b', value: '1' },
        { key: 'a', value: '2' },
      ],
      'a=2,b=1',
    ],
  ])('are asked of the server: %j', (labels, text) => {
    expect(labelSelectorOf(labels)).toBe(text)
  })

  it.each([
    [{ key: 'app', operation: 'exists', value: 'x' }, 'values set must be empty'],
    [{ key: 'app', operation: 'like', value: 'x' }, 'is not a valid label selector operator'],
    [{ key: 'not valid', value: 'x' }, 'unable to parse requirement'],
    [{ key: 'size', operation: 'gt', value: 'big' }, 'must be an integer'],
  ])('that no server would take are an error: %j', (selector, message) => {
    expect(() => labelSelectorOf([selector])).toThrow(message)
  })
})

describe('the check of an entry', () => {
  const good = { version: 'v1', resource: 'pods', eventTypes: ['ADD'] }
  const check = (spec: object) =>
    checkResourceSpec({ ...good, ...spec }).map(problem => Object.values(problem).join(' | '))

  it('finds nothing wrong with a good one', () => {
    expect(
      check({ group: '', namespace: 'x', metadata: { a: 'b' }, filter: { labels: [], afterStart: true } }),
    ).toEqual([])
  })

  it('names what is missing, wrong or unknown', () => {
    expect(check({ version: '', resource: undefined, eventTypes: [] })).toHaveLength(3)
    expect(check({ eventTypes: ['MODIFY'] })).toEqual([
      'eventTypes[0] | unknown event type: MODIFY, use ADD, UPDATE or DELETE | error',
    ])
    expect(check({ namspace: 'x', filter: { prefx: 'a' } })).toEqual([
      'namspace | unknown field "namspace" | warning',
      'filter.prefx | unknown field "prefx" | warning',
    ])
    expect(check({ filter: { afterStart: 'yes' } })).toEqual([
      'filter.afterStart | must be a boolean, not "yes" | error',
    ])
    expect(check({ filter: { createdBy: 'soon' } })).toEqual(['filter.createdBy | soon is no RFC 3339 time | error'])
  })

  it('warns of what can never match', () => {
    expect(check({ filter: { fields: [{ key: 'a', value: '(' }] } })).toEqual([
      'filter.fields[0].operation | drops every event: "" is none of =, == and != | warning',
      'filter.fields[0].value | drops every event: error parsing regexp: missing closing ): `(` | warning',
    ])
  })
})

describe('annotations', () => {
  it('are read', () => {
    expect(optionsOf({})).toEqual({ specOnly: false, resyncMs: undefined })
    expect(optionsOf({ 'tiphys.dev/changes': 'spec', 'tiphys.dev/resync': '10m' })).toEqual({
      specOnly: true,
      resyncMs: 600_000,
    })
  })

  it('that mean nothing are ignored and reported', () => {
    const bad = { 'tiphys.dev/changes': 'none', 'tiphys.dev/resync': 'often' }
    expect(optionsOf(bad)).toEqual({ specOnly: false, resyncMs: undefined })
    expect(checkAnnotations(bad)).toHaveLength(2)
  })
})
