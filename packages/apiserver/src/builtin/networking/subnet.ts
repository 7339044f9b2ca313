import { BlockList } from 'node:net'
import { ipFamily } from '../ip-address.ts'

/** Whether every address of `inner` lies in `outer`, and `outer` has more. Both are valid CIDR ranges. */
export function isStrictSubnet(inner: string, outer: string): boolean {
  const [innerAddress = '', innerBits = ''] = inner.split('/')
  const [outerAddress = '', outerBits = ''] = outer.split('/')
  const family = ipFamily(outerAddress)
  if (family === undefined || ipFamily(innerAddress) !== family || Number(outerBits) >= Number(innerBits)) return false
  const list = new BlockList()
  const type = family === 'IPv4' ? 'ipv4' : 'ipv6'
  list.addSubnet(outerAddress, Number(outerBits), type)
  return list.check(innerAddress, type)
}
