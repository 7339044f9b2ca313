import type { ServiceAccountTokens } from '../authentication/service-account-tokens.ts'
import { serveGet } from '../handlers/get.ts'
import { servePatch } from '../handlers/patch.ts'
import { serveUpdate } from '../handlers/update.ts'
import type { NodeConnections } from '../nodes/node-connections.ts'
import { serveLog, serveStreams } from '../nodes/pod-connections.ts'
import type { Proxy } from '../nodes/proxy.ts'
import type { Resource, Subresource } from '../registry/resource.ts'
import { serveTokenRequest } from '../reviews/token-request.ts'
import { methodNotAllowed } from '../status-error.ts'
import { serveNamespaceFinalize } from './namespace-finalize.ts'
import { serveBinding, serveEviction } from './pod-subresources.ts'
import { serveScale } from './scale.ts'
import { workloadScale } from './workload-scale.ts'

type Serve = Subresource['serve']

export interface SubresourceParts {
  tokens: ServiceAccountTokens
  nodes: NodeConnections
  proxy: Proxy
}

export function builtinSubresource({ tokens, nodes, proxy }: SubresourceParts) {
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
      case 'pods/log':
        return context => serveLog(context, nodes)
      case 'pods/exec':
      case 'pods/attach':
      case 'pods/portforward':
        return context => serveStreams(context, nodes)
      case 'pods/resize':
        return serveResize
      case 'replicationcontrollers/scale':
        return serveScale(workloadScale(true))
    }
    if (name === 'scale') return serveScale(workloadScale(false))
    if (name === 'proxy') return context => proxy.serve(context)
    return servePart(name)
  }
}

const serveResize: Serve = async context => {
  if (context.info.verb !== 'get') context.warnings.push(RESIZE_CAUTION)
  return servePart('resize')(context)
}

const RESIZE_CAUTION =
  'a container keeps the limits that it runs with: the nodes of this cluster give it the new ones when it starts again'

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
