import type { Json } from '@tiphys/journal/records'
import { describe, expect, it } from 'vitest'
import { writtenMember } from './written-member.ts'

const payloadIn = (text: string) => writtenMember(JSON.parse(text) as Readonly<Record<string, Json>>, 'payload', text)

describe('a member of a body', () => {
  const payload = '{"id":12345678901234567890,"price":1.50,"name":"a\\"} ,b"}'

  it.each([
    `{"payload":${payload}}`,
    `{"namespace":"a","entry":"b","payload":${payload}}`,
    `{"payload":${payload},"namespace":"a","entry":"b"}`,
    ` { "namespace" : "\\u0041\\n1234567890123" ,\n "payload" : ${payload} , "entry" : "payload" } `,
  ])('is as it was written, wherever it stands: %s', text => {
    expect(payloadIn(text)).toBe(payload)
  })

  it('is as it was understood where a name stands twice', () => {
    expect(payloadIn('{"payload":{"a":12345678901234567890,"a":1.0},"entry":"b"}')).toBe('{"a":1}')
  })
})
