import { describe, expect, it } from 'vitest'
import { createMask } from './mask.ts'
import { MASKED } from './secrets.ts'
import {
  type EventRecord,
  GIVEN,
  type Json,
  type RunRecord,
  type StepRecord,
  type WriteRecord,
} from './trace-record.ts'

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

  it('hides the values of Secrets that only their list calls so, as the API server answers', () => {
    const list = (...items: Json[]) => ({ apiVersion: 'v1', kind: 'SecretList', items })
    const { apiVersion: _, kind: __, ...item } = secret
    const masked = { ...item, data: { a: MASKED }, stringData: { b: MASKED } }
    expect(bodyOf(list(item, [1], null))).toEqual(list(masked, [1], null))
    expect(bodyOf({ body: JSON.stringify(list(item)) })).toEqual({ body: JSON.stringify(list(masked)) })
    expect(bodyOf({ body: Buffer.from(JSON.stringify(list(item))).toString('base64') })).toEqual({ body: MASKED })
    for (const other of [{ ...list(item), kind: 'ConfigMapList' }, { ...list(), items: 1 }, list()])
      expect(bodyOf(other)).toBe(other)
  })

  it('hides the values of a Secret in JSON that is a text in a text, however often', () => {
    const again = (value: Json, times: number): Json => (times === 0 ? value : again(JSON.stringify(value), times - 1))
    for (const times of [1, 2, 3, 4]) {
      expect(bodyOf({ body: again(secret, times) })).toEqual({ body: again(maskedSecret, times) })
      expect(bodyOf({ body: again({ deep: again(secret, times) }, 1) })).toEqual({
        body: again({ deep: again(maskedSecret, times) }, 1),
      })
    }
    const words = { text: '"a Secret\\n"', quoted: '"Secret" is a word' }
    expect(bodyOf(words)).toBe(words)
  })

  it('hides what kubectl notes of a Secret in an annotation', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secret) }
    expect(JSON.stringify(bodyOf({ ...secret, metadata: { annotations } }))).not.toMatch(/"x"|\\"x\\"|"y"|\\"y\\"/)
    const broken = { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{ torn x' } } }
    expect(JSON.stringify(bodyOf(broken))).not.toContain('torn')
  })

  it.each(['', 'x', 'xx'])('hides the values of a Secret in JSON that is a text, or is in base64 behind %j', before => {
    const inside = (found: Json) => JSON.stringify({ before, found })
    const encoded = (found: Json) => Buffer.from(inside(found)).toString('base64')
    expect(bodyOf({ body: inside([secret]) })).toEqual({ body: inside([maskedSecret]) })
    expect(bodyOf({ body: encoded([secret]) })).toEqual({ body: MASKED })
    expect(bodyOf({ body: encoded({ pin: 1, b: 'y' }) }, ['pin'])).toEqual({ body: MASKED })
    const plain = { body: encoded({ kind: 'ConfigMap', data: { a: 'Secret' } }), text: 'event of a "Secret"' }
    expect(bodyOf(plain)).toBe(plain)
    const { secretsIn } = createMask()
    for (const text of [inside(secret), encoded(secret)])
      expect(secretsIn?.(JSON.stringify({ body: text }))?.redact('x or y')).toBe(`${MASKED} or ${MASKED}`)
  })

  it('hides JSON that was cut when it names what is to be hidden', () => {
    const cut = JSON.stringify({ secret, pin: 4711, more: 'z'.repeat(60) }).slice(0, -7)
    for (const text of [cut, Buffer.from(cut).toString('base64')]) {
      expect(bodyOf({ text })).toEqual({ text: MASKED })
      expect(bodyOf({ text: text.replace('Secret', 'Other') }, ['pin'])).toEqual({ text: MASKED })
    }
    const other = { text: '{ torn "pin', words: 'a "Secret" and a "pin"' }
    expect(bodyOf(other)).toBe(other)
    expect(bodyOf(other, ['pin'])).toBe(other)
  })

  it('hides in what is told of a run the secrets that it was given', () => {
    const run = { namespace: 'default', name: 'r', uid: 'u' }
    const given = {
      parameters: [
        { name: 'body', value: JSON.stringify({ ...secret, data: { a: 'sparrow' } }) },
        { name: 'pin', value: 'robin' },
        { name: 'plain', value: 'visible' },
        { name: 'empty' },
      ],
      secrets: ['tweety'],
    }
    const text = 'visible sparrow, robin, tweety'
    const left = `visible ${MASKED}, ${MASKED}, ${MASKED}`
    const list = [{ name: 'text', value: text }, { name: 'none' }]
    const mask = createMask({ fields: ['pin'] })
    const ofRun: RunRecord = { ...common, kind: 'run', run, phase: 'Failed', [GIVEN]: given }
    expect(
      mask({ ...ofRun, message: text, cause: { step: text, message: text }, parameters: list, outputs: list }),
    ).toMatchObject({
      message: left,
      cause: { step: left, message: left },
      parameters: [{ value: left }, { name: 'none' }],
      outputs: [{ value: left }, { name: 'none' }],
    })
    const names = { step: 's', name: text, displayName: text, type: 'Pod', attempt: 1, phase: 'Failed' }
    const ofStep: StepRecord = { ...common, kind: 'step', run, ...names, message: text, inputs: list, outputs: list }
    const lists = { inputs: [{ value: left }, {}], outputs: [{ value: left }, {}] }
    expect(mask({ ...ofStep, [GIVEN]: given })).toMatchObject({
      name: left,
      displayName: left,
      message: left,
      ...lists,
    })
    expect(mask(ofStep)).toBe(ofStep)
    expect(mask({ ...ofStep, [GIVEN]: { parameters: [{ name: 'plain', value: 'visible' }] } }).message).toBe(text)
    const write: WriteRecord = {
      ...common,
      kind: 'write',
      object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' },
      verb: 'patch',
      uid: 'c',
      resourceVersion: '1',
      outcome: 'changed',
      diff: [{ path: 'data.a', from: 'visible', to: text }],
    }
    expect(mask({ ...write, [GIVEN]: given }).diff).toEqual([{ path: 'data.a', from: 'visible', to: MASKED }])
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

  it('knows a field by any path that leads to it or into it, however that is written', () => {
    const masked = (path: string, value: Json, fields: string[]) =>
      createMask({ fields })({
        ...common,
        kind: 'decision',
        trigger: source,
        dependency: 'd',
        verdict: 'filtered',
        events: [],
        inputs: [{ path, value }],
      }).inputs?.[0]?.value
    expect(masked('body.auth.token', 'x', ['auth'])).toBe(MASKED)
    expect(masked('body.users.0.pin', 'x', ['users.pin'])).toBe(MASKED)
    expect(masked('body.users.#(name=="j").pin', 'x', ['pin'])).toBe(MASKED)
    expect(masked('body|auth|token', 'x', ['auth.token'])).toBe(MASKED)
    expect(masked('body.my\\.pin', 'x', ['pin'])).toBe('x')
    expect(masked('body.dbAuth', { token: 'x', name: 'n' }, ['dbAuth.token'])).toEqual({ token: MASKED, name: 'n' })
    expect(masked('body["\\x\\', 'x', ['pin'])).toBe('x')
    const annotation = 'metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]'
    expect(masked(annotation, JSON.stringify({ spec: { pin: 'x' } }), ['pin'])).toBe(`{"spec":{"pin":"${MASKED}"}}`)
  })

  it('hides what a transformation made of something hidden, whatever it calls it, and never stores what it was given', () => {
    const decided = (input: Json | string, fields: string[] = []) =>
      createMask({ fields })({
        ...common,
        kind: 'decision',
        trigger: source,
        dependency: 'd',
        verdict: 'filtered',
        events: [],
        by: 'data',
        inputs: [{ path: 'renamed', value: 'x' }, { path: 'absent' }],
        filters: [
          { by: 'data', paths: ['renamed'], says: '= y', passed: false },
          { by: 'exprs', paths: ['auth.pin'], says: 'pin == "x"' },
          { by: 'time', says: '08:00:00 – 09:00:00 UTC' },
        ],
        payload: typeof input === 'string' ? input : JSON.stringify(input),
        transform: { output: { renamed: 'x', pin: 1 } },
      })
    const open = decided({ body: { kind: 'ConfigMap', data: { a: 'x' } } })
    expect(open.transform).toEqual({ output: { renamed: 'x', pin: 1 } })
    expect(open.inputs).toEqual([{ path: 'renamed', value: 'x' }, { path: 'absent' }])
    for (const hidden of [
      decided({ body: secret }),
      decided({ secret: 'x' }, ['secret']),
      decided(`{"secret": "x"}${' '.repeat(300_000)}`, ['secret']),
    ]) {
      expect(hidden).not.toHaveProperty('payload')
      expect(hidden.transform).toEqual({ output: MASKED })
      expect(hidden.inputs).toEqual([{ path: 'renamed', value: MASKED }, { path: 'absent' }])
    }
    const named = decided('no JSON', ['pin'])
    expect(named.transform).toEqual({ output: { renamed: 'x', pin: MASKED } })
    expect(named.filters?.map(({ says }) => says)).toEqual(['= y', MASKED, '08:00:00 – 09:00:00 UTC'])
  })

  it('treats __proto__ as a field', () => {
    const body = JSON.parse('{"__proto__": {"password": "p"}, "a": 1}') as Json
    expect(JSON.stringify(bodyOf(body, ['password']))).toBe(`{"__proto__":{"password":"${MASKED}"},"a":1}`)
  })

  it('stops at a depth that nothing real has', () => {
    let body: Json = 'end'
    for (let i = 0; i < 1000; i++) body = { a: body }
    expect(JSON.stringify(bodyOf(body))).toContain('(too deep)')
    const lists = JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as Json
    expect(JSON.stringify(bodyOf({ lists }))).toContain('(too deep)')
  })
})
