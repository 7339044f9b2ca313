import type { JsonObject } from '../src/http.ts'
import { configMap, pod } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'
import { asText } from '../src/transcript.ts'

/** Who may do what. */
export const access = area('access')
const { scenario } = access

const quiet = { unrecorded: true }
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const authorization = '/apis/authorization.k8s.io/v1'

async function allow(t: Session, subject: JsonObject, rules: JsonObject[]): Promise<void> {
  const at = (kind: string) => t.api('rbac.authorization.k8s.io/v1', kind)
  const name = `r${rules.length}-${asText(subject.name)}`.replaceAll(':', '.')
  await t.post(at('roles'), { metadata: { name }, rules }, quiet)
  await t.post(
    at('rolebindings'),
    { metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }, subjects: [subject] },
    quiet,
  )
}

/** Grants take a moment on the real server: waits until one is in force. */
async function inForce(t: Session, user: 'joe' | 'jane', verb: string, resource: string): Promise<void> {
  await t.until(
    () =>
      t.post(
        `${authorization}/selfsubjectaccessreviews`,
        { spec: { resourceAttributes: { namespace: t.namespace, verb, resource } } },
        { as: user, unrecorded: true },
      ),
    reply => reply.at('status.allowed') === true,
  )
}

scenario('refuses unknown tokens', async t => {
  await t.get('/api', { token: 'garbage' })
  await t.get(t.core('configmaps'), { token: 'garbage' })
  await t.get('/version', { token: 'garbage' })
  await t.get(t.core('configmaps'), { as: 'nobody', headers: { Authorization: 'Basic YTpi' } })
})

scenario('gives the anonymous the bootstrap rights only', async t => {
  await t.get('/healthz', { as: 'nobody' })
  await t.get('/version', { as: 'nobody' })
  await t.get('/api', { as: 'nobody' })
  await t.get(t.core('configmaps'), { as: 'nobody' })
  await t.get('/metrics', { as: 'nobody' })
  await t.get('/no/such/path', { as: 'nobody' })
})

scenario('says who may not do what', async t => {
  await t.get(t.core('configmaps'), { as: 'joe' })
  await t.get(t.core('configmaps/a'), { as: 'joe' })
  await t.post(t.core('configmaps'), configMap('a'), { as: 'joe' })
  await t.put(t.core('configmaps/a'), configMap('a'), { as: 'joe' })
  await t.mergePatch(t.core('configmaps/a'), {}, { as: 'joe' })
  await t.delete(t.core('configmaps/a'), undefined, { as: 'joe' })
  await t.delete(t.core('configmaps'), undefined, { as: 'joe' })
  await t.get('/api/v1/configmaps', { as: 'joe' })
  await t.get('/api/v1/nodes/n', { as: 'joe' })
  await t.get(t.api('apps/v1', 'deployments'), { as: 'joe' })
  await t.get(t.core('pods/p/log'), { as: 'joe' })
  await t.get('/metrics', { as: 'joe' })
  await t.get('/no/such/path', { as: 'joe' })
  await t.get(t.core('nosuchthings'), { as: 'joe' })
})

scenario('allows what a role in the namespace allows', async t => {
  await allow(t, { kind: 'User', name: 'joe', apiGroup: 'rbac.authorization.k8s.io' }, [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create'] },
  ])
  await inForce(t, 'joe', 'create', 'configmaps')
  await t.post(t.core('configmaps'), configMap('a'), { as: 'joe' })
  await t.get(t.core('configmaps'), { as: 'joe' })
  await t.delete(t.core('configmaps/a'), undefined, { as: 'joe' })
  await t.get('/api/v1/namespaces/default/configmaps', { as: 'joe' })
  await t.get(t.core('secrets'), { as: 'joe' })
})

scenario('allows what a group or service account is bound to', async t => {
  await allow(t, { kind: 'Group', name: 'developers', apiGroup: 'rbac.authorization.k8s.io' }, [
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  ])
  await inForce(t, 'jane', 'list', 'pods')
  await t.get(t.core('pods'), { as: 'jane' })
  await t.get(t.core('pods'), { as: 'joe' })
})

scenario('allows single objects by name', async t => {
  await allow(t, { kind: 'User', name: 'joe', apiGroup: 'rbac.authorization.k8s.io' }, [
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['get', 'update', 'list', 'watch'] },
    { apiGroups: [''], resources: ['services'], verbs: ['list'] },
  ])
  await inForce(t, 'joe', 'list', 'services')
  await t.post(t.core('configmaps'), configMap('mine'), quiet)
  await t.get(t.core('configmaps/mine'), { as: 'joe' })
  await t.get(t.core('configmaps/other'), { as: 'joe' })
  await t.get(t.core('configmaps'), { as: 'joe' })
  await t.get(`${t.core('configmaps')}?fieldSelector=metadata.name%3Dmine`, { as: 'joe' })
})

scenario('tells subresources from resources', async t => {
  await allow(t, { kind: 'User', name: 'joe', apiGroup: 'rbac.authorization.k8s.io' }, [
    { apiGroups: [''], resources: ['pods/status'], verbs: ['get', 'patch'] },
    { apiGroups: ['*'], resources: ['*/scale'], verbs: ['get'] },
    { apiGroups: [''], resources: ['services'], verbs: ['list'] },
  ])
  await inForce(t, 'joe', 'list', 'services')
  await t.post(t.core('pods'), pod('p'), quiet)
  await t.get(t.core('pods/p'), { as: 'joe' })
  const status = await t.get(t.core('pods/p/status'), { as: 'joe', unrecorded: true })
  t.note('status may be read', status.status)
  await t.get(t.api('apps/v1', 'deployments/none/scale'), { as: 'joe' })
})

scenario('lets no one grant what he does not have', async t => {
  await allow(t, { kind: 'User', name: 'joe', apiGroup: 'rbac.authorization.k8s.io' }, [
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles', 'rolebindings'],
      verbs: ['create', 'update', 'get'],
    },
    { apiGroups: [''], resources: ['services'], verbs: ['list'] },
  ])
  await inForce(t, 'joe', 'list', 'services')
  const at = (kind: string) => t.api('rbac.authorization.k8s.io/v1', kind)
  await t.post(
    at('roles'),
    { metadata: { name: 'more' }, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }] },
    { as: 'joe' },
  )
  await t.post(
    at('roles'),
    { metadata: { name: 'same' }, rules: [{ apiGroups: [''], resources: ['services'], verbs: ['list'] }] },
    { as: 'joe' },
  )
  const binding = (role: string, kind: string): JsonObject => ({
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
    subjects: [{ kind: 'User', name: 'joe', apiGroup: 'rbac.authorization.k8s.io' }],
  })
  await t.post(at('rolebindings'), binding('view', 'ClusterRole'), { as: 'joe' })
  await t.post(at('rolebindings'), binding('same', 'Role'), { as: 'joe' })
  await t.post(at('rolebindings'), binding('missing', 'Role'), { as: 'joe' })
})

scenario('collects rules into an aggregated role', async t => {
  const name = `all-${t.namespace}`
  const label = { [`conformance.dev/${t.namespace}`]: 'yes' }
  await t.post(`${rbac}/clusterroles`, {
    metadata: { name },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: label }] },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  })
})

scenario('has the bootstrap cluster roles', async t => {
  const roles = await t.get(`${rbac}/clusterroles?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`, quiet)
  const items = roles.at('items')
  t.note('names', Array.isArray(items) ? items.map((_, index) => roles.string(`items.${index}.metadata.name`)) : null)
  for (const name of [
    'cluster-admin',
    'admin',
    'edit',
    'view',
    'system:basic-user',
    'system:discovery',
    'system:public-info-viewer',
    'system:node',
    'system:kube-scheduler',
  ]) {
    await t.get(`${rbac}/clusterroles/${name}`)
  }
})

scenario('has the parts that admin, edit and view are made of', async t => {
  for (const name of ['admin', 'edit', 'view']) await t.get(`${rbac}/clusterroles/system:aggregate-to-${name}`)
})

scenario('has the rules of every other bootstrap role', async t => {
  const roles = await t.get(`${rbac}/clusterroles?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`, quiet)
  const items = roles.at('items')
  const rules = Array.isArray(items)
    ? items.map((_, index): [string, JsonObject['x']] => [
        roles.string(`items.${index}.metadata.name`),
        roles.at(`items.${index}.rules`) ?? null,
      ])
    : []
  t.note('rules', Object.fromEntries(rules))
})

scenario('has the bootstrap bindings', async t => {
  const bindings = await t.get(
    `${rbac}/clusterrolebindings?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`,
    quiet,
  )
  const items = bindings.at('items')
  t.note(
    'bindings',
    Array.isArray(items)
      ? items.map((_, index) => [
          bindings.string(`items.${index}.metadata.name`),
          bindings.at(`items.${index}.roleRef`) ?? null,
          bindings.at(`items.${index}.subjects`) ?? null,
        ])
      : null,
  )
})

scenario('has the bootstrap roles of kube-system and kube-public', async t => {
  for (const namespace of ['kube-system', 'kube-public']) {
    const roles = await t.get(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`, quiet)
    const items = roles.at('items')
    t.note(
      `roles of ${namespace}`,
      Array.isArray(items)
        ? items.map((_, index) => [
            roles.string(`items.${index}.metadata.name`),
            roles.at(`items.${index}.rules`) ?? null,
          ])
        : null,
    )
  }
})

scenario('reviews the caller’s own access', async t => {
  const review = (spec: JsonObject, as: 'joe' | 'admin') =>
    t.post(
      `${authorization}/selfsubjectaccessreviews`,
      { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec },
      { as },
    )
  await review({ resourceAttributes: { namespace: t.namespace, verb: 'get', resource: 'pods' } }, 'admin')
  await review({ resourceAttributes: { namespace: t.namespace, verb: 'get', resource: 'pods' } }, 'joe')
  await review({ nonResourceAttributes: { path: '/apis', verb: 'get' } }, 'joe')
  await review({ nonResourceAttributes: { path: '/metrics', verb: 'get' } }, 'joe')
  await review({}, 'joe')
  await review(
    { resourceAttributes: { verb: 'get', resource: 'pods' }, nonResourceAttributes: { path: '/', verb: 'get' } },
    'joe',
  )
})

scenario('reviews the access of others', async t => {
  const review = (spec: JsonObject, as: 'joe' | 'admin' = 'admin') =>
    t.post(`${authorization}/subjectaccessreviews`, { spec }, { as })
  await review({ user: 'joe', resourceAttributes: { namespace: t.namespace, verb: 'list', resource: 'secrets' } })
  await review({ user: 'x', groups: ['system:masters'], resourceAttributes: { verb: '*', resource: '*', group: '*' } })
  await review({ resourceAttributes: { verb: 'get', resource: 'pods' } })
  await review({ user: 'joe', resourceAttributes: { verb: 'get', resource: 'pods' } }, 'joe')
  await t.post(t.api('authorization.k8s.io/v1', 'localsubjectaccessreviews'), {
    metadata: { namespace: t.namespace },
    spec: { user: 'joe', resourceAttributes: { namespace: t.namespace, verb: 'get', resource: 'pods' } },
  })
  await t.post(t.api('authorization.k8s.io/v1', 'localsubjectaccessreviews'), {
    spec: { user: 'joe', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'pods' } },
  })
})

scenario('explains why a review allows', async t => {
  await allow(t, { kind: 'User', name: 'joe', apiGroup: 'rbac.authorization.k8s.io' }, [
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
  ])
  await t.until(
    () =>
      t.post(`${authorization}/subjectaccessreviews`, {
        spec: { user: 'joe', resourceAttributes: { namespace: t.namespace, verb: 'get', resource: 'pods' } },
      }),
    reply => reply.at('status.allowed') === true,
  )
})

scenario('lists the caller’s own rules', async t => {
  await t.post(`${authorization}/selfsubjectrulesreviews`, { spec: { namespace: t.namespace } }, { as: 'joe' })
  await t.post(`${authorization}/selfsubjectrulesreviews`, { spec: { namespace: t.namespace } })
  await t.post(`${authorization}/selfsubjectrulesreviews`, { spec: {} })
})

scenario('tells who the caller is', async t => {
  const at = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  await t.post(at, {}, { as: 'jane' })
  await t.post(at, {}, { as: 'admin' })
  await t.post(at, {}, { as: 'nobody' })
})

scenario('impersonates users, groups, uids and extras', async t => {
  const at = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  await t.post(at, {}, { headers: { 'Impersonate-User': 'someone' } })
  await t.post(at, {}, { headers: { 'Impersonate-User': 'someone', 'Impersonate-Group': 'team' } })
  await t.post(
    at,
    {},
    {
      headers: {
        'Impersonate-User': 'someone',
        'Impersonate-Uid': 'u-1',
        'Impersonate-Extra-Scopes': 'view',
        'Impersonate-Extra-Example.test%2fkey': 'x',
      },
    },
  )
  await t.post(at, {}, { headers: { 'Impersonate-User': `system:serviceaccount:${t.namespace}:default` } })
  await t.post(at, {}, { headers: { 'Impersonate-User': 'system:anonymous' } })
  await t.get(t.core('configmaps'), { headers: { 'Impersonate-User': 'someone' } })
})

scenario('refuses impersonation without a right or a user', async t => {
  const at = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  await t.post(at, {}, { as: 'joe', headers: { 'Impersonate-User': 'admin' } })
  await t.post(at, {}, { as: 'joe', headers: { 'Impersonate-User': 'system:serviceaccount:default:x' } })
  await t.post(at, {}, { headers: { 'Impersonate-Group': 'team' } })
  await t.post(at, {}, { as: 'nobody', headers: { 'Impersonate-User': 'admin' } })
})

scenario('checks the namespace of a creation before its body', async t => {
  await t.post(t.core('configmaps'), '{ broken', { as: 'joe' })
  await t.post('/api/v1/namespaces/no-such-namespace/configmaps', configMap('a'), { as: 'joe' })
})
