import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createTrustedProxy, type ProxyTrust } from './trusted-proxy.ts'

const PROXY: ProxyTrust = { from: ['10.0.0.0/24', 'fd00::7'], groupsHeader: 'X-Forwarded-Groups' }

function from(remoteAddress: string, ...rawHeaders: string[]) {
  const headers: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    headers[name] =
      headers[name] === undefined ? (rawHeaders[i + 1] as string) : `${headers[name]}, ${rawHeaders[i + 1]}`
  }
  return { socket: { remoteAddress }, headers, rawHeaders } as unknown as IncomingMessage
}

describe('a trusted proxy', () => {
  const { callerOf } = createTrustedProxy(PROXY)

  it('is believed at its own addresses, in each of their spellings', () => {
    for (const address of ['10.0.0.7', '::ffff:10.0.0.7', 'fd00::7', 'fd00:0:0:0:0:0:0:7'])
      expect(callerOf(from(address, 'X-Forwarded-User', 'jane'))).toEqual({ user: 'jane', groups: [] })
  })

  it('is nobody else: what others say of themselves is ignored', () => {
    for (const address of ['10.0.1.7', '127.0.0.1', '::1', 'fd00::8', '::ffff:10.0.1.7', ''])
      expect(callerOf(from(address, 'X-Forwarded-User', 'jane', 'X-Forwarded-For', '10.0.0.7'))).toBeUndefined()
  })

  it('gives groups, but none of the cluster’s own', () => {
    const request = from('10.0.0.7', 'x-forwarded-user', 'jane', 'x-forwarded-groups', 'ops, system:masters,,dev')
    expect(callerOf(request)).toEqual({ user: 'jane', groups: ['ops', 'dev'] })
  })

  it('gives no groups unless it is said where they are', () => {
    const plain = createTrustedProxy({ from: ['10.0.0.7'] })
    const request = from('10.0.0.7', 'x-forwarded-user', 'jane', 'x-forwarded-groups', 'ops')
    expect(plain.callerOf(request)).toEqual({ user: 'jane', groups: [] })
  })

  it('that names nobody leaves it to a token', () => {
    expect(callerOf(from('10.0.0.7'))).toBeUndefined()
    expect(callerOf(from('10.0.0.7', 'x-forwarded-user', ' '))).toBeUndefined()
  })

  it('is not believed when a header came twice, or a name is the cluster’s own', () => {
    expect(() => callerOf(from('10.0.0.7', 'X-Forwarded-User', 'root', 'x-forwarded-user', 'jane'))).toThrow(
      /came 2 times/,
    )
    expect(() => callerOf(from('10.0.0.7', 'x-forwarded-user', 'system:admin'))).toThrow(/nobody may be/)
    expect(() => callerOf(from('10.0.0.7', 'x-forwarded-user', 'a\tb'))).toThrow(/nobody may be/)
  })

  it('has an address, or the console does not start', () => {
    for (const address of ['proxy.example.com', '10.0.0.0/33', '10.0.0.0/', '10.0.0/8', '1.2.3.4/8/9', ''])
      expect(() => createTrustedProxy({ from: [address] })).toThrow(/no address of a proxy/)
    expect(() => createTrustedProxy({ from: ['::1'], userHeader: 'no: header' })).toThrow(/no name of a header/)
  })
})
