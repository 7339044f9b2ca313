import type { Env } from '@tiphys/env'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import type { ApiRequest, User } from './api-request.ts'
import type { RequestInfo } from './request-info.ts'

/** A request on its way through the server, with what each station found out. */
export interface RequestContext {
  request: ApiRequest
  info: RequestInfo
  user: User
  registry: Registry
  env: Env
  resource: Resource
  /** Texts for Warning headers, in order. */
  warnings: string[]
}
