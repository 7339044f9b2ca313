import { expect, test } from 'vitest'
import { AddressPool, formatIpv4, isInRange, parseIpv4, parseIpv4Range } from './ipv4.ts'

test('reads and writes addresses', () => {
  for (const address of ['0.0.0.0', '10.244.3.7', '255.255.255.255']) {
    expect(formatIpv4(parseIpv4(address) ?? -1)).toBe(address)
  }
  for (const wrong of ['', '1.2.3', '1.2.3.256', '1.2.3.4.5', 'a.b.c.d', '::1'])
    expect(parseIpv4(wrong)).toBeUndefined()
})

test('reads ranges and refuses what is none', () => {
  const range = parseIpv4Range('10.96.5.0/12')
  expect(formatIpv4(range.first)).toBe('10.96.0.0')
  expect(isInRange(range, parseIpv4('10.111.255.255') ?? 0)).toBe(true)
  expect(isInRange(range, parseIpv4('10.112.0.0') ?? 0)).toBe(false)
  for (const wrong of ['10.96.0.0', '10.96.0.0/33', '10.0.0/8', 'fd00::/8', '10.96.0.0/']) {
    expect(() => parseIpv4Range(wrong)).toThrow('is no IPv4 range')
  }
})

test('hands out every address once before any comes again, then the longest unused', () => {
  const pool = new AddressPool(parseIpv4Range('10.0.0.0/29'), 2)
  const first = pool.take()
  expect(first).toBe('10.0.0.2')
  pool.giveBack(first)
  const others = [pool.take(), pool.take(), pool.take(), pool.take()]
  expect(others).toEqual(['10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6'])
  pool.giveBack('10.0.0.5')
  expect([pool.take(), pool.take()]).toEqual(['10.0.0.2', '10.0.0.5'])
  expect(() => pool.take()).toThrow('no address is left in 10.0.0.0/29')
})
