import { badRequest } from '../status-error.ts'

export interface ContinueToken {
  /** -1: go on from the key with whatever is there now. */
  revision: number
  /** The key behind which the page starts. */
  after: string
}

export function encodeContinue(revision: number, after: string): string {
  const json = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after}\0` })
  return Buffer.from(json).toString('base64url')
}

export function decodeContinue(token: string): ContinueToken {
  const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`)
  const text = Buffer.from(token, 'base64url').toString()
  let decoded: { v?: unknown; rv?: unknown; start?: unknown }
  try {
    decoded = JSON.parse(text) as typeof decoded
  } catch {
    throw refuse(`invalid character '${text[0] ?? ''}' looking for beginning of value`)
  }
  if (decoded.v !== 'meta.k8s.io/v1')
    throw refuse(`server does not recognize this encoded version ${JSON.stringify(decoded.v ?? '')}`)
  if (typeof decoded.rv !== 'number' || decoded.rv === 0)
    throw refuse('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  if (typeof decoded.start !== 'string' || decoded.start === '')
    throw refuse('encoded start key empty (version meta.k8s.io/v1)')
  return { revision: decoded.rv, after: decoded.start.replace(/\0$/, '') }
}
