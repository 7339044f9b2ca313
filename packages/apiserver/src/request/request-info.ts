/** What a request asks for, read from its method, path and query alone. */
export interface RequestInfo {
  isResource: boolean
  path: string
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method. */
  verb: string
  group: string
  version: string
  namespace: string
  resource: string
  subresource: string
  name: string
  /** What stands behind the subresource (a proxied path). */
  rest: string[]
}

const VERBS: Record<string, string> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Subresources of a namespace; every other word behind a namespace is a resource inside it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const info: RequestInfo = {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    rest: [],
  }
  const parts = path.slice(1).replace(/\/+$/, '').split('/')
  const prefix = parts.shift()
  if (prefix === 'apis') info.group = parts.shift() ?? ''
  else if (prefix !== 'api') return info
  if (parts.length < 2) return info

  info.isResource = true
  info.version = parts.shift() as string
  info.verb = VERBS[method] ?? ''
  // The deprecated /watch/ form of the path.
  let watchPath = false
  if (parts[0] === 'watch' && parts.length > 1) {
    parts.shift()
    watchPath = true
  }
  if (parts[0] === 'namespaces' && parts.length > 1) {
    info.namespace = parts[1] as string
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] as string)) parts.splice(0, 2)
  }
  info.resource = parts[0] ?? ''
  info.name = parts[1] ?? ''
  info.subresource = parts[2] ?? ''
  info.rest = parts.slice(3)

  if (watchPath) info.verb = 'watch'
  else if (info.name === '' && info.verb === 'get') info.verb = isTrue(query.get('watch')) ? 'watch' : 'list'
  else if (info.name === '' && info.verb === 'delete') info.verb = 'deletecollection'
  return info
}

/** Go's strconv.ParseBool over a query value, where an empty value means true. */
export function isTrue(value: string | null): boolean {
  if (value === null) return false
  return value !== 'false' && value !== '0' && value !== 'f' && value !== 'F' && value !== 'FALSE' && value !== 'False'
}
