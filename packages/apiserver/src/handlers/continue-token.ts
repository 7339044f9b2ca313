import { posix } from 'node:path'
import { goQuote, parseJson } from '@tiphys/kube'
import { badRequest } from '../status-error.ts'

export interface ContinueToken {
  /** Negative: go on from the key with whatever is there now. */
  revision: number
  /** `/` and the first key that may be on the page, below the collection that is listed. */
  start: string
}

const VERSION = 'meta.k8s.io/v1'

export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString('base64url')
}

/** Where the page behind `key` starts. */
export const startAfter = (key: string): string => `/${key}\0`

export function decodeContinue(token: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = readToken(token)
  if (v !== VERSION) throw refused(`: server does not recognize this encoded version ${v}`)
  if (rv === 0) throw refused(`: incorrect encoded start resourceVersion (version ${VERSION})`)
  if (start === '') throw refused(`: encoded start key empty (version ${VERSION})`)
  const key = start.startsWith('/') ? start : `/${start}`
  // A key that climbs out of the collection would show what the caller may not list.
  if (posix.normalize(key) !== key) throw refused(`: ${start}`)
  return { revision: rv, start: key }
}

const refused = (why: string) => badRequest(`invalid continue token: continue key is not valid${why}`)

function readToken(token: string): { v?: string; rv?: number; start?: string } {
  const illegal = illegalBase64(token)
  if (illegal >= 0) throw refused(`: illegal base64 data at input byte ${illegal}`)
  const bytes = Buffer.from(token, 'base64url')
  let value: unknown
  try {
    value = parseJson(bytes.toString())
  } catch (thrown) {
    throw refused(`: ${garbage(bytes) ?? (thrown as Error).message}`)
  }
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw refused(`: json: cannot unmarshal ${jsonType(value)} into Go value of type storage.continueToken`)
  const fields = value as Record<string, unknown>
  return {
    ...field(fields, 'v', 'string', 'string'),
    ...field(fields, 'rv', 'number', 'int64'),
    ...field(fields, 'start', 'string', 'string'),
  }
}

function field(fields: Record<string, unknown>, name: string, type: 'string' | 'number', goType: string) {
  const value = fields[name]
  if (value === undefined || value === null) return {}
  if (typeof value !== type)
    throw refused(
      `: json: cannot unmarshal ${jsonType(value)} into Go struct field continueToken.${name} of type ${goType}`,
    )
  return { [name]: value }
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

/** Text that is not JSON from its first byte on, whatever encoding it has. */
function garbage(bytes: Buffer): string | undefined {
  const first = bytes.toString('latin1', 0, 1)
  if (first === '' || /[\s{["\-0-9tfn]/.test(first)) return undefined
  return `invalid character '${goQuote(first).slice(1, -1)}' looking for beginning of value`
}

/** Where the token ceases to be base64 for URLs without padding; -1 when it does not. */
function illegalBase64(token: string): number {
  const illegal = token.search(/[^A-Za-z0-9_-]/)
  if (illegal >= 0) return illegal
  return token.length % 4 === 1 ? token.length - 1 : -1
}
