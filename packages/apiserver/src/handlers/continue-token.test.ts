import { describe, expect, it } from 'vitest'
import { decodeContinue, encodeContinue, startAfter } from './continue-token.ts'

const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const PREFIX = 'invalid continue token: continue key is not valid'

describe('a continue token', () => {
  it('comes back as it went out', () => {
    const start = { revision: 42, start: startAfter('default/a') }
    expect(decodeContinue(encodeContinue(start))).toEqual(start)
    expect(decodeContinue(encodeContinue({ revision: -1, start: '/ü"\\\0' }))).toEqual({
      revision: -1,
      start: '/ü"\\\0',
    })
  })

  it.each([
    ['ab!d', ': illegal base64 data at input byte 2'],
    ['abcde', ': illegal base64 data at input byte 4'],
    ['YQ==', ': illegal base64 data at input byte 2'],
    ['YWJj', ": invalid character 'a' looking for beginning of value"],
    ['gYGB', ": invalid character '\\u0081' looking for beginning of value"],
    [token(null), ': server does not recognize this encoded version '],
    [token([]), ': json: cannot unmarshal array into Go value of type storage.continueToken'],
    [token({}), ': server does not recognize this encoded version '],
    [token({ v: 1 }), ': json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [token({ v: 'meta.k8s.io/v9' }), ': server does not recognize this encoded version meta.k8s.io/v9'],
    [token({ v: 'meta.k8s.io/v1', start: 'a' }), ': incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [token({ v: 'meta.k8s.io/v1', rv: 5 }), ': encoded start key empty (version meta.k8s.io/v1)'],
    [token({ v: 'meta.k8s.io/v1', rv: 5, start: '../x' }), ': ../x'],
    [token({ v: 'meta.k8s.io/v1', rv: 5, start: 'a/../../secrets' }), ': a/../../secrets'],
  ])('%s is refused in the words of the real server', (text, why) => {
    expect(() => decodeContinue(text)).toThrow(new RegExp(`^${escape(PREFIX + why)}$`))
  })
})

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
