import type { ServiceAccountTokens } from '../authentication/service-account-tokens.ts'
import { serveGet } from '../handlers/get.ts'
import { servePatch } from '../handlers/patch.ts'
import { serveUpdate } from '../handlers/update.ts'
import type { Resource, Subresource } from '../registry/resource.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { RequestContext } from '../request/request-context.ts'
import { serveTokenRequest } from '../reviews/token-request.ts'
import { methodNotAllowed } from '../status-error.ts'
import { serveNamespaceFinalize } from './namespace-finalize.ts'
import { serveBinding, serveEviction } from './pod-subresources.ts'
import { serveScale } from './scale.ts'
import { workloadScale } from './workload-scale.ts'

type Serve = Subresource['serve']

/** Logs, exec, attach, port-forward and proxying go on to the node that runs the pod; whoever embeds this server and has
 *  nodes provides them. */
export type NodeConnections = (context: RequestContext) => Promise<ApiResponse>

const TO_THE_NODE = new Set(['log', 'exec', 'attach', 'portforward', 'proxy'])

export function builtinSubresource(tokens: ServiceAccountTokens, connections: NodeConnections) {
  return (resource: Resource, name: string): Serve | undefined => {
    const path = `${resource.name}/${name}`
    switch (path) {
      case 'serviceaccounts/token':
        return context => serveTokenRequest(context, tokens)
      case 'namespaces/finalize':
        return serveNamespaceFinalize
      case 'pods/binding':
        return serveBinding
      case 'pods/eviction':
        return serveEviction
      case 'replicationcontrollers/scale':
        return serveScale(workloadScale(true))
    }
    if (name === 'scale') return serveScale(workloadScale(false))
    if (TO_THE_NODE.has(name)) return connections
    return servePart(name)
  }
}

/** A subresource that is the object itself, of which only a part may be written: `status`, `approval`, `resize`, … */
export function servePart(name: string): Serve {
  return async context => {
    switch (context.info.verb) {
      case 'get':
        return serveGet(context)
      case 'update':
        return serveUpdate(context, name)
      case 'patch':
        return servePatch(context, name)
      default:
        throw methodNotAllowed()
    }
  }
}
