import { checkSubdomain, outOfRange } from '../builtin/names.ts'
import { child, type FieldError, invalid, required } from '../field-error.ts'

const FORM = '; desired format: https://host[/path]'
const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+\-.]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/

/** What must hold for the URL of a webhook. */
export function validateWebhookUrl(url: string, field: string): FieldError[] {
  const [, scheme = '', authority = '', , query = '', fragment = ''] = URL_PARTS.exec(url) ?? []
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const errors: FieldError[] = []
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalid(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`))
  }
  if (host === '') errors.push(invalid(field, host, `host must be specified${FORM}`))
  if (at >= 0) errors.push(invalid(field, authority.slice(0, at), 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalid(field, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalid(field, query, 'query parameters are not permitted in the URL'))
  return errors
}

export interface WebhookService {
  name: string
  namespace: string
  path?: string
  port?: number
}

/** What must hold for the Service behind a webhook. */
export function validateWebhookService(
  { name, namespace, path, port = 443 }: WebhookService,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  if (name === '') errors.push(required(child(field, 'name')))
  if (namespace === '') errors.push(required(child(field, 'namespace')))
  if (port < 1 || port > 65535)
    errors.push(invalid(child(field, 'port'), port, `port is not valid: ${outOfRange(1, 65535)}`))
  if (path === undefined || path === '' || path === '/') return errors
  const at = child(field, 'path')
  if (path === '//') return [...errors, invalid(at, path, 'segment[0] may not be empty')]
  if (!path.startsWith('/')) errors.push(invalid(at, path, "must start with a '/'"))
  for (const [i, segment] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (segment === '') errors.push(invalid(at, path, `segment[${i}] may not be empty`))
    else for (const reason of checkSubdomain(segment)) errors.push(invalid(at, path, `segment[${i}]: ${reason}`))
  }
  return errors
}
