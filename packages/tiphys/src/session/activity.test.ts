import { VirtualClock } from '@tiphys/env'
import type { NewRecord } from '@tiphys/journal/records'
import { describe, expect, it } from 'vitest'
import { createTerminal } from '../terminal.ts'
import { describeRecord, formatDuration } from './activity.ts'
import { createFeed } from './feed.ts'

const trigger = { namespace: 'shop', name: 'orders', part: 'pay' }
const run = { namespace: 'shop', name: 'order-1', uid: 'u1' }
const object = { apiVersion: 'v1', kind: 'Order', namespace: 'shop', name: 'one' }
const common = { trace: 'e1' } as const

describe('a record in one line', () => {
  const cases: [string, NewRecord, string | undefined][] = [
    [
      'an event',
      { ...common, kind: 'event', source: trigger, type: 'resource', object, body: { type: 'ADD' } },
      'event orders/pay ADD Order shop/one',
    ],
    [
      'a repeated event',
      { ...common, kind: 'event', source: trigger, type: 'webhook', replayOf: 'e0' },
      'event orders/pay webhook (again)',
    ],
    [
      'a filter',
      {
        ...common,
        kind: 'decision',
        trigger,
        dependency: 'd',
        verdict: 'filtered',
        events: [],
        by: 'data',
        message: 'is 1',
      },
      'filter orders/pay left it out: data: is 1',
    ],
    [
      'a passed filter',
      { ...common, kind: 'decision', trigger, dependency: 'd', verdict: 'passed', events: [] },
      undefined,
    ],
    [
      'a success',
      {
        ...common,
        kind: 'delivery',
        trigger,
        action: 'a',
        events: [],
        outcome: 'succeeded',
        attempt: 1,
        message: 'created Pod x',
      },
      'trigger orders/pay created Pod x',
    ],
    [
      'a failure',
      {
        ...common,
        kind: 'delivery',
        trigger,
        action: 'a',
        events: [],
        outcome: 'failed',
        attempt: 2,
        message: 'no\nroute',
      },
      'trigger orders/pay failed (attempt 2): no route',
    ],
    [
      'a parked delivery',
      { ...common, kind: 'delivery', trigger, action: 'a', events: [], outcome: 'parked', attempt: 2 },
      'parked orders/pay gave up after 2 attempts: tiphys retry sensor/orders',
    ],
    [
      'the end of a run',
      { ...common, kind: 'run', run, phase: 'Failed', message: 'exit 1', startedAt: 0, finishedAt: 1500 },
      'run shop/order-1 failed in 1.5s: exit 1',
    ],
    [
      'a failed step',
      {
        ...common,
        kind: 'step',
        run,
        step: 's',
        name: 'n',
        displayName: 'build',
        type: 'Pod',
        phase: 'Failed',
        attempt: 1,
        message: 'exit 1',
      },
      'step build failed: exit 1',
    ],
    [
      'a write of a run',
      { ...common, kind: 'write', object, verb: 'apply', uid: 'u', resourceVersion: '1', outcome: 'created', run },
      'write created Order shop/one',
    ],
    [
      'a write that changed nothing',
      { ...common, kind: 'write', object, verb: 'apply', uid: 'u', resourceVersion: '1', outcome: 'unchanged', run },
      undefined,
    ],
    [
      'a bad condition',
      {
        ...common,
        kind: 'health',
        object,
        condition: 'Deployed',
        status: 'False',
        reason: 'Forbidden',
        message: 'may not watch',
      },
      'health Order shop/one: Deployed Forbidden: may not watch',
    ],
    [
      'a refused action',
      {
        ...common,
        kind: 'audit',
        who: 'eve',
        did: 'replay',
        target: { event: 'e' },
        outcome: 'refused',
        reason: 'no right',
      },
      'action eve may not replay: no right',
    ],
    [
      'output',
      { ...common, kind: 'log', run, step: 's', container: 'main', chunk: { store: 'x', key: 'k', bytes: 1 } },
      undefined,
    ],
  ]
  it.each(cases)('%s', (_, record, words) => {
    const line = describeRecord(record)
    expect(line && `${line.label} ${line.text}`).toBe(words)
  })
})

describe('the feed', () => {
  const feed = (isTTY: boolean) => {
    const [out, err]: [string[], string[]] = [[], []]
    const stream = (lines: string[]) => ({ isTTY, write: (text: string) => lines.push(text) })
    const made = createFeed(
      // Without a line at the bottom, which has a test of its own.
      createTerminal({ stdout: stream(out), stderr: stream(err) }, { TERM: 'dumb' }),
      new VirtualClock(0),
    )
    return { out, err, ...made }
  }
  const event: NewRecord = { ...common, kind: 'event', source: trigger, type: 'webhook' }
  const failed: NewRecord = { ...common, kind: 'run', run, phase: 'Failed' }
  const health = (status: 'True' | 'False', reason: string): NewRecord => ({
    ...common,
    kind: 'health',
    object,
    condition: 'DependenciesProvided',
    status,
    was: status === 'True' ? 'False' : 'True',
    reason,
  })

  it('tells everything on a terminal, and elsewhere only what went wrong, where it does not mix with data', () => {
    const [terminal, pipe] = [feed(true), feed(false)]
    for (const { begin, show } of [terminal, pipe]) {
      begin({})
      for (const record of [event, failed]) show(record)
    }
    expect(terminal.out).toEqual([
      '00:00:00 • event    orders/pay webhook\n',
      '00:00:00 ✖ run      shop/order-1 failed\n',
    ])
    expect([pipe.out, pipe.err]).toEqual([[], ['00:00:00 ✖ run      shop/order-1 failed\n']])
  })

  it('keeps what happens before the screen is begun until then, but for what went wrong', () => {
    const { begin, show, out } = feed(true)
    show(event)
    expect(out).toEqual([])
    show(failed)
    expect(out).toHaveLength(1)
    begin({})
    expect(out[1]).toBe('00:00:00 • event    orders/pay webhook\n')
  })

  it('tells the phase of a run once, however often it is recorded', () => {
    const { begin, show, out } = feed(true)
    begin({})
    for (const phase of ['Running', 'Running', 'Succeeded', 'Succeeded']) show({ ...common, kind: 'run', run, phase })
    expect(out).toHaveLength(2)
  })

  it('does not tell that a Sensor came before its source, nor that this is over', () => {
    const { begin, show, out } = feed(true)
    begin({})
    show(health('False', 'SourceMissing'))
    show(health('True', 'AllProvided'))
    expect(out).toEqual([])
    show(health('False', 'Forbidden'))
    show(health('True', 'AllProvided'))
    expect(out).toHaveLength(2)
  })
})

it('durations are as short as they can be', () => {
  expect([12.4, 1234, 61_000, 3_700_000, 200_000_000].map(formatDuration)).toEqual([
    '12ms',
    '1.2s',
    '1m01s',
    '1h01m',
    '2d',
  ])
})
