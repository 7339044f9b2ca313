import { describe, expect, it } from 'vitest'
import { changesOf } from './changes.ts'
import { createMask } from './mask.ts'
import { MASKED } from './secrets.ts'
import type { Change, ObjectReference } from './trace-record.ts'

const CANARY = 'canary8f3a1'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** As a recorder would store them. */
function stored(object: ObjectReference, diff: readonly Change[], fields: string[] = []): readonly Change[] {
  const write = { kind: 'write', verb: 'update', uid: 'u', resourceVersion: '2', outcome: 'changed' } as const
  return createMask({ fields })({ v: 1, at: 0, trace: '', ...write, object, diff }).diff ?? []
}

describe('the changes of a write', () => {
  it('are the fields that are different, in the order of their names', () => {
    const before = { spec: { size: 1, ports: [{ port: 1 }, { port: 2 }], gone: { a: 1 } }, metadata: { labels: {} } }
    const after = { metadata: { labels: { app: 'x' } }, spec: { ports: [{ port: 1, name: 'p' }], size: 3, mode: null } }
    expect(changesOf(before, after)).toEqual([
      { path: 'metadata.labels.app', to: 'x' },
      { path: 'spec.gone.a', from: 1 },
      { path: 'spec.mode', to: null },
      { path: 'spec.ports[0].name', to: 'p' },
      { path: 'spec.ports[1].port', from: 2 },
      { path: 'spec.size', from: 1, to: 3 },
    ])
    expect(changesOf(before, structuredClone(before))).toEqual([])
  })

  it('tell a field that took another shape', () => {
    expect(changesOf({ a: 1, b: [1], c: {}, d: { x: 1 } }, { a: { x: 2 }, b: { y: 1 }, c: [], d: 'text' })).toEqual([
      { path: 'a', from: 1 },
      { path: 'a.x', to: 2 },
      { path: 'b[0]', from: 1 },
      { path: 'b.y', to: 1 },
      { path: 'c', from: {}, to: [] },
      { path: 'd.x', from: 1 },
      { path: 'd', to: 'text' },
    ])
    expect(changesOf({}, { empty: {}, none: [] })).toEqual([
      { path: 'empty', to: {} },
      { path: 'none', to: [] },
    ])
  })

  it('quote names that are no words, so that no two fields have one path', () => {
    const labels = { 'app.kubernetes.io/name': 'x', 'a"b]': 'y', '': 'z' }
    expect(changesOf({}, { labels, app: { kubernetes: 1 } }).map(({ path }) => path)).toEqual([
      'app.kubernetes',
      'labels[""]',
      'labels["a\\"b]"]',
      'labels["app.kubernetes.io/name"]',
    ])
  })

  it('leave out what only machines write', () => {
    const conditions = [{ type: 'Ready', lastTransitionTime: 'then', lastUpdateTime: 'then' }]
    const before = {
      metadata: { resourceVersion: '1', generation: 1, managedFields: [{ time: 'then' }], annotations: {} },
      status: { observedGeneration: 1, conditions },
    }
    const after = {
      metadata: {
        resourceVersion: '2',
        generation: 2,
        managedFields: [{ time: 'now' }],
        annotations: { [LAST_APPLIED]: '{}' },
      },
      spec: { generation: 2 },
      status: { observedGeneration: 2, conditions: [{ ...conditions[0], lastTransitionTime: 'now' }] },
    }
    expect(changesOf(before, after)).toEqual([{ path: 'spec.generation', to: 2 }])
  })

  it('hold integers that no number holds', () => {
    const changes = changesOf({ id: 9007199254740993n, same: 9007199254740993n }, { id: 1, same: 9007199254740993n })
    expect(changes).toEqual([{ path: 'id', from: '9007199254740993', to: 1 }])
    expect(() => JSON.stringify(changes)).not.toThrow()
  })

  it('are few and short, however much was written, and say what they leave out', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key-${i}`, 1]))
    const few = changesOf({}, many)
    expect(few).toHaveLength(101)
    expect(few.at(-1)).toEqual({ path: '…', to: '200 more' })
    const long = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key-${i}`, '😀'.repeat(5000)]))
    const changes = changesOf({ key: '1' }, { ...long, ['k'.repeat(1e6)]: 1 })
    expect(JSON.stringify(changes).length).toBeLessThan(30_000)
    expect(JSON.stringify(changes)).not.toContain('\\ud83d')
    let deep: object = {}
    for (let i = 0; i < 100_000; i++) deep = { deep }
    expect(changesOf({}, { deep })).toEqual([])
  })

  it('treat __proto__ as a name', () => {
    const after = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as object
    expect(changesOf({}, after)).toEqual([
      { path: '__proto__.a', to: 1 },
      { path: 'constructor', to: 2 },
    ])
    expect(changesOf(after, {})).toHaveLength(2)
  })

  it('hold nothing of a Secret but names, also of one inside of another object', () => {
    const secret = (value: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        annotations: { [LAST_APPLIED]: value, 'example.com/copy': value },
        labels: { app: value.slice(0, 3) },
      },
      data: { 'tls.key': value },
    })
    const object = { apiVersion: 'v1', kind: 'Secret', name: 's' }
    const before = { ...secret('other'), stringData: { plain: 'other' } }
    const after = { ...secret(CANARY), stringData: { plain: CANARY, long: CANARY.repeat(1000) } }
    const changes = stored(object, changesOf(before, after))
    expect(changes).toContainEqual({ path: 'data["tls.key"]', from: MASKED, to: MASKED })
    expect(changes).toContainEqual({ path: 'metadata.labels.app', from: 'oth', to: 'can' })
    expect(JSON.stringify(changes)).not.toContain(CANARY)
    const holder = { apiVersion: 'example.com/v1', kind: 'Holder', name: 'h' }
    for (const [from, to] of [
      [{}, { spec: { templates: [after] } }],
      [{ spec: { templates: [after] } }, {}],
      [{ spec: { templates: [before] } }, { spec: { templates: [after] } }],
      [{ spec: { templates: 1 } }, { spec: { templates: [{ kind: 'Secret', data: CANARY }] } }],
    ] as const) {
      const withoutCopy = changesOf(from, to).filter(({ path }) => !path.includes('example.com/copy'))
      expect(JSON.stringify(stored(holder, withoutCopy))).not.toContain(CANARY)
      expect(withoutCopy.some(({ path }) => path.startsWith('spec.templates[0].data'))).toBe(true)
    }
  })

  it('hold nothing of a Secret in a long text that tells only behind the cut what it is', () => {
    const text = JSON.stringify({ apiVersion: 'v1', data: { key: CANARY.repeat(100) }, kind: 'Secret' })
    const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' }
    for (const told of [text, Buffer.from(text).toString('base64')]) {
      const beginning = told.slice(40, 60)
      for (const [from, to] of [
        [{}, { data: { manifest: told } }],
        [{ data: { manifest: told } }, { data: { manifest: 'other' } }],
      ] as const) {
        const changes = JSON.stringify(stored(object, changesOf(from, to)))
        expect(changes).toContain(MASKED)
        expect(changes).not.toContain(beginning)
      }
    }
  })

  it('hold nothing of a named field in a long text in base64', () => {
    const told = Buffer.from(JSON.stringify({ pin: CANARY, more: 'z'.repeat(1000) })).toString('base64')
    const changes = changesOf({}, { data: { message: told } })
    const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' }
    expect(stored(object, changes, ['pin'])).toEqual([{ path: 'data.message', to: MASKED }])
    expect(stored(object, changes, ['other'])).toEqual(changes)
  })

  it('hold nothing of the fields that a user named', () => {
    const object = { apiVersion: 'example.com/v1', kind: 'Database', name: 'd' }
    const spec = (value: string) => ({
      dbAuth: { token: value, nested: [{ deep: { value } }] },
      users: [{ name: 'jane', passWord: value }],
      'dotted.name': { password: { from: value } },
    })
    const fields = ['password', 'spec.dbAuth']
    for (const [from, to] of [
      [{ spec: spec('other') }, { spec: spec(CANARY) }],
      [{}, { spec: spec(CANARY) }],
      [{ spec: spec(CANARY) }, { spec: {} }],
    ] as const) {
      const changes = changesOf(from, to)
      expect(JSON.stringify(changes)).toContain(CANARY)
      expect(JSON.stringify(stored(object, changes, fields))).not.toContain(CANARY)
    }
    expect(JSON.stringify(stored(object, changesOf({}, { spec: spec(CANARY) }), ['users.password']))).toMatch(
      /"spec.users\[0\].passWord","to":"\(masked\)"/,
    )
  })
})
