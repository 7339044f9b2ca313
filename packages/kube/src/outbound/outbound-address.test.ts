import { describe, expect, it } from 'vitest'
import {
  LOOPBACK_RANGES,
  type OutboundAccess,
  outboundAddress,
  outboundUrl,
  PRIVATE_RANGES,
} from './outbound-address.ts'

const address = async (url: string, access: OutboundAccess = {}) =>
  (await outboundAddress(outboundUrl(url), access)).address
const resolvingTo = (...addresses: string[]): OutboundAccess => ({
  resolve: () => Promise.resolve(addresses.map(found => ({ address: found, family: found.includes(':') ? 6 : 4 }))),
})

describe('refuses', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1:8080/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://①②⑦.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://100.100.100.200/',
    'http://10.0.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('%s', async url => {
    await expect(address(url)).rejects.toMatchObject({ code: 'outbound-address-refused' })
  })

  it.each(['file:///etc/passwd', 'gopher://example.com/', 'ftp://example.com/', '', 'example.com'])('%j', url => {
    expect(() => outboundUrl(url)).toThrow(expect.objectContaining({ code: 'outbound-invalid' }) as Error)
  })

  it('a name of which any address is not public', async () => {
    for (const access of [resolvingTo('127.0.0.1'), resolvingTo('93.184.216.34', '::1')])
      await expect(address('http://rebound.test/', access)).rejects.toThrow(
        /rebound\.test is (127\.0\.0\.1|::1), which is not/,
      )
  })
})

it('lets public addresses pass', async () => {
  expect(await address('https://93.184.216.34/')).toBe('93.184.216.34')
  expect(await address('https://[2606:2800:220:1::1]/')).toBe('2606:2800:220:1::1')
  expect(await address('https://example.test/', resolvingTo('93.184.216.34', '2606:2800::1'))).toBe('93.184.216.34')
})

it('lets pass what is allowed, and nothing beside it', async () => {
  expect(await address('http://localhost./', { ...resolvingTo('127.0.0.1'), allow: LOOPBACK_RANGES })).toBe('127.0.0.1')
  expect(await address('http://10.1.2.3/', { allow: PRIVATE_RANGES })).toBe('10.1.2.3')
  await expect(address('http://169.254.169.254/', { allow: [...PRIVATE_RANGES, ...LOOPBACK_RANGES] })).rejects.toThrow()
  expect(await address('http://10.1.2.3/', { allow: ['10.1.2.3'] })).toBe('10.1.2.3')
  await expect(address('http://10.1.2.4/', { allow: ['10.1.2.3'] })).rejects.toThrow('that is not a public address')
})

it('tries again later when a name cannot be resolved', async () => {
  for (const resolve of [() => Promise.reject(new Error('EAI_AGAIN')), () => Promise.resolve([])])
    await expect(address('http://nobody.test/', { resolve })).rejects.toMatchObject({ code: 'outbound-host-unknown' })
})
