import { apiErrorFrom, UnknownKindFailure } from './api-error.ts'
import type { ResourceInfo } from './client.ts'
import { formatApiVersion, parseApiVersion } from './object.ts'
import type { Transport } from './transport.ts'

/** The kinds of one server. Read once, and anew when somebody asks for a kind that was not there. */
export interface Discovery {
  resources(): Promise<readonly ResourceInfo[]>
  /** Throws `UnknownKindFailure` when the server, asked anew, does not have the kind. */
  resourceFor(kind: { apiVersion: string; kind: string }): Promise<ResourceInfo>
}

interface Catalogue {
  resources: readonly ResourceInfo[]
  byKind: ReadonlyMap<string, ResourceInfo>
  /** Versions of groups whose server (an aggregated one) did not tell what it has. */
  unavailable: readonly string[]
}

export function createDiscovery(transport: Transport): Discovery {
  let catalogue: Catalogue | undefined
  let reading: Promise<Catalogue> | undefined

  const read = () => {
    reading ??= readCatalogue(transport)
      .then(fresh => {
        catalogue = fresh
        return fresh
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  return {
    resources: async () => (catalogue ?? (await read())).resources,
    async resourceFor(kind) {
      const key = keyOf(kind)
      const known = catalogue?.byKind.get(key)
      if (known) return known
      const fresh = await read()
      const found = fresh.byKind.get(key)
      if (!found) throw new UnknownKindFailure(kind, fresh.unavailable)
      return found
    },
  }
}

const keyOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => `${apiVersion}/${kind}`

const AGGREGATED = ['v2', 'v2beta1'].map(
  version => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
)
const ACCEPT = [...AGGREGATED, 'application/json'].join(',')

async function readCatalogue(transport: Transport): Promise<Catalogue> {
  const [core, groups] = await Promise.all([readRoot(transport, '/api'), readRoot(transport, '/apis')])
  const resources = [...core.resources, ...groups.resources]
  const byKind = new Map<string, ResourceInfo>()
  for (const resource of resources) {
    const key = keyOf({ apiVersion: formatApiVersion(resource), kind: resource.kind })
    if (!byKind.has(key)) byKind.set(key, resource)
  }
  return { resources, byKind, unavailable: [...core.unavailable, ...groups.unavailable] }
}

type Part = Pick<Catalogue, 'resources' | 'unavailable'>

async function readRoot(transport: Transport, path: '/api' | '/apis'): Promise<Part> {
  const answer = await transport.request({ method: 'GET', path, headers: { accept: ACCEPT } })
  if (answer.status >= 300) throw apiErrorFrom(answer)
  const body = answer.body as AggregatedDiscovery | LegacyRoot
  return 'items' in body ? readAggregated(body) : readLegacy(transport, body)
}

interface AggregatedDiscovery {
  items: {
    metadata?: { name?: string }
    versions?: { version: string; freshness?: string; resources?: AggregatedResource[] }[]
  }[]
}

interface AggregatedResource {
  resource: string
  responseKind?: { kind: string }
  scope: 'Namespaced' | 'Cluster'
  singularResource?: string
  verbs?: string[]
  shortNames?: string[]
  categories?: string[]
  subresources?: { subresource: string }[]
}

function readAggregated({ items }: AggregatedDiscovery): Part {
  const versions = items.flatMap(({ metadata, versions = [] }) =>
    versions.map(version => ({ ...version, group: metadata?.name ?? '' })),
  )
  return {
    resources: versions.flatMap(({ group, version, resources = [] }) =>
      resources
        // A resource that exists only through its subresources has no kind of its own.
        .filter(resource => resource.responseKind?.kind)
        .map(resource => ({
          group,
          version,
          kind: resource.responseKind?.kind as string,
          resource: resource.resource,
          singular: resource.singularResource ?? '',
          namespaced: resource.scope === 'Namespaced',
          verbs: resource.verbs ?? [],
          shortNames: resource.shortNames ?? [],
          categories: resource.categories ?? [],
          subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
        })),
    ),
    unavailable: versions.filter(({ freshness }) => freshness === 'Stale').map(formatApiVersion),
  }
}

type LegacyRoot = { versions: string[] } | { groups: { versions: { groupVersion: string }[] }[] }

interface LegacyResource {
  name: string
  singularName?: string
  namespaced: boolean
  kind: string
  verbs?: string[]
  shortNames?: string[]
  categories?: string[]
}

/** What servers before 1.26 and some aggregated ones say: a list of versions, and one document for each. */
async function readLegacy(transport: Transport, root: LegacyRoot): Promise<Part> {
  const apiVersions =
    'groups' in root
      ? root.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))
      : root.versions
  const answers = await Promise.all(apiVersions.map(apiVersion => readLegacyVersion(transport, apiVersion)))
  return {
    resources: answers.flatMap(resources => resources ?? []),
    unavailable: apiVersions.filter((_, i) => answers[i] === undefined),
  }
}

async function readLegacyVersion(transport: Transport, apiVersion: string): Promise<ResourceInfo[] | undefined> {
  const path = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}`
  const { status, body } = await transport.request({ method: 'GET', path, headers: { accept: 'application/json' } })
  if (status >= 300) return undefined
  const { resources = [] } = body as { resources?: LegacyResource[] }
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, singularName = '', namespaced, kind, verbs = [], shortNames = [], categories = [] }) => ({
      ...parseApiVersion(apiVersion),
      kind,
      resource: name,
      singular: singularName,
      namespaced,
      verbs,
      shortNames,
      categories,
      subresources: resources
        .filter(other => other.name.startsWith(`${name}/`))
        .map(other => other.name.slice(name.length + 1)),
    }))
}
