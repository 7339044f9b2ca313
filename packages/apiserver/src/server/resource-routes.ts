import { serveCreate } from '../handlers/create.ts'
import { serveDelete, serveDeleteCollection } from '../handlers/delete.ts'
import { serveGet } from '../handlers/get.ts'
import { serveList } from '../handlers/list.ts'
import { servePatch } from '../handlers/patch.ts'
import { serveTransformed, showObject } from '../handlers/transform.ts'
import { serveUpdate } from '../handlers/update.ts'
import { serveWatch } from '../handlers/watch.ts'
import { groupResource, type Resource, type Subresource } from '../registry/resource.ts'
import { header } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { COLLECTION_TYPES, negotiate, OBJECT_TYPES, requireProduced } from '../request/negotiation.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { RequestInfo } from '../request/request-info.ts'
import { badRequest, methodNotAllowed, methodNotSupported, notFound, resourceNotFound } from '../status-error.ts'

const COLLECTION_VERBS = ['list', 'watch', 'create', 'deletecollection']
const OBJECT_VERBS = ['get', 'update', 'patch', 'delete']
const READS_ALL = ['list', 'watch']

/** True when the path puts the resource where it is: in a namespace or not. Everything in all namespaces can only be
 *  read; the built-in API knows that path and refuses other methods, custom resources do not know it. */
export function isServedAt(resource: Resource, { namespace, verb, name }: RequestInfo): boolean {
  const isNamespace = resource.group === '' && resource.name === 'namespaces'
  const isInNamespace = namespace !== '' && !isNamespace
  if (!resource.namespaced) return !isInNamespace
  if (isInNamespace) return true
  return resource.isCustom
    ? READS_ALL.includes(verb)
    : (name === '' || verb === 'watch') && resource.verbs.includes('list')
}

export function serveResource(context: RequestContext): Promise<ApiResponse> | ApiResponse {
  const { resource, info, request } = context
  if (resource.deprecation !== undefined) context.warnings.push(resource.deprecation)
  if (resource.isCustom) checkCustomVerb(context)
  else checkBuiltinVerb(context)
  if (info.verb === 'watch' && request.method !== 'GET') throw methodNotAllowed()
  checkName(info.name)
  const subresource = info.subresource === '' ? undefined : findSubresource(context)
  if (subresource) return serveSubresource(context, subresource)
  const { isCustom } = resource
  const isStream = info.verb === 'watch'
  const form = negotiate(header(request, 'accept'), { allowsTransforms: true, isStream, isCustom })
  return form.as === 'json' || form.as === 'yaml' ? serveVerb(context) : serveTransformed(context, form)
}

/** The built-in API has a path for every verb it has: a missing path is not found, a missing method not allowed. */
function checkBuiltinVerb({ resource, info, request }: RequestContext): void {
  if (info.subresource !== '') return
  const isCollection = info.name === ''
  const routed = isCollection ? COLLECTION_VERBS : [...OBJECT_VERBS, 'watch']
  const served = routed.filter(verb => resource.verbs.includes(verb))
  if (served.length === 0 || (!isCollection && !OBJECT_VERBS.some(verb => served.includes(verb))))
    throw resourceNotFound()
  const isReadOnly = resource.namespaced && info.namespace === ''
  if (!served.includes(info.verb) || (isReadOnly && !READS_ALL.includes(info.verb))) throw methodNotAllowed()
  if (request.method === 'HEAD') throw methodNotAllowed()
  requireProduced(
    header(request, 'accept'),
    isCollection && READS_ALL.includes(info.verb) ? COLLECTION_TYPES : OBJECT_TYPES,
  )
}

function checkCustomVerb({ resource, info }: RequestContext): void {
  const { verb, name, subresource } = info
  if (subresource !== '') return
  if (!resource.verbs.includes(verb)) throw methodNotSupported(groupResource(resource), verb)
  if (name === '' && OBJECT_VERBS.includes(verb)) throw badRequest('name must be provided')
}

/** A name becomes a part of the key under which the object is stored. */
function checkName(name: string): void {
  const problem =
    name === '.' || name === '..'
      ? `may not be '${name}'`
      : name.includes('/')
        ? `may not contain '/'`
        : name.includes('%')
          ? `may not contain '%'`
          : undefined
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`)
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

function findSubresource({ resource, info, request }: RequestContext): Subresource {
  const subresource = resource.subresources.get(info.subresource)
  if (!subresource || (info.rest.length > 0 && info.subresource !== 'proxy')) {
    throw resource.isCustom ? notFound(groupResource(resource), info.name) : resourceNotFound()
  }
  const isProxied = info.subresource === 'proxy' && request.method === 'OPTIONS'
  if (!subresource.verbs.includes(info.verb) && !isProxied) {
    throw resource.isCustom ? methodNotSupported(groupResource(resource), info.verb) : methodNotAllowed()
  }
  return subresource
}

async function serveSubresource(context: RequestContext, subresource: Subresource): Promise<ApiResponse> {
  const { group, version, kind } = subresource.kind
  const { resource, request } = context
  const isObjectItself = kind === resource.kind && group === resource.group && version === resource.version
  const response = await subresource.serve(context)
  if (!isObjectItself || response.body.type !== 'json') return response
  return showObject(
    context,
    negotiate(header(request, 'accept'), { allowsTransforms: true, isCustom: resource.isCustom }),
    response,
  )
}
