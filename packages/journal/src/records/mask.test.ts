import { describe, expect, it } from 'vitest'
import { createMask, MASKED } from './mask.ts'
import type { EventRecord, Json, WriteRecord } from './trace-record.ts'

const common = { v: 1, at: 0, trace: 'e1' } as const
const source = { namespace: 'default', name: 'source', part: 'entry' }
const event = (body: Json): EventRecord => ({ ...common, kind: 'event', source, type: 'ADD', body })
const bodyOf = (body: Json, fields: string[] = []) => createMask({ fields })(event(body)).body

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'x' }, stringData: { b: 'y' } }
const maskedSecret = { ...secret, data: { a: MASKED }, stringData: { b: MASKED } }

describe('the mask', () => {
  it('hides the values of a Secret wherever it is in a body, and keeps their names', () => {
    expect(bodyOf(secret)).toEqual(maskedSecret)
    expect(bodyOf({ body: secret, oldBody: secret })).toEqual({ body: maskedSecret, oldBody: maskedSecret })
    expect(bodyOf({ kind: 'SecretList', items: [secret, 1, null] })).toEqual({
      kind: 'SecretList',
      items: [maskedSecret, 1, null],
    })
  })

  it('hides what kubectl notes of a Secret in an annotation', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secret) }
    expect(JSON.stringify(bodyOf({ ...secret, metadata: { annotations } }))).not.toMatch(/"x"|\\"x\\"|"y"|\\"y\\"/)
    const broken = { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{ torn x' } } }
    expect(JSON.stringify(bodyOf(broken))).not.toContain('torn')
  })

  it('leaves other objects as they are, the very same', () => {
    const record = event({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'x' } })
    expect(createMask()(record)).toBe(record)
  })

  it('changes nothing of what it is given', () => {
    const frozen = Object.freeze({ ...secret, data: Object.freeze({ a: 'x' }) })
    expect(bodyOf(frozen)).toEqual(maskedSecret)
    expect(frozen.data).toEqual({ a: 'x' })
  })

  it('hides fields by name and by path', () => {
    const body = { user: { Password: 'p', name: 'n' }, spec: { auth: { token: 't' } }, token: 'kept' }
    expect(bodyOf(body, ['password', 'auth.token'])).toEqual({
      user: { Password: MASKED, name: 'n' },
      spec: { auth: { token: MASKED } },
      token: 'kept',
    })
    expect(bodyOf([{ password: 'p' }], ['password'])).toEqual([{ password: MASKED }])
  })

  it('hides the changes of a Secret, and the inputs of a decision about one', () => {
    const object = { apiVersion: 'v1', kind: 'Secret', name: 's' }
    const write: WriteRecord = {
      ...common,
      kind: 'write',
      object,
      verb: 'update',
      uid: 'u',
      resourceVersion: '1',
      outcome: 'changed',
      diff: [
        { path: 'data.a', from: 'x', to: 'y' },
        { path: 'metadata.labels.app', to: 'web' },
        { path: 'metadata.annotations', to: { note: 'x' } },
      ],
    }
    expect(createMask()(write).diff).toEqual([
      { path: 'data.a', from: MASKED, to: MASKED },
      { path: 'metadata.labels.app', to: 'web' },
      { path: 'metadata.annotations', to: MASKED },
    ])
    const decision = createMask({ fields: ['pin'] })({
      ...common,
      kind: 'decision',
      trigger: source,
      dependency: 'd',
      verdict: 'filtered',
      events: [],
      object,
      inputs: [
        { path: 'body.data.a', value: 'x' },
        { path: 'body.kind', value: 'Secret' },
        { path: 'body.user[0].pin', value: 1 },
      ],
    })
    expect(decision.inputs?.map(({ value }) => value)).toEqual([MASKED, 'Secret', MASKED])
  })

  it('treats __proto__ as a field', () => {
    const body = JSON.parse('{"__proto__": {"password": "p"}, "a": 1}') as Json
    expect(JSON.stringify(bodyOf(body, ['password']))).toBe(`{"__proto__":{"password":"${MASKED}"},"a":1}`)
  })

  it('stops at a depth that nothing real has', () => {
    let body: Json = 'end'
    for (let i = 0; i < 1000; i++) body = { a: body }
    expect(JSON.stringify(bodyOf(body))).toContain('(too deep)')
  })
})
