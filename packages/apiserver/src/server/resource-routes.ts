import { serveCreate } from '../handlers/create.ts'
import { serveDelete, serveDeleteCollection } from '../handlers/delete.ts'
import { serveGet } from '../handlers/get.ts'
import { serveList } from '../handlers/list.ts'
import { servePatch } from '../handlers/patch.ts'
import { serveTransformed } from '../handlers/transform.ts'
import { serveUpdate } from '../handlers/update.ts'
import { serveWatch } from '../handlers/watch.ts'
import { header } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { negotiate } from '../request/negotiation.ts'
import type { RequestContext } from '../request/request-context.ts'
import { methodNotAllowed, resourceNotFound } from '../status-error.ts'

export function serveResource(context: RequestContext): Promise<ApiResponse> | ApiResponse {
  const { resource, info, request } = context
  if (resource.deprecation !== undefined) context.warnings.push(resource.deprecation)
  if (info.subresource !== '') return serveSubresource(context)
  if (resource.namespaced && info.namespace === '' && !['list', 'watch', 'deletecollection'].includes(info.verb))
    throw methodNotAllowed()
  if (!resource.verbs.includes(info.verb)) throw methodNotAllowed()
  const form = negotiate(header(request, 'accept'))
  if (form.as !== 'json') return serveTransformed(context, form)
  return serveVerb(context)
}

export function serveVerb(context: RequestContext): Promise<ApiResponse> | ApiResponse {
  switch (context.info.verb) {
    case 'get':
      return serveGet(context)
    case 'list':
      return serveList(context)
    case 'watch':
      return serveWatch(context)
    case 'create':
      if (context.info.name !== '') throw methodNotAllowed()
      return serveCreate(context)
    case 'update':
      return serveUpdate(context)
    case 'patch':
      return servePatch(context)
    case 'delete':
      return serveDelete(context)
    case 'deletecollection':
      return serveDeleteCollection(context)
    default:
      throw methodNotAllowed()
  }
}

function serveSubresource(context: RequestContext): Promise<ApiResponse> {
  const { resource, info } = context
  const subresource = resource.subresources.get(info.subresource)
  if (!subresource || (info.rest.length > 0 && info.subresource !== 'proxy')) throw resourceNotFound()
  if (!subresource.verbs.includes(info.verb)) throw methodNotAllowed()
  return subresource.serve(context)
}
