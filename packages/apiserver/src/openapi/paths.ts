import { apiVersionOf, type Resource } from '../registry/resource.ts'

type Operation = Record<string, unknown>

interface Verb {
  method: string
  action: string
  /** Query parameters that clients look for before they use them. */
  parameters: readonly string[]
}

const WRITE = ['dryRun', 'fieldManager', 'fieldValidation']
const LIST = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
]

const COLLECTION: Record<string, Verb> = {
  list: { method: 'get', action: 'list', parameters: LIST },
  create: { method: 'post', action: 'post', parameters: WRITE },
  deletecollection: { method: 'delete', action: 'deletecollection', parameters: LIST },
}

const ITEM: Record<string, Verb> = {
  get: { method: 'get', action: 'get', parameters: [] },
  update: { method: 'put', action: 'put', parameters: WRITE },
  patch: { method: 'patch', action: 'patch', parameters: [...WRITE, 'force'] },
  delete: { method: 'delete', action: 'delete', parameters: ['dryRun', 'gracePeriodSeconds', 'propagationPolicy'] },
}

/** The paths of a resource. Operations say what they do to which kind; their bodies are the kind's schema. */
export function resourcePaths(
  resource: Resource,
  schemaOf: (list: boolean) => string | undefined,
): Record<string, unknown> {
  const base = `${resource.group === '' ? '/api' : '/apis'}/${apiVersionOf(resource)}`
  const collection = `${base}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.name}`
  const paths: Record<string, unknown> = {}
  const add = (path: string, verbs: Record<string, Verb>, parameters: string[], allowed: readonly string[]) => {
    const item: Record<string, unknown> = {}
    for (const verb of allowed) {
      const entry = verbs[verb]
      if (entry) item[entry.method] = operation(resource, entry, schemaOf(entry.action === 'list'))
    }
    if (Object.keys(item).length > 0) paths[path] = { ...item, parameters: parameters.map(pathParameter) }
  }
  const inNamespace = resource.namespaced ? ['namespace'] : []
  add(collection, COLLECTION, inNamespace, resource.verbs)
  add(`${collection}/{name}`, ITEM, ['name', ...inNamespace], resource.verbs)
  if (resource.namespaced && resource.verbs.includes('list')) add(`${base}/${resource.name}`, COLLECTION, [], ['list'])
  for (const { name, verbs } of resource.subresources.values())
    add(`${collection}/{name}/${name}`, ITEM, ['name', ...inNamespace], verbs)
  return paths
}

function operation(resource: Resource, { method, action, parameters }: Verb, schema: string | undefined): Operation {
  const { group, version, kind } = resource
  const content = schema === undefined ? {} : { content: { 'application/json': { schema: { $ref: schema } } } }
  return {
    tags: [`${group === '' ? 'core' : group.split('.')[0]}_${version}`],
    operationId: `${method}${kind}${action}`,
    parameters: parameters.map(queryParameter),
    responses: { 200: { description: 'OK', ...content } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  }
}

const pathParameter = (name: string) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
})
const queryParameter = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } })
