import { readStored } from '../handlers/get.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, StatusError } from '../status-error.ts'

/** Answers for a server without nodes: a pod that runs nowhere has no logs and nothing to connect to. */
export async function noNodes(context: RequestContext): Promise<ApiResponse> {
  const { object } = await readStored(context)
  const { nodeName = '' } = (object.spec ?? {}) as { nodeName?: string }
  if (context.resource.name === 'pods' && nodeName === '')
    throw badRequest(`pod ${context.info.name} does not have a host assigned`)
  throw new StatusError(
    503,
    'ServiceUnavailable',
    `the node ${JSON.stringify(nodeName)} cannot be reached: this API server runs without nodes`,
  )
}
