import { goQuote } from '@tiphys/kube'
import type { User } from '../request/api-request.ts'
import type { RequestInfo } from '../request/request-info.ts'
import { forbidden, StatusError } from '../status-error.ts'
import type { Attributes, Authorizer } from './authorizer.ts'

/** Throws the 403 when the user may not do it. */
export function requireAllowed(authorizer: Authorizer, attributes: Attributes): void {
  const { allowed, reason } = authorizer.authorize(attributes)
  if (!allowed) throw refusal(attributes, reason)
}

/** What a request asks to be allowed. */
export function attributesOf(user: User, info: RequestInfo, query: URLSearchParams): Attributes {
  const { verb, group, version, resource, subresource, namespace, name, path, isResource } = info
  if (!isResource)
    return { user, verb, path, group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
  // A list of one name needs the right to that name only.
  const selected =
    name === '' && (verb === 'list' || verb === 'watch' || verb === 'deletecollection')
      ? namedBy(query.get('fieldSelector'))
      : ''
  return { user, verb, group, version, resource, subresource, namespace, name: name || selected }
}

function namedBy(fieldSelector: string | null): string {
  return /(?:^|,)metadata\.name==?([^,!=\\]+)(?:,|$)/.exec(fieldSelector ?? '')?.[1] ?? ''
}

export function refusal(attributes: Attributes, reason: string): StatusError {
  const { user, verb, path, group, resource, subresource, namespace, name } = attributes
  const who = `User ${goQuote(user.name)} cannot ${verb}`
  const why = reason === '' ? '' : `: ${reason}`
  if (path !== undefined) return new StatusError(403, 'Forbidden', `forbidden: ${who} path ${goQuote(path)}${why}`, {})
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`
  return forbidden(
    { group, resource },
    name,
    `${who} resource ${goQuote(full)} in API group ${goQuote(group)} ${where}${why}`,
  )
}
