import { valueAnswer } from '../handlers/answer.ts'
import type { Registry } from '../registry/registry.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'

export const KUBERNETES_VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.3' }

const VERSION = {
  ...KUBERNETES_VERSION,
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'tiphys',
  platform: `${process.platform}/${process.arch}`,
}

const CHECKS = ['ping', 'log', 'storage']

/** Paths that are not resources: version, health, OpenAPI and the list of all of them. */
export async function serveEndpoint(
  registry: Registry,
  request: ApiRequest,
  path: string,
): Promise<ApiResponse | undefined> {
  switch (path) {
    case '/version':
    case '/version/':
      return valueAnswer(200, VERSION)
    case '/healthz':
    case '/livez':
    case '/readyz':
      return health(path.slice(1), request.query.has('verbose'))
    case '/':
      return valueAnswer(200, { paths: paths(registry) })
  }
  if (path.startsWith('/openapi/')) {
    const { serveOpenApi } = await import('../openapi/openapi.ts')
    return serveOpenApi(registry.resources, request, path)
  }
  return undefined
}

function health(name: string, verbose: boolean): ApiResponse {
  const text = verbose ? `${CHECKS.map(check => `[+]${check} ok`).join('\n')}\n${name} check passed\n` : 'ok'
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: { type: 'text', text },
  }
}

function paths({ resources }: Registry): string[] {
  const all = ['/api', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version']
  for (const group of resources.groups()) {
    const base = group === '' ? '/api' : `/apis/${group}`
    if (group !== '') all.push(base)
    for (const version of resources.versions(group)) all.push(`${base}/${version}`)
  }
  return all.sort()
}
