import type { KubeObject } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiServer, createApiServer } from '../server/api-server.ts'
import { call, type TestCall } from '../server/test-call.ts'

/* Every route that discovery shows, called by everybody. What is expected comes from the roles below and from the
 * bootstrap roles as they are documented, not from the code that decides. */

interface Route extends TestCall {
  method: string
  verb: string
  resource: string
}

const METHODS: Record<string, string> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}
const COLLECTION_VERBS = ['list', 'watch', 'create', 'deletecollection']
const READING = ['get', 'list', 'watch']
/** Questions about oneself. */
const FOR_EVERY_USER = ['selfsubjectreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews']
const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version']
const DISCOVERY_PATHS = /^\/(api|apis|openapi)(\/|$)/

let server: ApiServer
let routes: Route[]
let paths: string[]

beforeAll(async () => {
  server = await createApiServer({
    tokens: [
      { token: 'admin', user: 'root', groups: ['system:masters'] },
      { token: 'reader', user: 'reader' },
      { token: 'other', user: 'other' },
    ],
  })
  // Without it pods are refused for another reason.
  await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } })
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: READING }]
  await create({ kind: 'ClusterRole', metadata: { name: 'reader' }, rules })
  await create({
    kind: 'ClusterRoleBinding',
    metadata: { name: 'reader' },
    roleRef: { kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'User', name: 'reader' }],
  })
  paths = (await admin('/')).paths as string[]
  routes = await discoveredRoutes()
})
afterAll(() => server.close())

const create = (object: Partial<KubeObject>) =>
  server.client().create<KubeObject>({ apiVersion: 'rbac.authorization.k8s.io/v1', ...object } as KubeObject)
const admin = async (path: string) => (await call(server, { path, token: 'admin' })).body

async function discoveredRoutes(): Promise<Route[]> {
  const versions = paths.filter(path => /^\/(api\/v1|apis\/[^/]+\/[^/]+)$/.test(path))
  const all: Route[] = []
  for (const version of versions) {
    const { resources } = (await admin(version)) as unknown as {
      resources: { name: string; namespaced: boolean; verbs: string[] }[]
    }
    for (const resource of resources) all.push(...routesOf(version, resource))
  }
  return all
}

function routesOf(base: string, { name, namespaced, verbs }: { name: string; namespaced: boolean; verbs: string[] }) {
  const [resource = '', subresource] = name.split('/')
  const home = namespaced ? `${base}/namespaces/default` : base
  return verbs.flatMap(verb => {
    const isCollection = subresource === undefined && COLLECTION_VERBS.includes(verb)
    const tail = isCollection ? resource : `${resource}/nothing${subresource === undefined ? '' : `/${subresource}`}`
    const places = namespaced && isCollection && READING.includes(verb) ? [home, base] : [home]
    return places.map(place => route(verb, name, `${place}/${tail}`))
  })
}

function route(verb: string, resource: string, path: string): Route {
  const query = verb === 'watch' ? '?watch=true' : READING.includes(verb) ? '' : '?dryRun=All'
  const isPatch = verb === 'patch'
  return {
    verb,
    resource,
    method: METHODS[verb] as string,
    path: path + query,
    ...(READING.includes(verb) ? {} : { body: {} }),
    ...(isPatch ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
  }
}

const REFUSALS = [401, 403]

/** The routes whose answer is not what `expected` says: a code of refusal, or 0 for any answer that is none. */
async function surprises(token: string | undefined, expected: (route: Route) => number): Promise<string[]> {
  const found: string[] = []
  for (const each of routes) {
    const { status } = await call(server, { ...each, ...(token === undefined ? {} : { token }) })
    const answer = REFUSALS.includes(status) ? status : 0
    if (answer !== expected(each)) found.push(`${each.verb} ${each.path}: ${status}`)
  }
  return found
}

async function reachablePaths(token: string | undefined): Promise<string[]> {
  const reached: string[] = []
  for (const path of paths) {
    const { status } = await call(server, { path, ...(token === undefined ? {} : { token }) })
    if (!REFUSALS.includes(status)) reached.push(path)
  }
  return reached
}

describe('every route', () => {
  it('is known', () => {
    expect(routes.length).toBeGreaterThan(500)
    expect(new Set(routes.map(({ verb }) => verb)).size).toBe(Object.keys(METHODS).length)
  })

  it('is closed to who does not say who he is', async () => {
    expect(await surprises(undefined, () => 403)).toEqual([])
    expect(await reachablePaths(undefined)).toEqual(paths.filter(path => PUBLIC_PATHS.includes(path)))
  })

  it('is closed to a token that nobody knows, public paths too', async () => {
    expect(await surprises('garbage', () => 401)).toEqual([])
    expect(await reachablePaths('garbage')).toEqual([])
  })

  const ownQuestion = ({ resource }: Route) => FOR_EVERY_USER.includes(resource)
  const userPaths = () => paths.filter(path => PUBLIC_PATHS.includes(path) || DISCOVERY_PATHS.test(path))

  it('is closed to a user without rights, but for discovery and questions about himself', async () => {
    expect(await surprises('other', each => (ownQuestion(each) ? 0 : 403))).toEqual([])
    expect(await reachablePaths('other')).toEqual(userPaths())
  })

  it('is open for reading to a reader, and closed for everything else', async () => {
    // A connection into a pod is no reading, whatever method it begins with.
    const isReading = ({ verb, path }: Route) => READING.includes(verb) && !/\/(exec|attach|portforward)$/.test(path)
    expect(await surprises('reader', each => (ownQuestion(each) || isReading(each) ? 0 : 403))).toEqual([])
    expect(await reachablePaths('reader')).toEqual(userPaths())
  })

  it('is open to the administrator', async () => {
    expect(await surprises('admin', () => 0)).toEqual([])
    expect(await reachablePaths('admin')).toEqual(paths)
  })

  it('changes nothing for who is refused', async () => {
    const before = server.storage.nextRevision
    for (const token of [undefined, 'garbage', 'other', 'reader']) {
      for (const each of routes) {
        const path = each.path.replace('?dryRun=All', '')
        await call(server, { ...each, path, ...(token === undefined ? {} : { token }) })
      }
    }
    expect(server.storage.nextRevision).toBe(before)
  })

  it('is closed to a service account outside its namespace, whatever it may do inside', async () => {
    await create({
      kind: 'RoleBinding',
      metadata: { name: 'robot', namespace: 'default' },
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'default' }],
    })
    const asked = { path: '/api/v1/namespaces/default/serviceaccounts/default/token', body: {}, token: 'admin' }
    const { token } = (await call(server, asked)).body.status as { token: string }
    const isInside = ({ path }: Route) => path.includes('/namespaces/default/')
    expect(await surprises(token, each => (isInside(each) || ownQuestion(each) ? 0 : 403))).toEqual([])

    const before = server.storage.nextRevision
    for (const each of routes.filter(isInside)) {
      const path = each.path.replace('/namespaces/default/', '/namespaces/kube-system/').replace('?dryRun=All', '')
      const { status } = await call(server, { ...each, path, token })
      expect(status, `${each.verb} ${path}`).toBe(403)
    }
    expect(server.storage.nextRevision).toBe(before)
  })

  it('is closed to a user who only says that he is somebody else', async () => {
    const headers = { 'impersonate-user': 'root', 'impersonate-group': ['system:masters'] }
    for (const each of routes.filter(({ verb }) => verb === 'list')) {
      const { status } = await call(server, { ...each, token: 'reader', headers })
      expect(status, each.path).toBe(403)
    }
  })
})

describe('no other spelling of a path', () => {
  beforeAll(async () => {
    const metadata = { name: 'treasure', namespace: 'default' }
    await server.client().create<KubeObject>({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { gold: 'x' } })
    const rules = [
      { apiGroups: [''], resources: ['configmaps', 'pods', 'secrets/status'], verbs: ['*'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['trinket'], verbs: ['*'] },
    ]
    await create({ kind: 'Role', metadata: { name: 'poor', namespace: 'default' }, rules })
    await create({
      kind: 'RoleBinding',
      metadata: { name: 'poor', namespace: 'default' },
      roleRef: { kind: 'Role', name: 'poor' },
      subjects: [{ kind: 'User', name: 'other' }],
    })
  })

  const SECRETS = '/api/v1/namespaces/default/secrets'
  it.each([
    `${SECRETS}/treasure`,
    `${SECRETS}/treasure/`,
    `${SECRETS}//treasure`,
    `/${SECRETS}/treasure`,
    `${SECRETS}/treasure?name=trinket`,
    `${SECRETS}/%74reasure`,
    `${SECRETS}%2Ftreasure`,
    '/api/v1/namespaces/default/%73ecrets/treasure',
    '/api/v1/namespaces/default/configmaps/../secrets/treasure',
    '/api/v1/namespaces/default/configmaps/..%2Fsecrets%2Ftreasure',
    '/api/v1/namespaces/default/configmaps/%2e%2e/secrets/treasure',
    '/api/v1/watch/namespaces/default/secrets/treasure',
    '/api/v1/watch/namespaces/default/secrets',
    '/api/v1/secrets',
    '/api/v1/secrets/treasure',
    '/API/v1/namespaces/default/secrets/treasure',
    '/api/v1/namespaces/default/Secrets/treasure',
    `${SECRETS}/treasure/status`,
    `${SECRETS}?fieldSelector=metadata.name!=trinket`,
    `${SECRETS}?fieldSelector=type=Opaque`,
    `${SECRETS}?watch=true`,
    '/api/v1/namespaces/default/configmaps/secrets/treasure',
    '/apis//v1/namespaces/default/secrets/treasure',
    '/apis/v1/namespaces/default/secrets/treasure',
  ])('shows a secret that is not one’s own: %s', async path => {
    const { status, body } = await call(server, { path, token: 'other' })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(body)).not.toContain('gold')
  })

  it('selects more than the one name that is allowed', async () => {
    for (const selector of ['metadata.name=trinket', 'metadata.name=trinket,metadata.name!=treasure']) {
      const path = `${SECRETS}?fieldSelector=${encodeURIComponent(selector)}`
      const { status, body } = await call(server, { path, token: 'other' })
      expect(status).toBe(200)
      expect(body.items).toEqual([])
    }
  })

  it.each(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'QUERY'])('reads it by the method %s', async method => {
    const { status } = await call(server, { method, path: `${SECRETS}/treasure`, token: 'other' })
    expect(status).toBeGreaterThanOrEqual(400)
  })
})
