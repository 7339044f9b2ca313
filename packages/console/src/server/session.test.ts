import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { cookieOf, isSameToken, Sessions } from './session.ts'

const clock = new VirtualClock(1000)
const env = { clock, random: systemRandom, log: silentLog }
const sessions = (secret = 'secret') => new Sessions({ env, secret, maxAgeMs: 60_000 })

describe('a session', () => {
  it('outlives a restart with the same secret, and no other', () => {
    const cookie = sessions().seal('token')
    expect(sessions().open(cookie)).toEqual({ token: 'token', since: 1000 })
    expect(sessions('another').open(cookie)).toBeUndefined()
  })

  it('is worth nothing when one character of it is changed, cut or made up', () => {
    const cookie = sessions().seal('token')
    for (let at = 0; at < cookie.length; at++) {
      const changed = cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1)
      expect(sessions().open(changed)).toBeUndefined()
    }
    for (const made of ['', 'x', cookie.slice(0, -4), `${cookie}AAAA`]) expect(sessions().open(made)).toBeUndefined()
  })

  it('does not show the token', () =>
    expect(Buffer.from(sessions().seal('token'), 'base64url').toString()).not.toContain('token'))

  it('ends with its age', async () => {
    const cookie = sessions().seal('token')
    await clock.advance(60_000)
    expect(sessions().open(cookie)).toBeUndefined()
  })

  it('that was ended is worth nothing, and others of the same token are what they were', () => {
    const [each, other, made] = [sessions(), sessions().seal('token'), sessions('another').seal('token')]
    const cookie = each.seal('token')
    each.end(cookie)
    each.end(made)
    expect([each.open(cookie), each.open(other)]).toEqual([undefined, expect.objectContaining({ token: 'token' })])
  })

  it('is a cookie that scripts and other sites do not get', () => {
    expect(sessions().cookie('tiphys-2746', 'v', false)).toBe(
      'tiphys-2746=v; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
    )
    expect(sessions().cookie('tiphys-2746', 'v', true)).toContain('; Secure')
  })
})

it('a cookie is found by its whole name', () => {
  expect(cookieOf('a=1; tiphys-27=x; tiphys-2746=y', 'tiphys-2746')).toBe('y')
  expect(cookieOf('xtiphys-2746=y', 'tiphys-2746')).toBeUndefined()
  expect(cookieOf(undefined, 'a')).toBeUndefined()
})

it('tokens are compared whole', () => {
  expect(isSameToken('a', 'a')).toBe(true)
  expect(isSameToken('a', 'ab')).toBe(false)
  expect(isSameToken('', 'a')).toBe(false)
})
