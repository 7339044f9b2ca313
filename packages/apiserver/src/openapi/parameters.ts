/** A parameter of an operation, in its path or its query. */
export interface Parameter {
  name: string
  in: 'path' | 'query'
  type: 'string' | 'boolean' | 'integer'
}

const BOOLEANS = new Set([
  'allowWatchBookmarks',
  'follow',
  'force',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'insecureSkipTLSVerifyBackend',
  'orphanDependents',
  'previous',
  'sendInitialEvents',
  'stderr',
  'stdin',
  'stdout',
  'timestamps',
  'tty',
  'watch',
])
const INTEGERS = new Set([
  'gracePeriodSeconds',
  'limit',
  'limitBytes',
  'ports',
  'sinceSeconds',
  'tailLines',
  'timeoutSeconds',
])
const IN_PATH = new Set(['name', 'namespace', '{path}'])

/** `{path}` is what follows a proxy in the URL; `path` is the query parameter of the same name. */
export function parameter(name: string): Parameter {
  return {
    name: name === '{path}' ? 'path' : name,
    in: IN_PATH.has(name) ? 'path' : 'query',
    type: BOOLEANS.has(name) ? 'boolean' : INTEGERS.has(name) ? 'integer' : 'string',
  }
}
