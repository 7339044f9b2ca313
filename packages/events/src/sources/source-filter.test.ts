import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sourceEntries } from './index.ts'
import type { SourceType } from './source.ts'
import { inputReader, sourceFilter, withFilter } from './source-filter.ts'
import { SourceStage } from './source-stage.ts'

const env = { clock: new VirtualClock(Date.parse('2026-01-02T03:04:05Z')), random: systemRandom, log: silentLog }

describe('an expression over the payload', () => {
  const data = JSON.stringify({
    'x-event': 'push',
    'a.b': { c: 1 },
    body: { count: 7, text: 'hello', list: [{ name: 'a' }, { name: 'b' }], empty: null },
  })

  it.each([
    ['body.count == 7', true],
    ['body.count > 7', false],
    ['x_event == "push"', true],
    ['a.b.c == 1', true],
    ['any(body.list, .name == "b")', true],
    ['body.text matches "^h.*o$"', true],
    ['sprig.upper(body.text) == "HELLO"', true],
    ['asInt("7") == 7 && asFloat("1.5") == 1.5', true],
    ['jsonpath(toJson(body), "$.list[1].name") == "b"', true],
    ['sprig.dateInZone("2006", sprig.now(), "UTC") == "2026"', true],
    ['missing == nil', true],
    ['body.empty == nil', true],
  ])('%s is %s', (expression, answer) => {
    expect(sourceFilter(expression, env)(data)).toBe(answer)
  })

  it.each([
    ['body.count', /unable to cast expression result/],
    ['body.text > 1', /unable to evaluate expression/],
    ['sprig.env("HOME") != ""', /unable to evaluate expression/],
  ])('%s has no answer', (expression, message) => {
    expect(() => sourceFilter(expression, env)(data)).toThrow(message)
  })

  it('has no answer about a payload without fields', () => {
    expect(() => sourceFilter('true', env)('[1]')).toThrow('the payload has no fields')
  })

  it('leaves the prototype of all objects alone, whatever the payload is called', () => {
    const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}'
    expect(sourceFilter('a == 1', env)(hostile)).toBe(true)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it.each([
    ['count(1..1000000, count(1..1000000, true) > 0) > 0', 'more than 200000 steps'],
    ['all(1..1000, all(1..1000, all(1..1000, true)))', /more than 200000 steps|memory budget exceeded/],
    ['len(sprig.repeat(1000000000, "x")) > 0', /more than/],
  ])('%s would go on and on, and is ended', (endless, message) => {
    const filter = sourceFilter(endless, env)
    const began = process.cpuUsage()
    expect(() => filter('{}')).toThrow(message)
    const { user, system } = process.cpuUsage(began)
    expect((user + system) / 1000).toBeLessThan(1050)
  })
})

it.each([
  ['body.n > 1 && body.n < 9', [{ path: 'body.n', value: 3 }]],
  ['x_event == "push" || missing == nil', [{ path: 'x_event', value: 'push' }, { path: 'missing' }]],
  [
    'any(body.list, .name == "b") && sprig.upper(body["a b"]) != ""',
    [
      { path: 'body.list', value: [{ name: 'a' }] },
      { path: 'body["a b"]', value: 'x' },
    ],
  ],
  ['asInt(header.Size[0]) > 1', [{ path: 'header.Size', value: ['7'] }]],
  ['let wanted = 3; body.n == wanted', [{ path: 'body.n', value: 3 }]],
  ['len(body.long) > 1', [{ path: 'body.long', value: '(241 characters)' }]],
])('the inputs of %s are the fields that it reads', (expression, inputs) => {
  const long = Array.from({ length: 60 }, (_, i) => 100 + i)
  const data = { 'x-event': 'push', header: { Size: ['7'] }, body: { n: 3, list: [{ name: 'a' }], 'a b': 'x', long } }
  expect(inputReader(expression)(JSON.stringify(data))).toEqual(inputs)
  expect(inputReader(expression)('[1]')).toEqual([])
})

describe('an entry with a filter', () => {
  let stage: SourceStage
  /** Publishes what it is told to. */
  const given: SourceType<{ filter?: { expression?: string }; events: unknown[] }> = {
    type: 'given',
    check: () => [],
    start({ events }, host) {
      const publishing = (async () => {
        for (const [i, payload] of events.entries())
          await host.publish({ id: String(i), time: '', data: JSON.stringify(payload) })
      })()
      return { stop: () => publishing }
    },
  }

  beforeEach(() => {
    stage = new SourceStage()
  })
  afterEach(() => stage.close())

  it('publishes what passes, and tells of the rest', async () => {
    stage.start(withFilter(given), { filter: { expression: 'n > 1' }, events: [{ n: 1 }, { n: 2 }] })
    await stage.stop()
    expect(stage.data).toEqual([{ n: 2 }])
    const filters = [{ by: 'expression', says: 'n > 1', paths: ['n'], passed: false }]
    expect(stage.filtered).toEqual([[{ n: 1 }, { inputs: [{ path: 'n', value: 1 }], filters }]])
    expect(stage.reports).toEqual([])
  })

  it('says when the expression has no answer, and when it has one again', async () => {
    const events = [{ n: 'text' }, { n: 2 }, { n: 3 }]
    stage.start(withFilter(given), { filter: { expression: 'n > 1' }, events })
    await stage.stop()
    expect(stage.data).toEqual([{ n: 2 }, { n: 3 }])
    expect(stage.filtered).toEqual([
      [
        { n: 'text' },
        {
          inputs: [{ path: 'n', value: 'text' }],
          filters: [{ by: 'expression', says: 'n > 1', paths: ['n'] }],
          message: expect.stringContaining("unable to evaluate expression 'n > 1'"),
        },
      ],
    ])
    expect(stage.reports).toEqual([
      { state: 'failing', reason: 'FilterFailed', message: expect.stringContaining('An event was held back') },
      { state: 'active' },
    ])
  })

  it('publishes everything without one', async () => {
    stage.start(withFilter(given), { events: [{ n: 1 }] })
    await stage.stop()
    expect(stage.data).toEqual([{ n: 1 }])
  })
})

it('an expression that does not parse is a problem of the entry, at its place', () => {
  const { problems } = sourceEntries({
    webhook: { w: { endpoint: '/a', method: 'POST', port: '12000', filter: { expression: 'body.a ==' } } },
    calendar: { c: { interval: '10s', filter: { expression: '1 + ' } } },
    resource: { r: { version: 'v1', resource: 'pods', eventTypes: ['ADD'], filter: { expression: 'true' } } },
  })
  expect(problems.map(({ path, severity }) => `${severity} ${path}`)).toEqual([
    'error webhook.w.filter.expression',
    'error calendar.c.filter.expression',
    'warning resource.r.filter.expression',
  ])
})
