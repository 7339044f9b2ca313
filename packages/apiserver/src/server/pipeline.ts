import type { Env } from '@tiphys/env'
import { asError } from '@tiphys/env'
import { ANONYMOUS, type Authenticator } from '../authentication/authenticator.ts'
import { impersonate } from '../authentication/impersonation.ts'
import { attributesOf, requireAllowed } from '../authorization/authorize-request.ts'
import { serveDiscovery } from '../discovery.ts'
import { valueAnswer } from '../handlers/answer.ts'
import type { Registry } from '../registry/registry.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { requestInfo } from '../request/request-info.ts'
import { internalError, resourceNotFound, StatusError, unauthorized } from '../status-error.ts'
import { serveEndpoint } from './endpoints.ts'
import { render } from './rendering.ts'
import { isServedAt, serveResource } from './resource-routes.ts'

/** Undefined for a path that is somebody else's. */
type ServePath = (request: ApiRequest, path: string) => ApiResponse | undefined

/** The way of a request through the server:
 *  understand → authenticate → impersonate → authorize → (endpoint | discovery | resource:
 *  decode → mutating admission → defaulting and validation → validating admission → storage).
 *  Every refusal on the way is a StatusError and becomes a Status here, and only here. Here alone, too, an answer waits for
 *  what it tells of to be durable. */
export class Pipeline {
  readonly #registry: Registry
  readonly #authenticator: Authenticator
  readonly #serveIssuer: ServePath
  readonly #env: Env

  constructor(registry: Registry, authenticator: Authenticator, serveIssuer: ServePath) {
    this.#registry = registry
    this.#authenticator = authenticator
    this.#serveIssuer = serveIssuer
    this.#env = registry.env
  }

  async handle(request: ApiRequest): Promise<ApiResponse> {
    const warnings: string[] = []
    let response: ApiResponse
    try {
      response = await this.#answer(request, warnings)
    } catch (thrown) {
      response = this.#refuse(request, thrown)
    }
    const settled = isAboutStored(request.path) ? this.#registry.storage.settled() : undefined
    if (settled) response = await this.#afterwards(settled, request, response)
    return withWarnings(render(request, response), warnings)
  }

  /** Answers and refusals alike speak of what is stored, and so wait until a crash cannot take it back. */
  async #afterwards(settled: Promise<void>, request: ApiRequest, response: ApiResponse): Promise<ApiResponse> {
    try {
      await settled
      return response
    } catch (thrown) {
      if (response.body.type === 'stream') response.body.chunks.destroy()
      if (response.body.type === 'connection') response.body.abandon()
      return this.#refuse(request, thrown)
    }
  }

  async #answer(request: ApiRequest, warnings: string[]): Promise<ApiResponse> {
    const registry = this.#registry
    const path = decodePath(request.path)
    if (path === undefined) return plainText(400, '400 Bad Request')
    const info = requestInfo(request.method, path, request.query)
    const authenticated = request.user ?? this.#authenticator.authenticate(request)
    if (authenticated === 'refused') throw unauthorized()
    const caller = authenticated === 'anonymous' ? ANONYMOUS : authenticated
    const asked = attributesOf(caller, info, request.query)
    const user = impersonate(request, asked, registry.authorizer)
    requireAllowed(registry.authorizer, { ...asked, user })

    const resource = info.isResource ? registry.resources.find(info.group, info.version, info.resource) : undefined
    if (resource && isServedAt(resource, info)) {
      if (resource.load && isWrite(info.verb)) await resource.load()
      return await serveResource({ request, info, user, registry, env: this.#env, resource, warnings })
    }
    if (!info.isResource) {
      const found =
        this.#serveIssuer(request, path) ??
        (await serveEndpoint(registry, request, path)) ??
        serveDiscovery(registry.resources, request, path)
      if (found) return found
    }
    if (isBuiltinPath(registry, path)) throw resourceNotFound()
    return PAGE_NOT_FOUND
  }

  #refuse(request: ApiRequest, thrown: unknown): ApiResponse {
    if (thrown instanceof StatusError) {
      const response = valueAnswer(thrown.code, thrown.toStatus())
      return { ...response, headers: { ...response.headers, ...thrown.headers } }
    }
    const error = asError(thrown)
    this.#env.log.error('a request failed in the server', {
      method: request.method,
      path: request.path,
      error,
      stack: error.stack,
    })
    return valueAnswer(500, internalError(error.message).toStatus())
  }
}

/** Before the first write there is nothing to read: no reader needs what is loaded. */
const isWrite = (verb: string): boolean => !['get', 'list', 'watch'].includes(verb)

/** Health and version are the process' own, and are told whatever happens to its disk. */
const isAboutStored = (path: string): boolean => path.startsWith('/api') || path.startsWith('/openapi')

const plainText = (status: number, text: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: { type: 'text', text },
})

const PAGE_NOT_FOUND = plainText(404, '404 page not found\n')

/** Below the groups that are always there, what is missing is answered with a Status. */
function isBuiltinPath({ resources }: Registry, path: string): boolean {
  const [, prefix, group = ''] = path.split('/')
  if (prefix === 'api') return true
  if (prefix !== 'apis') return false
  return resources
    .versions(group)
    .some(version => resources.ofVersion(group, version).some(({ isCustom }) => !isCustom))
}

/** Escapes are read once and after splitting nothing is read again; a path that hides a slash or dots names nothing. */
function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return path
      .split('/')
      .map(part => decodeURIComponent(part))
      .join('/')
  } catch {
    return undefined
  }
}

function withWarnings(response: ApiResponse, warnings: readonly string[]): ApiResponse {
  if (warnings.length === 0) return response
  const texts = [...new Set(warnings)].map(text => `299 - ${JSON.stringify(text)}`)
  return { ...response, headers: { ...response.headers, warning: texts } }
}
