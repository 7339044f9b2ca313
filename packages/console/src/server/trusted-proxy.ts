import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { TerminalFailure } from '@tiphys/env'
import type { Caller } from './caller.ts'
import { HttpFailure } from './http-failure.ts'

/** A proxy in front of the console that has authenticated people, and says in headers who they are. */
export interface ProxyTrust {
  /** Addresses (`10.0.0.7`) and networks (`10.0.0.0/24`) whose headers are believed; those of anybody else are ignored. */
  from: readonly string[]
  /** The header with the user's name; X-Forwarded-User unless told otherwise. */
  userHeader?: string
  /** The header with the user's groups, with commas between them. Without it nobody has groups: a header that the proxy does not
   *  set is one that anybody can. */
  groupsHeader?: string
}

/** Says whom a request comes from, as the proxy has said it. */
export interface TrustedProxy {
  /** Undefined when it does not come from the proxy, or names nobody. Throws when it names somebody who cannot be believed. */
  callerOf(request: Pick<IncomingMessage, 'socket' | 'headers' | 'rawHeaders'>): Caller | undefined
}

const USER_HEADER = 'x-forwarded-user'
/** Names of the cluster's own parts and of its administrators: nobody from outside has them. */
const RESERVED = 'system:'
const LONGEST_NAME = 1024

export function createTrustedProxy({ from, userHeader = USER_HEADER, groupsHeader }: ProxyTrust): TrustedProxy {
  const trusted = new BlockList()
  for (const each of from) add(trusted, each)
  const user = headerName(userHeader)
  const groups = groupsHeader === undefined ? undefined : headerName(groupsHeader)
  return {
    callerOf(request) {
      const { remoteAddress = '' } = request.socket
      const version = isIP(remoteAddress)
      if (version === 0 || !trusted.check(remoteAddress, version === 4 ? 'ipv4' : 'ipv6')) return undefined
      const name = only(request, user)
      if (name === undefined || name === '') return undefined
      if (name.startsWith(RESERVED) || name.length > LONGEST_NAME || /[\x00-\x1f\x7f]/.test(name))
        throw refused(`the proxy names the user ${JSON.stringify(name.slice(0, 100))}, which nobody may be`)
      const listed = groups === undefined ? '' : (only(request, groups) ?? '')
      const own = listed.split(',').map(group => group.trim())
      return { user: name, groups: own.filter(group => group !== '' && !group.startsWith(RESERVED)) }
    },
  }
}

function add(trusted: BlockList, each: string): void {
  const [address = '', bits, ...rest] = each.split('/')
  const version = isIP(address)
  const most = version === 4 ? 32 : 128
  const length = bits === undefined ? most : Number(bits)
  if (version === 0 || rest.length > 0 || bits === '' || !Number.isInteger(length) || length < 0 || length > most) {
    throw new TerminalFailure('console-proxy-invalid', {
      what: `${each} is no address of a proxy`,
      todo: 'Give an address (10.0.0.7) or a network (10.0.0.0/24) with --trusted-proxy',
    })
  }
  trusted.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6')
}

function headerName(name: string): string {
  if (/^[\w-]+$/.test(name)) return name.toLowerCase()
  throw new TerminalFailure('console-proxy-invalid', {
    what: `${JSON.stringify(name)} is no name of a header`,
    todo: 'Name the header that the proxy sets, such as X-Forwarded-User',
  })
}

/** The header's value. Twice means that the proxy did not take out what it was sent. */
function only({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>, name: string) {
  const count = rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === name).length
  if (count > 1) throw refused(`the header ${name} came ${count} times`)
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}

const refused = (why: string) =>
  new HttpFailure('console-proxy-refused', {
    status: 401,
    what: 'the proxy’s word on who you are cannot be taken',
    why,
    todo: 'Let the proxy overwrite these headers, and authenticate people whose names do not begin with system:',
  })
