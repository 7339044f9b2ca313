import type { User } from '../request/api-request.ts'
import type { RequestInfo } from '../request/request-info.ts'
import { forbidden, StatusError } from '../status-error.ts'
import type { Attributes, Authorizer } from './authorizer.ts'

/** Throws the 403 when the user may not do what the request asks. */
export function authorizeRequest(authorizer: Authorizer, user: User, info: RequestInfo, query: URLSearchParams): void {
  const attributes = attributesOf(user, info, query)
  const { allowed, reason } = authorizer.authorize(attributes)
  if (!allowed) throw refusal(attributes, reason)
}

function attributesOf(user: User, info: RequestInfo, query: URLSearchParams): Attributes {
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
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`
  const why = reason === '' ? '' : `: ${reason}`
  if (path !== undefined)
    return new StatusError(403, 'Forbidden', `forbidden: ${who} path ${JSON.stringify(path)}${why}`, {})
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  return forbidden(
    { group, resource },
    name,
    `${who} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${where}${why}`,
  )
}
