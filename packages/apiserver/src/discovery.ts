import { createHash } from 'node:crypto'
import { valueAnswer } from './handlers/answer.ts'
import { apiVersionOf, type Resource } from './registry/resource.ts'
import type { Resources } from './registry/resources.ts'
import { type ApiRequest, header } from './request/api-request.ts'
import type { ApiResponse } from './request/api-response.ts'
import { parseAccept } from './request/negotiation.ts'

/** Answers /api, /apis and what is below them down to the resources; undefined for a path that is none of these. */
export function serveDiscovery(resources: Resources, request: ApiRequest, path: string): ApiResponse | undefined {
  const parts = path.split('/').filter(part => part !== '')
  if (parts[0] === 'api') {
    if (parts.length === 1) return aggregatedOr(request, resources, [''], () => coreVersions())
    if (parts.length === 2 && resources.hasVersion('', parts[1] as string))
      return valueAnswer(200, resourceList(resources, '', parts[1] as string))
    return undefined
  }
  if (parts[0] !== 'apis') return undefined
  const [, group, version] = parts
  if (group === undefined) {
    const groups = resources.groups().filter(name => name !== '')
    return aggregatedOr(request, resources, groups, () => groupList(resources, groups))
  }
  if (version === undefined) {
    if (resources.versions(group).length === 0) return undefined
    return valueAnswer(200, { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(resources, group) })
  }
  if (parts.length === 3 && resources.hasVersion(group, version))
    return valueAnswer(200, resourceList(resources, group, version))
  return undefined
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
    if (
      type === 'application/json' &&
      parameters.as === AGGREGATED &&
      (parameters.v === 'v2' || parameters.v === 'v2beta1')
    ) {
      return aggregated(request, resources, groups, parameters.v)
    }
    if ((type === 'application/json' || type === '*/*') && parameters.as === undefined) break
  }
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
  const headers = {
    'content-type': `application/json;g=apidiscovery.k8s.io;v=${version};as=${AGGREGATED}`,
    etag,
    vary: 'Accept',
    'cache-control': 'public',
  }
  if (header(request, 'if-none-match') === etag) return { status: 304, headers, body: { type: 'empty' } }
  return { status: 200, headers, body: { type: 'json', value: () => value, text: () => text } }
}

function aggregatedGroup(resources: Resources, group: string) {
  return {
    metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
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
    responseKind: sub.kind,
    verbs: [...sub.verbs],
  }))
  return {
    resource: name,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length > 0 ? { shortNames: [...shortNames] } : {}),
    ...(categories.length > 0 ? { categories: [...categories] } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  }
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

function resourceList(resources: Resources, group: string, version: string) {
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources
      .ofVersion(group, version)
      .flatMap(resource => [legacyResource(resource), ...legacySubresources(resource)]),
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
