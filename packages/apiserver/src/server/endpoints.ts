import { valueAnswer } from '../handlers/answer.ts'
import type { Registry } from '../registry/registry.ts'
import { type ApiRequest, header } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { requireProduced } from '../request/negotiation.ts'
import { methodNotAllowed } from '../status-error.ts'

const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3',
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
  if (path === '/') return valueAnswer(200, { paths: paths(registry) })
  if (path === '/version' || path === '/version/') return version(request)
  if (path.startsWith('/openapi/')) {
    const { serveOpenApi } = await import('../openapi/openapi.ts')
    return serveOpenApi(registry.resources, request, path)
  }
  const [, name = '', check, ...rest] = path.split('/')
  if (!HEALTH.includes(name) || rest.length > 0) return undefined
  if (check !== undefined) return CHECKS.includes(check) ? healthText('ok') : undefined
  return healthText(request.query.has('verbose') ? report(name, request.query.getAll('exclude')) : 'ok')
}

function version(request: ApiRequest): ApiResponse {
  if (request.method !== 'GET') throw methodNotAllowed()
  requireProduced(header(request, 'accept'), ['application/json'])
  const text = JSON.stringify(VERSION, undefined, 2)
  return { status: 200, headers: {}, body: { type: 'json', value: () => VERSION, text: () => text } }
}

const HEALTH = ['healthz', 'livez', 'readyz']

function report(name: string, excluded: readonly string[]): string {
  const lines = CHECKS.map(check => (excluded.includes(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`))
  return `${lines.join('\n')}\n${name} check passed\n`
}

const healthText = (text: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: { type: 'text', text },
})

function paths({ resources }: Registry): string[] {
  const all = ['/.well-known/openid-configuration', '/openid/v1/jwks', '/version', '/api', '/apis', '/apis/']
  all.push('/openapi/v2', '/openapi/v3', '/openapi/v3/')
  for (const name of HEALTH) all.push(`/${name}`, ...CHECKS.map(check => `/${name}/${check}`))
  for (const group of resources.groups()) {
    const base = group === '' ? '/api' : `/apis/${group}`
    if (group !== '') all.push(base)
    for (const version of resources.versions(group)) all.push(`${base}/${version}`)
  }
  return all.sort()
}
