import { createHash } from 'node:crypto'
import { builtinTypeName } from '../builtin-schema.ts'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import type { Resources } from '../registry/resources.ts'
import { builtinDefinition, type Definition, META, type OpenApiVersion, VERSION_INFO } from './builtin-definitions.ts'
import { customDefinitionName, customDefinitions } from './custom-definitions.ts'
import { type Operation, type PathItem, pathItem } from './path-item.ts'
import { groupTag, OBJECT_FORMATS, resourceOperations } from './resource-operations.ts'

export interface Document {
  text: string
  hash: string
}

/** Documents of built-in groups are the same in every server of the process. */
const builtinDocuments = new Map<string, Document>()

/** The OpenAPI documents of a server. They are made when first asked for and live until what they show changes. */
export class Documents {
  readonly #resources: Resources
  readonly #custom = new Map<string, Document>()
  #whole: Document | undefined
  #revision = -1

  constructor(resources: Resources) {
    this.#resources = resources
  }

  /** The paths under which version 3 is split: `apis/apps/v1`. */
  paths(): string[] {
    const paths = Object.keys(ENDPOINTS)
    for (const group of this.#resources.groups()) {
      const versions = this.#resources.versions(group)
      const isBuiltin = versions.some(version => this.#builtin(group, version))
      if (group !== '' && isBuiltin) paths.push(`apis/${group}`)
      for (const version of versions) paths.push(`${group === '' ? 'api' : 'apis'}/${apiVersionOf({ group, version })}`)
    }
    return paths.sort()
  }

  /** A document of version 3; undefined where none is served. */
  versionThree(path: string): Document | undefined {
    if (path in ENDPOINTS) return builtin(path, () => endpointDocument(path))
    const [root, group = '', version] = path.startsWith('api/') ? ['apis', '', path.slice(4)] : path.split('/')
    if (root !== 'apis' || path.split('/').length > 3) return undefined
    if (version === undefined) {
      const isBuiltin = this.#resources.versions(group).some(served => this.#builtin(group, served))
      return isBuiltin ? builtin(path, () => groupDocument(group)) : undefined
    }
    const served = this.#resources.ofVersion(group, version)
    if (served.length === 0) return undefined
    if (served.every(({ isCustom }) => !isCustom)) return builtin(path, () => versionDocument(group, version, served))
    this.#forgetOutdated()
    let made = this.#custom.get(path)
    if (!made) {
      made = write(versionDocument(group, version, served))
      this.#custom.set(path, made)
    }
    return made
  }

  versionTwo(): Document {
    this.#forgetOutdated()
    this.#whole ??= write(wholeDocument(this.#resources))
    return this.#whole
  }

  #builtin(group: string, version: string): boolean {
    return this.#resources.ofVersion(group, version).some(({ isCustom }) => !isCustom)
  }

  #forgetOutdated(): void {
    if (this.#revision === this.#resources.revision) return
    this.#revision = this.#resources.revision
    this.#custom.clear()
    this.#whole = undefined
  }
}

function builtin(path: string, make: () => unknown): Document {
  let made = builtinDocuments.get(path)
  if (!made) {
    made = write(make())
    builtinDocuments.set(path, made)
  }
  return made
}

function write(document: unknown): Document {
  const text = JSON.stringify(document)
  return { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() }
}

const INFO = { title: 'Kubernetes', version: '1.36' }
const BEARER_TOKEN = { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } }

type Paths = [path: string, operations: Operation[]][]

const writePaths = (version: OpenApiVersion, paths: Paths): Record<string, PathItem> =>
  Object.fromEntries(paths.map(([path, operations]) => [path, pathItem(version, operations)]))

function versionThreeDocument(paths: Paths, resources: readonly Resource[]): unknown {
  const schemas = definitions(3, paths, resources)
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: writePaths(3, paths),
    components: {
      ...(Object.keys(schemas).length > 0 ? { schemas } : {}),
      securitySchemes: BEARER_TOKEN,
    },
  }
}

function versionDocument(group: string, version: string, served: readonly Resource[]): unknown {
  return versionThreeDocument([...versionPaths(group, version, served), ...resourcePaths(served)], served)
}

/** Groups that only definitions make have no path of their own. */
function versionPaths(group: string, version: string, served: readonly Resource[]): Paths {
  if (served.every(({ isCustom }) => isCustom)) return []
  const tag = groupTag(group)
  const id = `get${capital(tag)}${capital(version)}APIResources`
  const path = `${group === '' ? '/api' : '/apis'}/${apiVersionOf({ group, version })}/`
  return [[path, [read(id, `${tag}_${version}`, `${META}APIResourceList`)]]]
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const groupPaths = (group: string): Paths => [
  [`/apis/${group}/`, [read(`get${capital(groupTag(group))}APIGroup`, groupTag(group), `${META}APIGroup`)]],
]

const groupDocument = (group: string): unknown => versionThreeDocument(groupPaths(group), [])

const read = (id: string, tag: string, type: string | undefined, formats = OBJECT_FORMATS): Operation => ({
  method: 'get',
  id,
  tag,
  parameters: [],
  formats,
  answers: { 200: type },
})

/** Paths outside the groups that have documents of their own. */
const ENDPOINTS: Record<string, Operation> = {
  '.well-known/openid-configuration': read('getServiceAccountIssuerOpenIDConfiguration', 'WellKnown', undefined, [
    'application/json',
  ]),
  api: read('getCoreAPIVersions', 'core', `${META}APIVersions`),
  apis: read('getAPIVersions', 'apis', `${META}APIGroupList`),
  'openid/v1/jwks': read('getServiceAccountIssuerOpenIDKeyset', 'openid', undefined, ['application/jwk-set+json']),
  version: read('getCodeVersion', 'version', VERSION_INFO, ['application/json']),
}

const endpointPaths = (path: string): Paths => [[`/${path}/`, [ENDPOINTS[path] as Operation]]]
const endpointDocument = (path: string): unknown => versionThreeDocument(endpointPaths(path), [])

function wholeDocument(resources: Resources): unknown {
  const served = [...resources.all()]
  const paths = Object.keys(ENDPOINTS).flatMap(endpointPaths)
  for (const group of resources.groups()) {
    const versions = resources.versions(group).flatMap(version => {
      const ofVersion = resources.ofVersion(group, version)
      return [...versionPaths(group, version, ofVersion), ...resourcePaths(ofVersion)]
    })
    if (
      group !== '' &&
      resources.versions(group).some(version => resources.ofVersion(group, version).some(({ isCustom }) => !isCustom))
    )
      paths.push(...groupPaths(group))
    paths.push(...versions)
  }
  return {
    swagger: '2.0',
    info: INFO,
    paths: writePaths(2, paths),
    definitions: definitions(2, paths, served),
    securityDefinitions: BEARER_TOKEN,
    security: [{ BearerToken: [] }],
  }
}

function resourcePaths(served: readonly Resource[]): Paths {
  return served.flatMap(resource => {
    const nameOf = (kind: string) => {
      const { group, version, isCustom } = resource
      return isCustom ? customDefinitionName(resource, kind) : (builtinTypeName(group, version, kind) ?? '')
    }
    return resourceOperations(resource, {
      object: nameOf(resource.kind),
      list: nameOf(resource.listKind),
      of: ({ group, version, kind }) => builtinTypeName(group, version, kind),
    })
  })
}

/** Everything that the operations speak of, and what that needs in turn. */
function definitions(version: OpenApiVersion, paths: Paths, served: readonly Resource[]): Record<string, Definition> {
  const custom = new Map(
    served.filter(({ isCustom }) => isCustom).flatMap(resource => customDefinitions(version, resource)),
  )
  const made: Record<string, Definition> = {}
  const add = (name: string) => {
    if (made[name]) return
    const written = custom.get(name) ?? builtinDefinition(version, name)
    if (!written) return
    made[name] = written.definition
    for (const needed of written.needs) add(needed)
  }
  for (const [, operations] of paths) {
    for (const { body, answers } of operations) {
      if (body) add(body.type)
      for (const name of Object.values(answers)) if (name !== undefined) add(name)
    }
  }
  return made
}
