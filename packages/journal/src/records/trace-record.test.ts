import { describe, expect, expectTypeOf, it } from 'vitest'
import { decodeRecord, encodeRecord, type TraceRecord } from './trace-record.ts'

const common = { v: 1, at: 1_700_000_000_000, trace: 'e1' } as const
const trigger = { namespace: 'default', name: 'sensor', part: 'trigger' }
const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' }
const run = { namespace: 'default', name: 'run-1', uid: 'u1' }

/** One of each kind; the compiler sees that none is missing. */
const examples: { [K in TraceRecord['kind']]: Extract<TraceRecord, { kind: K }> } = {
  event: {
    ...common,
    kind: 'event',
    source: trigger,
    type: 'ADD',
    position: 7,
    object,
    key: 'k',
    body: { a: [1, null] },
  },
  decision: {
    ...common,
    kind: 'decision',
    trigger,
    dependency: 'dep',
    verdict: 'filtered',
    events: ['e1'],
    by: 'data filter 1',
    inputs: [{ path: 'body.spec.replicas', value: 3 }],
  },
  delivery: {
    ...common,
    kind: 'delivery',
    trigger,
    action: 'a1',
    events: ['e1'],
    outcome: 'parked',
    attempt: 3,
    reason: 'x',
  },
  run: { ...common, kind: 'run', run, phase: 'Succeeded' },
  step: { ...common, kind: 'step', run, step: 's1', name: 'build', type: 'Pod', phase: 'Failed', attempt: 1 },
  log: { ...common, kind: 'log', run, step: 's1', container: 'main', chunk: { store: 'files', key: 'k', bytes: 9 } },
  write: {
    ...common,
    kind: 'write',
    object,
    verb: 'apply',
    uid: 'u2',
    resourceVersion: '41',
    outcome: 'changed',
    diff: [{ path: 'spec.replicas', from: 1, to: 3 }],
  },
  health: {
    ...common,
    kind: 'health',
    object,
    condition: 'Ready',
    status: 'False',
    was: 'True',
    reason: 'WatchStalled',
  },
  audit: { ...common, kind: 'audit', who: 'jane', did: 'retry', target: { action: 'a1' }, outcome: 'allowed' },
  gap: { ...common, kind: 'gap', trace: '', dropped: 3, from: 1, to: 2, why: 'slow' },
}

describe('a record', () => {
  it.each(Object.values(examples))('of kind $kind is read as it was written', record => {
    expect(decodeRecord(Buffer.from(encodeRecord(record)))).toEqual(record)
  })

  it('keeps fields that a newer version added', () => {
    const newer = { ...examples.run, colour: 'blue' }
    expect(decodeRecord(JSON.stringify(newer))).toEqual(newer)
  })

  it('of an unknown kind or version is handed on, not refused', () => {
    const kind = { ...common, kind: 'dream', of: 'sheep' }
    expect(decodeRecord(JSON.stringify(kind))).toEqual({ ...common, kind: 'unknown', of: 'dream', content: kind })
    const version = { ...examples.run, v: 2 }
    expect(decodeRecord(JSON.stringify(version))).toEqual({
      ...common,
      v: 2,
      kind: 'unknown',
      of: 'run',
      content: version,
    })
    for (const inherited of ['toString', '__proto__', 'constructor'])
      expect(decodeRecord(JSON.stringify({ ...common, kind: inherited })).kind).toBe('unknown')
  })

  it('that is none is handed on as well', () => {
    for (const content of [null, 7, 'text', [], {}])
      expect(decodeRecord(JSON.stringify(content))).toEqual({
        kind: 'unknown',
        v: 0,
        at: 0,
        trace: '',
        of: '',
        content,
      })
    expect(decodeRecord('{ torn')).toMatchObject({ kind: 'unknown', content: '{ torn' })
  })

  it('tells its fields by its kind', () => {
    const record = decodeRecord(encodeRecord(examples.write))
    if (record.kind === 'write') expectTypeOf(record.resourceVersion).toBeString()
    expect(record.kind).toBe('write')
  })
})
