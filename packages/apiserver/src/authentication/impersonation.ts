import { refusal } from '../authorization/authorize-request.ts'
import type { Attributes, Authorizer } from '../authorization/authorizer.ts'
import type { ApiRequest, User } from '../request/api-request.ts'
import { badRequest } from '../status-error.ts'
import { AUTHENTICATED_GROUP } from './authenticator.ts'

const EXTRA_PREFIX = 'impersonate-extra-'

/** The user the request wants to act as, if its caller may be that user; else the caller. */
export function impersonate(request: ApiRequest, caller: User, authorizer: Authorizer): User {
  const { headers } = request
  const user = single(headers['impersonate-user'])
  const groups = several(headers['impersonate-group'])
  const uid = single(headers['impersonate-uid'])
  const extra: Record<string, string[]> = {}
  for (const name of Object.keys(headers)) {
    if (name.startsWith(EXTRA_PREFIX)) extra[decodeKey(name.slice(EXTRA_PREFIX.length))] = several(headers[name])
  }
  const hasExtra = Object.keys(extra).length > 0
  if (user === '') {
    if (groups.length > 0 || uid !== '' || hasExtra) {
      throw badRequest(`requested [${[...groups.map(g => `{Group  ${g}}`)].join(' ')}] without impersonating a user`)
    }
    return caller
  }
  const may = (attributes: Partial<Attributes>) => {
    const asked: Attributes = {
      user: caller,
      verb: 'impersonate',
      group: '',
      version: 'v1',
      resource: '',
      subresource: '',
      namespace: '',
      name: '',
      ...attributes,
    }
    const { allowed, reason } = authorizer.authorize(asked)
    if (!allowed) throw refusal(asked, reason)
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user)
  if (account) may({ resource: 'serviceaccounts', namespace: account[1] as string, name: account[2] as string })
  else may({ resource: 'users', name: user })
  for (const group of groups) may({ resource: 'groups', name: group })
  if (uid !== '') may({ group: 'authentication.k8s.io', resource: 'uids', name: uid })
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values)
      may({ group: 'authentication.k8s.io', resource: 'userextras', subresource: key, name: value })
  }
  return {
    name: user,
    groups: withImplied(user, account, groups),
    ...(uid === '' ? {} : { uid }),
    ...(hasExtra ? { extra } : {}),
  }
}

/** Groups that everybody of the user's sort belongs to. */
function withImplied(user: string, account: RegExpExecArray | null, groups: readonly string[]): string[] {
  const all = [...groups]
  if (account && groups.length === 0) all.push('system:serviceaccounts', `system:serviceaccounts:${account[1]}`)
  const implied = user === 'system:anonymous' ? 'system:unauthenticated' : AUTHENTICATED_GROUP
  if (!all.includes(implied)) all.push(implied)
  return all
}

const single = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.[0] ?? '')
const several = (value: string | readonly string[] | undefined): string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : [...value]

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key).toLowerCase()
  } catch {
    return key.toLowerCase()
  }
}
