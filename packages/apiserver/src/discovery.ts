import { createHash } from 'node:crypto'
import { valueAnswer } from './handlers/answer.ts'
import { apiVersionOf, type Resource, type Subresource } from './registry/resource.ts'
import type { Resources } from './registry/resources.ts'
import { type ApiRequest, header } from './request/api-request.ts'
import type { ApiResponse, ResponseBody } from './request/api-response.ts'
import { negotiate, OBJECT_TYPES, parseAccept, requireProduced } from './request/negotiation.ts'
import { methodNotAllowed } from './status-error.ts'

/** Answers /api, /apis and what is below them down to the resources; undefined for a path that is none of these. */
export function serveDiscovery(resources: Resources, request: ApiRequest, path: string): ApiResponse | undefined {
  const [, prefix, ...parts] = path.replace(/\/+$/, '').split('/')
  const isCore = prefix === 'api'
  if (!isCore && prefix !== 'apis') return undefined
  const group = isCore ? '' : parts.shift()
  const [version, ...rest] = parts
  if (rest.length > 0) return undefined
  if (group === undefined) return groups(resources, request)
  if (version !== undefined)
    return resources.hasVersion(group, version) ? ofVersion(resources, request, group, version) : undefined
  if (isCore) {
    checkBuiltin(request)
    return aggregatedOr(request, resources, [''], coreVersions)
  }
  if (resources.versions(group).length === 0) return undefined
  negotiate(header(request, 'accept'))
  return valueAnswer(200, { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(resources, group) })
}

function groups(resources: Resources, request: ApiRequest): ApiResponse {
  const names = resources.groups().filter(name => name !== '')
  return aggregatedOr(request, resources, names, () => groupList(resources, names))
}

function ofVersion(resources: Resources, request: ApiRequest, group: string, version: string): ApiResponse {
  const list = resources.ofVersion(group, version)
  if (list.some(({ isCustom }) => !isCustom)) checkBuiltin(request)
  else negotiate(header(request, 'accept'))
  return valueAnswer(200, resourceList(list, group, version))
}

function checkBuiltin(request: ApiRequest): void {
  if (request.method !== 'GET') throw methodNotAllowed()
  requireProduced(header(request, 'accept'), OBJECT_TYPES)
}

const AGGREGATED = 'APIGroupDiscoveryList'

/** Clients since 1.26 read everything in one answer; older ones read it piece by piece. */
function aggregatedOr(
  request: ApiRequest,
  resources: Resources,
  groups: readonly string[],
  legacy: () => unknown,
): ApiResponse {
  const accept = header(request, 'accept') ?? ''
  for (const { type, parameters } of parseAccept(accept)) {
    const { as, v } = parameters
    if (type === 'application/json' && as === AGGREGATED && (v === 'v2' || v === 'v2beta1'))
      return aggregated(request, resources, groups, v)
    if ((type === 'application/json' || type === '*/*') && as === undefined) break
  }
  negotiate(accept)
  return valueAnswer(200, legacy())
}

function aggregated(
  request: ApiRequest,
  resources: Resources,
  groups: readonly string[],
  version: string,
): ApiResponse {
  const value = {
    kind: AGGREGATED,
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(group => aggregatedGroup(resources, group)),
  }
  const text = JSON.stringify(value)
  const etag = `"${createHash('sha256').update(text).digest('hex').toUpperCase()}"`
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' }
  if (header(request, 'if-none-match') === etag) return { status: 304, headers, body: { type: 'empty' } }
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=${AGGREGATED}`
  const body: ResponseBody = { type: 'json', value: () => value, text: () => text }
  return { status: 200, headers: { ...headers, 'content-type': type }, body }
}

function aggregatedGroup(resources: Resources, group: string) {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: resources.versions(group).map(version => ({
      version,
      resources: resources.ofVersion(group, version).map(aggregatedResource),
      freshness: 'Current',
    })),
  }
}

function aggregatedResource(resource: Resource) {
  const { group, version, kind, name, singular, namespaced, verbs, shortNames, categories } = resource
  const subresources = [...resource.subresources.values()].map(sub => ({
    subresource: sub.name,
    responseKind: responseKind(resource, sub.kind),
    verbs: [...sub.verbs],
  }))
  return {
    resource: name,
    responseKind: responseKind(resource, { group, version, kind }),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length > 0 ? { shortNames: [...shortNames] } : {}),
    ...(categories.length > 0 ? { categories: [...categories] } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  }
}

/** Built-in resources name group and version only where they are not the resource's own. */
function responseKind(resource: Resource, { group, version, kind }: Subresource['kind']): Subresource['kind'] {
  const isOwn = group === resource.group && version === resource.version
  return isOwn && !resource.isCustom ? { group: '', version: '', kind } : { group, version, kind }
}

const coreVersions = () => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
})

const groupList = (resources: Resources, groups: readonly string[]) => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.map(group => apiGroup(resources, group)),
})

function apiGroup(resources: Resources, group: string) {
  const versions = resources
    .versions(group)
    .map(version => ({ groupVersion: apiVersionOf({ group, version }), version }))
  return { name: group, versions, preferredVersion: versions[0] }
}

function resourceList(resources: readonly Resource[], group: string, version: string) {
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap(resource => [legacyResource(resource), ...legacySubresources(resource)]),
  }
}

function legacyResource(resource: Resource) {
  const { name, singular, namespaced, kind, verbs, shortNames, categories, storageVersionHash } = resource
  return {
    name,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...verbs],
    ...(shortNames.length > 0 ? { shortNames: [...shortNames] } : {}),
    ...(categories.length > 0 ? { categories: [...categories] } : {}),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  }
}

function legacySubresources(resource: Resource) {
  return [...resource.subresources.values()].map(({ name, kind, verbs }) => {
    const isOwn = kind.group === resource.group && kind.version === resource.version
    return {
      name: `${resource.name}/${name}`,
      singularName: '',
      namespaced: resource.namespaced,
      ...(isOwn ? {} : { group: kind.group, version: kind.version }),
      kind: kind.kind,
      verbs: [...verbs],
    }
  })
}
