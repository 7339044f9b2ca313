import { groupResource, keyOf } from '../registry/resource.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { RequestContext } from '../request/request-context.ts'
import { notFound } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'
import { objectAnswer } from './answer.ts'
import { untilRevision } from './list.ts'
import { readRevision } from './revision.ts'

export async function readStored({ resource, registry, info, request }: RequestContext): Promise<Stored> {
  const asked = request.query.get('resourceVersion')
  if (asked) await untilRevision(registry, readRevision(asked))
  const stored = resource.collection.get(keyOf(resource.namespaced ? info.namespace : undefined, info.name))
  if (!stored) throw notFound(groupResource(resource), info.name)
  return stored
}

export async function serveGet(context: RequestContext): Promise<ApiResponse> {
  return objectAnswer(200, context.resource, await readStored(context))
}
