import type { KubeObject } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { User } from '../request/api-request.ts'
import { type ApiServer, createApiServer } from '../server/api-server.ts'
import { call } from '../server/test-call.ts'

const API = '/apis/rbac.authorization.k8s.io/v1'
const ROLES = `${API}/namespaces/default/roles`
const BINDINGS = `${API}/namespaces/default/rolebindings`
const user = (name: string): User => ({ name, groups: ['system:authenticated'] })

const rbacOf = (verbs: string[], resources = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings']) => ({
  apiGroups: ['rbac.authorization.k8s.io'],
  resources,
  verbs,
})
const READ_SERVICES = { apiGroups: [''], resources: ['services'], verbs: ['get', 'list'] }
const READ_SECRETS = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }
const WRITE = ['create', 'update', 'patch', 'get']

let server: ApiServer

beforeAll(async () => {
  server = await createApiServer()
  await grant('joe', [rbacOf(WRITE), READ_SERVICES])
  await grant('escalator', [rbacOf([...WRITE, 'escalate'])])
  await grant('binder', [rbacOf(WRITE), { ...rbacOf(['bind'], ['clusterroles']), resourceNames: ['cluster-admin'] }])
})
afterAll(() => server.close())

async function grant(name: string, rules: object[]): Promise<void> {
  const admin = server.client()
  const type = { apiVersion: 'rbac.authorization.k8s.io/v1' }
  await admin.create<KubeObject>({ ...type, kind: 'ClusterRole', metadata: { name }, rules })
  const binding = { metadata: { name }, roleRef: roleRef('ClusterRole', name), subjects: [{ kind: 'User', name }] }
  await admin.create<KubeObject>({ ...type, kind: 'ClusterRoleBinding', ...binding })
}

const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })
const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules })
const binding = (name: string, kind: string, to: string) => ({
  metadata: { name },
  roleRef: roleRef(kind, to),
  subjects: [{ kind: 'User', name: 'somebody' }],
})
const post = (as: string, path: string, body: object) => call(server, { path, body, as: user(as) })

describe('nobody grants what he does not have', () => {
  it('refuses a role with more than its author has, and says what is missing', async () => {
    const { status, body } = await post('joe', ROLES, role('more', READ_SERVICES, READ_SECRETS))
    expect(status).toBe(403)
    expect(body.message).toBe(
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "joe" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
    )
  })

  it('allows a role with what its author has', async () => {
    expect((await post('joe', ROLES, role('same', READ_SERVICES))).status).toBe(201)
  })

  it('refuses an update and a patch that add to a role', async () => {
    await post('joe', ROLES, role('grows', READ_SERVICES))
    const path = `${ROLES}/grows`
    const put = await call(server, { method: 'PUT', path, body: role('grows', READ_SECRETS), as: user('joe') })
    expect(put.status).toBe(403)
    const patch = await call(server, {
      method: 'PATCH',
      path,
      body: { rules: [READ_SECRETS] },
      as: user('joe'),
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(patch.status).toBe(403)
  })

  it('lets everybody who may update change owners and finalizers of a role he could not grant', async () => {
    await call(server, {
      path: ROLES,
      body: role('strong', READ_SECRETS),
      as: { name: 'x', groups: ['system:masters'] },
    })
    const patched = await call(server, {
      method: 'PATCH',
      path: `${ROLES}/strong`,
      body: { metadata: { finalizers: ['example.com/f'] } },
      as: user('joe'),
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(patched.status).toBe(200)
    const labelled = await call(server, {
      method: 'PATCH',
      path: `${ROLES}/strong`,
      body: { metadata: { labels: { a: 'b' } } },
      as: user('joe'),
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(labelled.status).toBe(403)
  })

  it('lets who may escalate grant anything', async () => {
    expect((await post('escalator', ROLES, role('escalated', READ_SECRETS))).status).toBe(201)
  })

  it('refuses to bind a role with more than the author has', async () => {
    const { status, body } = await post('joe', BINDINGS, binding('b', 'ClusterRole', 'cluster-admin'))
    expect(status).toBe(403)
    expect(body.message).toContain('{NonResourceURLs:["*"], Verbs:["*"]}')
    expect((await post('joe', `${API}/clusterrolebindings`, binding('b', 'ClusterRole', 'cluster-admin'))).status).toBe(
      403,
    )
  })

  it('allows to bind a role with what the author has', async () => {
    await post('joe', ROLES, role('mine', READ_SERVICES))
    expect((await post('joe', BINDINGS, binding('mine', 'Role', 'mine'))).status).toBe(201)
  })

  it('lets who may bind a role bind it, and no other', async () => {
    expect((await post('binder', BINDINGS, binding('admins', 'ClusterRole', 'cluster-admin'))).status).toBe(201)
    expect((await post('binder', BINDINGS, binding('nodes', 'ClusterRole', 'system:node'))).status).toBe(403)
  })

  it('does not bind a role that is not there, except for who may bind or do everything', async () => {
    const { status, body } = await post('joe', BINDINGS, binding('early', 'Role', 'none'))
    expect(status).toBe(404)
    expect(body.message).toBe('rolebindings.rbac.authorization.k8s.io "none" not found')
    const asRoot = {
      path: BINDINGS,
      body: binding('early', 'Role', 'none'),
      as: { name: 'x', groups: ['system:masters'] },
    }
    expect((await call(server, asRoot)).status).toBe(201)
  })

  it('keeps aggregation for cluster administrators', async () => {
    const selectors = [{ matchLabels: { a: 'b' } }]
    const body = { ...role('gathers'), aggregationRule: { clusterRoleSelectors: selectors } }
    const answer = await post('joe', `${API}/clusterroles`, body)
    expect(answer.status).toBe(403)
    expect(answer.body.message).toContain('must have cluster-admin privileges to use the aggregationRule')
  })
})
