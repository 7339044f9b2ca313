import { readStored } from '../handlers/get.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, StatusError } from '../status-error.ts'

interface PodSpec {
  nodeName?: string
  initContainers?: { name: string }[]
  containers?: { name: string }[]
  ephemeralContainers?: { name: string }[]
}

/** Answers for a server without nodes: a pod that runs nowhere has no logs and nothing to connect to. */
export async function noNodes(context: RequestContext): Promise<ApiResponse> {
  const { resource, info, request } = context
  const { object } = await readStored(context)
  const spec = (object.spec ?? {}) as PodSpec
  const { nodeName = '' } = spec
  if (resource.name === 'pods') {
    if (CONTAINER_SUBRESOURCES.has(info.subresource)) checkContainer(info.name, spec, request.query.get('container'))
    if (nodeName === '' && info.subresource === 'log') return { status: 204, headers: {}, body: { type: 'empty' } }
    if (nodeName === '') throw badRequest(`pod ${info.name} does not have a host assigned`)
  }
  throw new StatusError(
    503,
    'ServiceUnavailable',
    `the node ${JSON.stringify(nodeName)} cannot be reached: this API server runs without nodes`,
  )
}

const CONTAINER_SUBRESOURCES = new Set(['log', 'exec', 'attach'])

function checkContainer(pod: string, spec: PodSpec, container: string | null): void {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
  if (container) {
    if (!names.includes(container)) throw badRequest(`container ${container} is not valid for pod ${pod}`)
  } else if (containers.length > 1) {
    throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${names.join(' ')}]`)
  }
}
