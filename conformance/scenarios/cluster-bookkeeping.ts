import type { KubeObject, OwnerReference } from '@tiphys/kube'
import { clusterArea } from '../src/cluster/cluster-scenario.ts'
import type { ClusterSession } from '../src/cluster/cluster-session.ts'

/** What keeps a cluster tidy: garbage collection, namespaces, accounts, budgets, quotas and times to live. Pods are not
 *  scheduled; the scenarios say themselves what becomes of them. */
export const clusterBookkeeping = clusterArea('cluster-bookkeeping')
const { scenario } = clusterBookkeeping

type Metadata = Partial<KubeObject['metadata']>

function configMap(t: ClusterSession, name: string, owners: OwnerReference[] = [], metadata: Metadata = {}) {
  return t.client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: t.namespace,
      name,
      labels: { of: 'scenario' },
      ...(owners.length > 0 && { ownerReferences: owners }),
      ...metadata,
    },
  })
}

/** The namespace's own ConfigMap holds a certificate, which every cluster has another of. */
const recordConfigMaps = (t: ClusterSession) => t.recordAll('v1 ConfigMap', 'of=scenario')

const ownerOf = ({ apiVersion, kind, metadata }: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  ...more,
})

const blocking = { blockOwnerDeletion: true }
const held = { finalizers: ['example.com/held'] }

const release = (t: ClusterSession, words: string) => t.merge(words, { metadata: { finalizers: null } })

/** The API server tells what it stored; whoever collects garbage has to have seen it too. */
const settle = (t: ClusterSession) => t.record('v1 ConfigMap owner')

for (const propagationPolicy of ['Background', 'Foreground'] as const) {
  scenario(`${propagationPolicy} deletion takes dependents and theirs along`, async t => {
    const owner = await configMap(t, 'owner')
    const child = await configMap(t, 'child', [ownerOf(owner, blocking)])
    await configMap(t, 'grandchild', [ownerOf(child, blocking)])
    await configMap(t, 'unrelated')
    await settle(t)
    await t.delete('v1 ConfigMap owner', { propagationPolicy })
    await t.untilGone('v1 ConfigMap grandchild')
    await t.untilGone('v1 ConfigMap owner')
    await recordConfigMaps(t)
  })

  scenario(`${propagationPolicy} deletion spares what has another owner`, async t => {
    const owner = await configMap(t, 'owner')
    const other = await configMap(t, 'other')
    await configMap(t, 'child', [ownerOf(owner, blocking), ownerOf(other)])
    await settle(t)
    await t.delete('v1 ConfigMap owner', { propagationPolicy })
    await t.until('v1 ConfigMap child', ({ metadata }) => metadata.ownerReferences.length === 1)
    await t.untilGone('v1 ConfigMap owner')
    await t.record('v1 ConfigMap child')
  })

  scenario(`${propagationPolicy} deletion of one of two that own each other`, async t => {
    const owner = await configMap(t, 'owner')
    const child = await configMap(t, 'child', [ownerOf(owner, blocking)])
    await t.merge('v1 ConfigMap owner', { metadata: { ownerReferences: [ownerOf(child, blocking)] } })
    await settle(t)
    await t.delete('v1 ConfigMap owner', { propagationPolicy })
    await t.untilGone('v1 ConfigMap child')
    await recordConfigMaps(t)
  })

  scenario(`${propagationPolicy} deletion with a dependent that is held`, async t => {
    const owner = await configMap(t, 'owner')
    await configMap(t, 'child', [ownerOf(owner, blocking)], held)
    await settle(t)
    await t.delete('v1 ConfigMap owner', { propagationPolicy })
    await t.until('v1 ConfigMap child', ({ metadata }) => metadata.deletionTimestamp)
    await recordConfigMaps(t)
    await release(t, 'v1 ConfigMap child')
    await t.untilGone('v1 ConfigMap child')
    await t.untilGone('v1 ConfigMap owner')
  })
}

scenario('Foreground deletion does not wait for a dependent that does not block', async t => {
  const owner = await configMap(t, 'owner')
  await configMap(t, 'child', [ownerOf(owner)], held)
  await settle(t)
  await t.delete('v1 ConfigMap owner', { propagationPolicy: 'Foreground' })
  await t.untilGone('v1 ConfigMap owner')
  await t.until('v1 ConfigMap child', ({ metadata }) => metadata.deletionTimestamp)
  await recordConfigMaps(t)
  await release(t, 'v1 ConfigMap child')
})

scenario('Foreground deletion ends when the dependent ceases to block', async t => {
  const owner = await configMap(t, 'owner')
  await configMap(t, 'child', [ownerOf(owner, blocking)], held)
  await settle(t)
  await t.delete('v1 ConfigMap owner', { propagationPolicy: 'Foreground' })
  await t.until('v1 ConfigMap child', ({ metadata }) => metadata.deletionTimestamp)
  await t.merge('v1 ConfigMap child', {
    metadata: { ownerReferences: [ownerOf(owner, { blockOwnerDeletion: false })] },
  })
  await t.untilGone('v1 ConfigMap owner')
  await recordConfigMaps(t)
  await release(t, 'v1 ConfigMap child')
})

scenario('Foreground deletion goes on through the dependents of dependents', async t => {
  const owner = await configMap(t, 'owner')
  const child = await configMap(t, 'child', [ownerOf(owner, blocking)])
  await configMap(t, 'grandchild', [ownerOf(child, blocking)], held)
  await settle(t)
  await t.delete('v1 ConfigMap owner', { propagationPolicy: 'Foreground' })
  await t.until('v1 ConfigMap grandchild', ({ metadata }) => metadata.deletionTimestamp)
  await recordConfigMaps(t)
  await release(t, 'v1 ConfigMap grandchild')
  await t.untilGone('v1 ConfigMap owner')
})

scenario('Orphan deletion leaves the dependents, without the reference', async t => {
  const owner = await configMap(t, 'owner')
  const other = await configMap(t, 'other')
  await configMap(t, 'child', [ownerOf(owner, blocking)])
  await configMap(t, 'shared', [ownerOf(owner), ownerOf(other)])
  await settle(t)
  await t.delete('v1 ConfigMap owner', { propagationPolicy: 'Orphan' })
  await t.untilGone('v1 ConfigMap owner')
  await recordConfigMaps(t)
})

scenario('an object whose owner is gone already is deleted', async t => {
  const owner = await configMap(t, 'owner')
  await t.delete('v1 ConfigMap owner')
  await configMap(t, 'child', [ownerOf(owner)])
  await t.untilGone('v1 ConfigMap child')
  await recordConfigMaps(t)
})

scenario('a namesake of the owner with another uid is no owner', async t => {
  const owner = await configMap(t, 'owner')
  await settle(t)
  await configMap(t, 'child', [ownerOf(owner, { uid: 'b8cbd1a9-1c1b-4c34-9d0c-000000000000' })])
  await t.untilGone('v1 ConfigMap child')
  await recordConfigMaps(t)
})

scenario('an owner in another namespace is no owner', async t => {
  await t.apply('{ apiVersion: v1, kind: Namespace, metadata: { name: NS-owner } }')
  const owner = await configMap(t, 'owner', [], { namespace: `${t.namespace}-owner` })
  await t.record('v1 Namespace NS-owner')
  await configMap(t, 'child', [ownerOf(owner)])
  await t.untilGone('v1 ConfigMap child')
  await t.untilEvent('OwnerRefInvalidNamespace')
  await t.recordEvents('ConfigMap')
  await t.delete('v1 Namespace NS-owner')
})

scenario('an owner of a kind that does not exist keeps its dependent', async t => {
  const owner = { apiVersion: 'example.com/v1', kind: 'Nothing', metadata: { name: 'owner', uid: 'some-uid' } }
  await configMap(t, 'child', [ownerOf(owner)])
  await t.record('v1 ConfigMap child')
})

scenario('an object without a namespace may own one in a namespace', async t => {
  const owner = await t.client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `${t.namespace}-owner` },
    rules: [],
  })
  await configMap(t, 'child', [ownerOf(owner)])
  await t.record('v1 ConfigMap child')
  await t.delete('rbac.authorization.k8s.io/v1 ClusterRole NS-owner')
  await t.untilGone('v1 ConfigMap child')
})

scenario('an object without a namespace is not owned by one in a namespace', async t => {
  const owner = await configMap(t, 'owner')
  await t.client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `${t.namespace}-child`, ownerReferences: [ownerOf(owner)] },
    rules: [],
  })
  await settle(t)
  await t.delete('v1 ConfigMap owner')
  await t.untilGone('v1 ConfigMap owner')
  await t.record('rbac.authorization.k8s.io/v1 ClusterRole NS-child')
  await t.delete('rbac.authorization.k8s.io/v1 ClusterRole NS-child')
})

scenario('custom kinds own and are owned', async t => {
  const group = 'bookkeeping.example.com'
  await t.client.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  await t.until(`apiextensions.k8s.io/v1 CustomResourceDefinition things.${group}`, ({ status }) =>
    status?.conditions?.some(({ type, status }: Record<string, string>) => type === 'Established' && status === 'True'),
  )
  // kube-apiserver tells of a new kind a moment after it has established it.
  await t.untilKnown({ apiVersion: `${group}/v1`, kind: 'Thing' })
  const thing = async (name: string, owners: OwnerReference[] = []) =>
    t.client.create({
      apiVersion: `${group}/v1`,
      kind: 'Thing',
      metadata: { namespace: t.namespace, name, ...(owners.length > 0 && { ownerReferences: owners }) },
    })
  const owner = await thing('owner')
  const child = await thing('child', [ownerOf(owner)])
  await configMap(t, 'grandchild', [ownerOf(child)])
  await t.record(`${group}/v1 Thing owner`)
  await t.delete(`${group}/v1 Thing owner`, { propagationPolicy: 'Foreground' })
  await t.untilGone(`${group}/v1 Thing child`)
  await t.untilGone('v1 ConfigMap grandchild')
  await t.untilGone(`${group}/v1 Thing owner`)
  await t.delete(`apiextensions.k8s.io/v1 CustomResourceDefinition things.${group}`)
})

const inNamespace = (t: ClusterSession, kind: string, name: string) => ({
  apiVersion: 'v1',
  kind,
  namespace: `${t.namespace}-gone`,
  name,
})

scenario('a namespace goes with everything in it', async t => {
  await t.apply(`
{ apiVersion: v1, kind: Namespace, metadata: { name: NS-gone } }
---
{ apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: NS-gone } }
---
{ apiVersion: v1, kind: Secret, metadata: { name: a, namespace: NS-gone } }
---
{ apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: { name: a, namespace: NS-gone }, rules: [] }
`)
  await t.delete('v1 Namespace NS-gone')
  await t.untilGone('v1 Namespace NS-gone')
  const { items } = await t.client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: `${t.namespace}-gone` })
  t.note('ConfigMaps left', items.length)
})

scenario('a namespace says what is left in it, and why', async t => {
  await t.apply(`
{ apiVersion: v1, kind: Namespace, metadata: { name: NS-gone } }
---
{ apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: NS-gone, finalizers: [example.com/a, example.com/b] } }
---
{ apiVersion: v1, kind: ConfigMap, metadata: { name: b, namespace: NS-gone, finalizers: [example.com/a] } }
---
{ apiVersion: v1, kind: Secret, metadata: { name: a, namespace: NS-gone, finalizers: [example.com/a] } }
`)
  await t.delete('v1 Namespace NS-gone')
  await t.until('v1 Namespace NS-gone', ({ status }) => status.conditions?.length > 0)
  await t.record('v1 Namespace NS-gone')
  for (const [kind, name] of [
    ['ConfigMap', 'a'],
    ['ConfigMap', 'b'],
    ['Secret', 'a'],
  ] as const)
    await t.client.patch(inNamespace(t, kind, name), { type: 'merge', patch: { metadata: { finalizers: null } } })
  await t.untilGone('v1 Namespace NS-gone')
})

scenario('a namespace with a finalizer of its own stays, empty', async t => {
  await t.apply(`
{ apiVersion: v1, kind: Namespace, metadata: { name: NS-gone, finalizers: [example.com/held] } }
---
{ apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: NS-gone } }
`)
  await t.delete('v1 Namespace NS-gone')
  await t.until('v1 Namespace NS-gone', ({ spec }) => (spec.finalizers ?? []).length === 0)
  await t.record('v1 Namespace NS-gone')
  await release(t, 'v1 Namespace NS-gone')
  await t.untilGone('v1 Namespace NS-gone')
})

scenario('a namespace keeps the finalizers of others in its spec', async t => {
  await t.apply('{ apiVersion: v1, kind: Namespace, metadata: { name: NS-gone } }')
  const namespace = await t.get('v1 Namespace NS-gone')
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: `${t.namespace}-gone` }
  const finalizers = ['kubernetes', 'example.com/held']
  await t.client.subresource('update', ref, 'finalize', { ...namespace, spec: { finalizers } })
  await t.delete('v1 Namespace NS-gone')
  await t.until('v1 Namespace NS-gone', ({ spec }) => !spec.finalizers.includes('kubernetes'))
  await t.record('v1 Namespace NS-gone')
  const now = await t.get('v1 Namespace NS-gone')
  await t.client.subresource('update', ref, 'finalize', { ...now, spec: {} })
  await t.untilGone('v1 Namespace NS-gone')
})

scenario('a namespace waits for its pods before anything else goes', async t => {
  await t.apply(`
{ apiVersion: v1, kind: Namespace, metadata: { name: NS-gone } }
---
{ apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: NS-gone } }
---
apiVersion: v1
kind: Pod
metadata: { name: p, namespace: NS-gone, finalizers: [example.com/held] }
spec: { schedulerName: none, containers: [{ name: c, image: c }] }
`)
  await t.delete('v1 Namespace NS-gone')
  await t.until('v1 Namespace NS-gone', ({ status }) => status.conditions?.length > 0)
  const { metadata } = await t.client.get(inNamespace(t, 'ConfigMap', 'a'))
  t.note('the ConfigMap is on its way out', metadata.deletionTimestamp !== undefined)
  const namespace = await t.get('v1 Namespace NS-gone')
  t.note(
    'conditions',
    namespace.status.conditions.map(
      ({ type, status, reason }: Record<string, string>) => `${type} ${status} ${reason}`,
    ),
  )
  await t.client.patch(inNamespace(t, 'Pod', 'p'), { type: 'merge', patch: { metadata: { finalizers: null } } })
  await t.untilGone('v1 Namespace NS-gone')
})

scenario('the default ServiceAccount comes back', async t => {
  const { metadata } = await t.get('v1 ServiceAccount default')
  await t.delete('v1 ServiceAccount default')
  await t.until('v1 ServiceAccount default', found => found.metadata.uid !== metadata.uid)
  await t.record('v1 ServiceAccount default')
})

const withoutCertificate = ({ data, metadata }: Record<string, Record<string, unknown>>) => ({
  keys: Object.keys(data ?? {}),
  annotations: metadata?.annotations as Record<string, string>,
})

scenario('the certificate of the API comes back', async t => {
  const before = await t.until('v1 ConfigMap kube-root-ca.crt', () => true)
  await t.delete('v1 ConfigMap kube-root-ca.crt')
  const after = await t.until('v1 ConfigMap kube-root-ca.crt', ({ metadata }) => metadata.uid !== before.metadata.uid)
  t.note('it is the same', after.data['ca.crt'] === before.data['ca.crt'])
  t.note('it is described', withoutCertificate(after))
})

scenario('the certificate of the API cannot be changed for long', async t => {
  const before = await t.until('v1 ConfigMap kube-root-ca.crt', () => true)
  await t.merge('v1 ConfigMap kube-root-ca.crt', { data: { 'ca.crt': 'wrong', more: 'x' } })
  const after = await t.until('v1 ConfigMap kube-root-ca.crt', ({ data }) => data['ca.crt'] !== 'wrong')
  t.note('it is the same', after.data['ca.crt'] === before.data['ca.crt'])
  t.note('it is described', withoutCertificate(after))
})

const tokenSecret = `
apiVersion: v1
kind: Secret
metadata: { name: token, annotations: { kubernetes.io/service-account.name: robot } }
type: kubernetes.io/service-account-token
`

scenario('a Secret for a token is filled', async t => {
  await t.apply(`{ apiVersion: v1, kind: ServiceAccount, metadata: { name: robot } }`)
  await t.apply(tokenSecret)
  const { data, metadata } = await t.until('v1 Secret token', ({ data }) => data?.token)
  const { metadata: account } = await t.get('v1 ServiceAccount robot')
  t.note('keys', Object.keys(data).sort())
  t.note('namespace is right', Buffer.from(data.namespace, 'base64').toString() === t.namespace)
  t.note('uid is right', metadata.annotations['kubernetes.io/service-account.uid'] === account.uid)
  const review = await t.client.create<KubeObject>({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: {},
    spec: { token: Buffer.from(data.token, 'base64').toString() },
  })
  const { authenticated } = review['status'] as { authenticated?: boolean }
  t.note('the token is accepted', authenticated ?? false)
})

scenario('a Secret for a token of nobody is deleted', async t => {
  await t.apply(`{ apiVersion: v1, kind: ServiceAccount, metadata: { name: robot } }`)
  await t.apply(tokenSecret)
  await t.delete('v1 ServiceAccount robot')
  await t.untilGone('v1 Secret token')
  await t.recordAll('v1 Secret')
})

const pod = (name: string, more = '', spec = '') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: web }${more} }
spec: { schedulerName: none, containers: [{ name: c, image: c${spec} }] }
`

const setReady = (t: ClusterSession, name: string, isReady = true) =>
  t.merge(
    `v1 Pod ${name}`,
    { status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] } },
    'status',
  )

const budget = (spec: string) => `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: budget }
spec: { selector: { matchLabels: { app: web } }, ${spec} }
`
const BUDGET = 'policy/v1 PodDisruptionBudget budget'

scenario('a budget with minAvailable counts healthy pods', async t => {
  for (const name of ['a', 'b', 'c']) await t.apply(pod(name))
  await setReady(t, 'a')
  await setReady(t, 'b')
  await setReady(t, 'c', false)
  await t.apply(budget('minAvailable: 1'))
  await t.until(BUDGET, ({ status }) => status?.disruptionsAllowed === 1)
  await t.record(BUDGET)
  await setReady(t, 'a', false)
  await t.until(BUDGET, ({ status }) => status?.disruptionsAllowed === 0)
  await t.record(BUDGET)
})

scenario('a budget without pods allows nothing', async t => {
  await t.apply(budget('minAvailable: 1'))
  await t.until(BUDGET, ({ status }) => status?.observedGeneration === 1)
  await t.record(BUDGET)
  await t.recordEvents('PodDisruptionBudget', 'budget')
})

scenario('a budget that changes is observed', async t => {
  await t.apply(pod('a'))
  await setReady(t, 'a')
  await t.apply(budget('minAvailable: 1'))
  await t.until(BUDGET, ({ status }) => status?.currentHealthy === 1)
  await t.merge(BUDGET, { spec: { minAvailable: 0 } })
  await t.until(BUDGET, ({ status }) => status?.observedGeneration === 2)
  await t.record(BUDGET)
})

scenario('a budget with maxUnavailable and a pod without a controller', async t => {
  await t.apply(pod('a'))
  await setReady(t, 'a')
  await t.apply(budget('maxUnavailable: 1'))
  await t.until(BUDGET, ({ status }) => status?.observedGeneration === 1)
  await t.record(BUDGET)
  await t.recordEvents('PodDisruptionBudget', 'budget')
})

for (const [spec, isPercent] of [
  ['maxUnavailable: 1', false],
  ['maxUnavailable: 30%', true],
  ['minAvailable: 50%', true],
] as const) {
  scenario(`a budget with ${spec} goes by what the ReplicaSet wants`, async t => {
    await t.apply(`
apiVersion: apps/v1
kind: ReplicaSet
metadata: { name: web }
spec:
  replicas: 5
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { schedulerName: none, containers: [{ name: c, image: c }] }
`)
    const pods = await t.untilAll('v1 Pod', found => found.length === 5)
    for (const { metadata } of pods.slice(0, isPercent ? 4 : 5)) await setReady(t, metadata.name)
    await t.apply(budget(spec))
    await t.until(BUDGET, ({ status }) => status?.expectedPods === 5 && status.currentHealthy >= 4)
    await t.record(BUDGET)
  })
}

scenario('a budget over pods of a controller that cannot be scaled fails', async t => {
  await t.apply(`
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { nodeSelector: { nowhere: "true" }, containers: [{ name: c, image: c }] }
`)
  const { metadata } = await t.get('apps/v1 DaemonSet web')
  const reference = `{ apiVersion: apps/v1, kind: DaemonSet, name: web, uid: ${metadata.uid}, controller: true }`
  await t.apply(budget('maxUnavailable: 1'))
  await t.apply(pod('a', `, finalizers: [example.com/held], ownerReferences: [${reference}]`))
  await t.until(BUDGET, ({ status }) =>
    status?.conditions?.some(({ reason }: Record<string, string>) => reason === 'SyncFailed'),
  )
  const { status } = await t.get(BUDGET)
  t.note(
    'conditions',
    status.conditions.map(({ type, status, reason, message }: Record<string, string>) =>
      [type, status, reason, message].join(' '),
    ),
  )
  t.note('allowed', status.disruptionsAllowed)
  await release(t, 'v1 Pod a')
})

const quota = (hard: string, more = '') => `
apiVersion: v1
kind: ResourceQuota
metadata: { name: quota }
spec: { hard: { ${hard} }${more} }
`
const QUOTA = 'v1 ResourceQuota quota'
const resources = (requests: string, limits: string) =>
  `, resources: { requests: { ${requests} }, limits: { ${limits} } }`

/** Waits until the server enforces the quota: it knows of it only after the controller does, and what is created in between is
 *  not counted for minutes. A quota that is made later and refuses is the sign. It stands in another namespace: the end of a
 *  quota has the controller count again what the others beside it use, and whatever the controller has not seen yet is then
 *  taken for gone, for minutes too. */
async function untilEnforced(t: ClusterSession): Promise<void> {
  await t.until(QUOTA, ({ status }) => status?.hard)
  const namespace = `${t.namespace}-sign`
  await t.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await t.client.create({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'sign', namespace },
    spec: { hard: { 'count/configmaps': 0 } },
  })
  const attempt = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'attempt', namespace } }
  await t.untilValue('the quotas to be enforced', async () =>
    (await refusal(t.client.create(attempt, { dryRun: true }), namespace)).includes('exceeded quota: sign'),
  )
  await t.client.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace })
}

scenario('a quota counts what pods request and may use', async t => {
  await t.apply(
    quota('pods: 9, requests.cpu: 9, cpu: 9, requests.memory: 9Gi, limits.cpu: 9, limits.memory: 9Gi, count/pods: 9'),
  )
  await untilEnforced(t)
  await t.apply(pod('a', '', resources('cpu: 250m, memory: 1Gi', 'cpu: 1, memory: 1Gi')))
  await t.apply(pod('b', '', resources('cpu: 250m, memory: 512Mi', 'cpu: 500m, memory: 1Gi')))
  await t.until(QUOTA, ({ status }) => status?.used?.pods === '2')
  await t.record(QUOTA)
})

scenario('a quota frees what finished pods used', async t => {
  await t.apply(pod('a'))
  await t.apply(pod('b'))
  await t.apply(quota('pods: 9, count/pods: 9'))
  await t.until(QUOTA, ({ status }) => status?.used?.pods === '2')
  await t.merge('v1 Pod a', { status: { phase: 'Succeeded' } }, 'status')
  await t.delete('v1 Pod b', { gracePeriodSeconds: 0 })
  await t.until(QUOTA, ({ status }) => status?.used?.pods === '0')
  await t.record(QUOTA)
})

scenario('a quota counts objects by kind', async t => {
  await t.apply(quota('secrets: 9, count/secrets: 9, count/roles.rbac.authorization.k8s.io: 9, resourcequotas: 9'))
  await untilEnforced(t)
  await t.apply('{ apiVersion: v1, kind: Secret, metadata: { name: a } }')
  await t.apply('{ apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: { name: a }, rules: [] }')
  await t.until(QUOTA, ({ status }) => status.used['count/roles.rbac.authorization.k8s.io'] === '1')
  await t.until(QUOTA, ({ status }) => status.used.secrets === '1')
  await t.record(QUOTA)
})

scenario('a quota counts services and claims', async t => {
  await t.apply(
    quota(
      'services: 9, services.nodeports: 9, services.loadbalancers: 9, persistentvolumeclaims: 9, requests.storage: 9Gi, gold.storageclass.storage.k8s.io/requests.storage: 9Gi',
    ),
  )
  await untilEnforced(t)
  await t.apply(`
apiVersion: v1
kind: Service
metadata: { name: a }
spec: { type: NodePort, ports: [{ name: a, port: 80 }, { name: b, port: 81 }] }
---
{ apiVersion: v1, kind: Service, metadata: { name: b }, spec: { ports: [{ port: 80 }] } }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: a }
spec: { storageClassName: gold, accessModes: [ReadWriteOnce], resources: { requests: { storage: 3Gi } } }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: b }
spec: { storageClassName: silver, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1500Mi } } }
`)
  await t.until(QUOTA, ({ status }) => status.used.persistentvolumeclaims === '2' && status.used.services === '2')
  await t.record(QUOTA)
})

scenario('a quota with scopes counts what fits them', async t => {
  await t.apply(quota('pods: 9', ', scopes: [BestEffort, NotTerminating]'))
  await untilEnforced(t)
  await t.apply(pod('asks', '', resources('cpu: 1', 'cpu: 1')))
  await t.apply(pod('fits'))
  await t.until(QUOTA, ({ status }) => status.used.pods === '1')
  await t.record(QUOTA)
})

async function refusal(attempt: Promise<unknown>, namespace: string): Promise<string> {
  try {
    await attempt
    return 'allowed'
  } catch (thrown) {
    return String((thrown as Error).message).replaceAll(namespace, 'NS')
  }
}

scenario('a quota refuses what is too much', async t => {
  await t.apply(quota('pods: 1, requests.cpu: 1'))
  await untilEnforced(t)
  await t.apply(pod('a', '', resources('cpu: 600m', 'cpu: 1')))
  await t.until(QUOTA, ({ status }) => status.used.pods === '1')
  t.note('one more', await refusal(t.apply(pod('b', '', resources('cpu: 600m', 'cpu: 1'))), t.namespace))
  t.note('one that asks for nothing', await refusal(t.apply(pod('c')), t.namespace))
  await t.recordAll('v1 Pod')
})

scenario('a quota refuses more objects of a kind', async t => {
  await t.apply(quota('count/secrets: 1, services.nodeports: 1'))
  await untilEnforced(t)
  await t.apply('{ apiVersion: v1, kind: Secret, metadata: { name: a } }')
  await t.until(QUOTA, ({ status }) => status.used['count/secrets'] === '1')
  const secret = '{ apiVersion: v1, kind: Secret, metadata: { name: b } }'
  t.note('a second Secret', await refusal(t.apply(secret), t.namespace))
  const service =
    '{ apiVersion: v1, kind: Service, metadata: { name: a }, spec: { type: NodePort, ports: [{ name: a, port: 80 }, { name: b, port: 81 }] } }'
  t.note('two node ports', await refusal(t.apply(service), t.namespace))
})

scenario('a finished Job goes when its time is over', async t => {
  await t.apply(`
apiVersion: batch/v1
kind: Job
metadata: { name: job }
spec:
  ttlSecondsAfterFinished: 1
  managedBy: example.com/scenario
  template: { spec: { restartPolicy: Never, containers: [{ name: c, image: c }] } }
`)
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const { metadata } = await t.get('batch/v1 Job job')
  await configMap(t, 'child', [
    { apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: metadata.uid, blockOwnerDeletion: true },
  ])
  await t.record('v1 ConfigMap child')
  const conditions = ['SuccessCriteriaMet', 'Complete'].map(type => ({ type, status: 'True', lastTransitionTime: now }))
  await t.merge(
    'batch/v1 Job job',
    { status: { startTime: now, completionTime: now, succeeded: 1, conditions } },
    'status',
  )
  await t.untilGone('batch/v1 Job job')
  await t.untilGone('v1 ConfigMap child')
})

scenario('a pod that was never scheduled and is held becomes Failed when it is to go', async t => {
  await t.apply(pod('a', ', finalizers: [example.com/held]'))
  await t.delete('v1 Pod a')
  await t.until('v1 Pod a', ({ status }) => status.phase === 'Failed')
  await t.record('v1 Pod a')
  await release(t, 'v1 Pod a')
  await t.untilGone('v1 Pod a')
})
