import { createHash } from 'node:crypto'
import { parseApiVersion } from '@tiphys/kube'
import { builtinTypeName } from '../builtin-schema.ts'
import { valueAnswer } from '../handlers/answer.ts'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import type { Resources } from '../registry/resources.ts'
import { type ApiRequest, header } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { notAcceptableRepresentations } from '../status-error.ts'
import { addDefinition, type Definition } from './builtin-definitions.ts'
import { CUSTOM_DEPENDENCIES, customDefinitionName, customDefinitions } from './custom-definitions.ts'
import { resourcePaths } from './paths.ts'

const V3_PREFIX = '#/components/schemas/'
const V2_PREFIX = '#/definitions/'

interface Documents {
  revision: number
  texts: Map<string, { text: string; hash: string }>
}

/** Documents are made when first asked for and live until what is served changes. */
const documents = new WeakMap<Resources, Documents>()

export function serveOpenApi(resources: Resources, request: ApiRequest, path: string): ApiResponse | undefined {
  if (path === '/openapi/v3') return valueAnswer(200, index(resources))
  if (path === '/openapi/v2') {
    if ((header(request, 'accept') ?? '').includes('protobuf') && !(header(request, 'accept') ?? '').includes('json'))
      throw notAcceptableRepresentations(['application/json'])
    return textAnswer(
      request,
      document(resources, 'v2', () => v2Document(resources)),
    )
  }
  const match = /^\/openapi\/v3\/(?:api|apis)\/(.+)$/.exec(path)
  if (!match) return undefined
  const { group, version } = parseApiVersion(match[1] as string)
  if (!resources.hasVersion(group, version)) return undefined
  return textAnswer(
    request,
    document(resources, match[1] as string, () => v3Document(resources, group, version)),
  )
}

function textAnswer(request: ApiRequest, { text, hash }: { text: string; hash: string }): ApiResponse {
  const etag = `"${hash}"`
  const isPinned = request.query.get('hash') === hash
  const headers = {
    'content-type': 'application/json',
    etag,
    'cache-control': isPinned ? 'public, immutable' : 'no-cache, private',
    vary: 'Accept',
  }
  if (header(request, 'if-none-match') === etag) return { status: 304, headers, body: { type: 'empty' } }
  return { status: 200, headers, body: { type: 'json', value: () => JSON.parse(text) as unknown, text: () => text } }
}

function document(resources: Resources, name: string, make: () => unknown): { text: string; hash: string } {
  let known = documents.get(resources)
  if (!known || known.revision !== resources.revision) {
    known = { revision: resources.revision, texts: new Map() }
    documents.set(resources, known)
  }
  let made = known.texts.get(name)
  if (!made) {
    const text = JSON.stringify(make())
    made = { text, hash: createHash('sha256').update(text).digest('hex').toUpperCase() }
    known.texts.set(name, made)
  }
  return made
}

function index(resources: Resources): unknown {
  const paths: Record<string, { serverRelativeURL: string }> = {}
  for (const group of resources.groups()) {
    for (const version of resources.versions(group)) {
      const apiVersion = apiVersionOf({ group, version })
      const path = `${group === '' ? 'api' : 'apis'}/${apiVersion}`
      const { hash } = document(resources, apiVersion, () => v3Document(resources, group, version))
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }
    }
  }
  return { paths }
}

const INFO = { title: 'Kubernetes', version: 'v1.36.3' }

function v3Document(resources: Resources, group: string, version: string): unknown {
  const served = resources.ofVersion(group, version)
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: allPaths(served, V3_PREFIX),
    components: { schemas: definitionsOf(served, V3_PREFIX) },
  }
}

function v2Document(resources: Resources): unknown {
  const served = [...resources.all()]
  return {
    swagger: '2.0',
    info: INFO,
    paths: allPaths(served, V2_PREFIX),
    definitions: definitionsOf(served, V2_PREFIX),
  }
}

function allPaths(served: readonly Resource[], prefix: string): Record<string, unknown> {
  const paths: Record<string, unknown> = {}
  for (const resource of served) {
    const schemaOf = (list: boolean) => {
      const name = definitionName(resource, list ? resource.listKind : resource.kind)
      return name === undefined ? undefined : `${prefix}${name}`
    }
    Object.assign(paths, resourcePaths(resource, schemaOf))
  }
  return paths
}

function definitionName(resource: Resource, kind: string): string | undefined {
  return resource.isCustom
    ? customDefinitionName(resource, kind)
    : builtinTypeName(resource.group, resource.version, kind)
}

function definitionsOf(served: readonly Resource[], prefix: string): Record<string, Definition> {
  const definitions: Record<string, Definition> = {}
  for (const resource of served) {
    if (resource.isCustom) {
      Object.assign(definitions, customDefinitions(resource, prefix))
      for (const name of CUSTOM_DEPENDENCIES) addDefinition(name, definitions, prefix)
      continue
    }
    const { group, version } = resource
    for (const kind of [resource.kind, resource.listKind]) {
      const name = builtinTypeName(group, version, kind)
      if (name === undefined) continue
      addDefinition(name, definitions, prefix)
      Object.assign(definitions[name] as Definition, { 'x-kubernetes-group-version-kind': [{ group, version, kind }] })
    }
  }
  return definitions
}
