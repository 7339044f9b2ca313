import { formatUrl, type GoUrl, parseUrl, splitHostPort } from '../../cel/functions/go-url.ts'
import { define, type GoFunction } from '../function.ts'
import { GoError, nilDereference } from '../go-error.ts'
import { anyMap, GoMap, kindOf } from '../value.ts'

function parsed(text: string, what: string): GoUrl {
  try {
    return parseUrl(text)
  } catch (error) {
    throw new GoError(`unable to parse ${what}: ${(error as Error).message}`)
  }
}

function partsOf(text: string): GoMap {
  const url = parsed(text, 'url')
  return new GoMap(anyMap, [
    ['scheme', url.scheme],
    ['host', url.host],
    ['hostname', splitHostPort(url.host).host],
    ['path', url.path],
    ['query', url.query],
    ['opaque', url.opaque],
    ['fragment', url.fragment],
    ['userinfo', url.userinfo ?? ''],
  ])
}

function join(parts: GoMap): string {
  const read = (key: string): string => {
    const value = parts.entries.get(key)
    if (value === undefined) return ''
    if (value === null) throw nilDereference()
    if (typeof value === 'string') return value
    throw new GoError(`unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`)
  }
  const url: GoUrl = {
    scheme: read('scheme'),
    host: read('host'),
    path: read('path'),
    query: read('query'),
    opaque: read('opaque'),
    fragment: read('fragment'),
    userinfo: undefined,
    rawPath: '',
    forceQuery: false,
    omitHost: false,
  }
  const userinfo = read('userinfo')
  if (userinfo !== '') url.userinfo = parsed(`proto://${userinfo}@host`, 'userinfo in dict').userinfo
  const text = formatUrl(url)
  // Without this the first part of the path would be taken for a scheme.
  const isScheme = url.scheme === '' && url.host === '' && url.userinfo === undefined && url.opaque === ''
  return isScheme && (url.path.split('/')[0] ?? '').includes(':') ? `./${text}` : text
}

export const urlFunctions: Readonly<Record<string, GoFunction>> = {
  urlParse: define(['string'], (_, text) => partsOf(text)),
  urlJoin: define(['map'], (_, parts) => join(parts)),
  getHostByName: define(['string'], () => {
    throw new GoError('getHostByName is not supported: templates do not reach the network')
  }),
}
