import { describe, expect, it } from 'vitest'
import { createMask } from './mask.ts'
import { MASKED } from './secrets.ts'
import type { DecisionRecord, EventRecord } from './trace-record.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64')
const secret = {
  kind: 'Secret',
  data: { code: encoded('open "sesame" now') },
  stringData: { pin: '12', word: 'tweety bird' },
}
const payload = JSON.stringify({ header: {}, body: { items: [secret], size: 12 } })
const secretsIn = (text: string, fields: string[] = []) => createMask({ fields }).secretsIn?.(text)
const redact = (text: string) => secretsIn(payload)?.redact(text)

describe('the secrets of a payload', () => {
  it.each([
    ['error: tweety bird', `error: ${MASKED}`],
    ['"tweety bird", tweety bird', `"${MASKED}", ${MASKED}`],
    [encoded('tweety bird'), MASKED],
    [`decoded: open "sesame" now`, `decoded: ${MASKED}`],
    ['{"x":"open \\"sesame\\" now"}', `{"x":"${MASKED}"}`],
    [JSON.stringify('{"x":"open \\"sesame\\" now"}'), `"{\\"x\\":\\"${MASKED}\\"}"`],
    [`as it is: ${secret.data.code}`, `as it is: ${MASKED}`],
    ['/?word=tweety%20bird&word=tweety+bird', `/?word=${MASKED}&word=${MASKED}`],
    ['cut: open "sesame" no', `cut: ${MASKED}`],
    ['12 is short, 123 is another', `${MASKED} is short, 123 is another`],
    ['nothing of it', 'nothing of it'],
  ])('are masked in %s', (text, told) => expect(redact(text)).toBe(told))

  it('are those of Secrets and of named fields, and there often are none', () => {
    expect(secretsIn('{"kind":"ConfigMap","data":{"a":"Secret"}}')).toBeUndefined()
    expect(secretsIn('{"kind":"Secret"}')).toBeUndefined()
    expect(secretsIn('no JSON with "Secret" in it')).toBeUndefined()
    expect(secretsIn('{"a":{"Pin":[4711,{"b":"deep one"}]}}', ['pin'])?.redact('4711 deep one')).toBe(
      `${MASKED} ${MASKED}`,
    )
  })

  it('are found in values, wherever they are in them', () => {
    const secrets = secretsIn(payload)
    expect(['a tweety bird', ['x', { y: 'tweety bird' }], 12].map(value => secrets?.areIn(value))).toEqual([
      true,
      true,
      true,
    ])
    expect(['a bird', ['x'], 123, true, null, {}].map(value => secrets?.areIn(value))).toEqual(Array(6).fill(false))
  })

  it('are told by no decision, whichever path led to them, and by no key', () => {
    const common = { v: 1, at: 0, trace: 'e1' } as const
    const part = { namespace: 'default', name: 'n', part: 'p' }
    const decision: DecisionRecord = {
      ...common,
      kind: 'decision',
      trigger: part,
      dependency: 'd',
      verdict: 'filtered',
      events: ['e1'],
      inputs: [
        { path: 'body.items.0.stringData.word', value: 'tweety bird' },
        { path: 'body.*.#.stringData|@values', value: [['12', 'tweety bird']] },
        { path: 'header', value: {} },
      ],
      filters: [
        { by: 'data', paths: ['body.items.0.stringData.word'], says: '!= tweety bird', passed: false },
        { by: 'data', paths: ['body.size'], says: '> 3' },
      ],
      payload,
    }
    const masked = createMask()(decision)
    expect(masked.inputs?.map(({ value }) => value)).toEqual([MASKED, MASKED, {}])
    expect(masked.filters?.map(({ says }) => says)).toEqual([MASKED, '> 3'])
    expect(masked).not.toHaveProperty('payload')
    const long = createMask()({ ...decision, payload: payload + ' '.repeat(300_000) })
    expect(long.inputs?.map(({ value }) => value)).toEqual([MASKED, MASKED, MASKED])
    const plain = createMask()({ ...decision, payload: '{"body":{}}' + ' '.repeat(300_000) })
    expect(plain.inputs).toBe(decision.inputs)
    const event: EventRecord = {
      ...common,
      kind: 'event',
      source: part,
      type: 'webhook',
      key: 'key tweety bird',
      body: secret,
    }
    expect(createMask()(event).key).toBe(`key ${MASKED}`)
  })
})
