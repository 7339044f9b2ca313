import type { Json, JsonObject } from '../src/http.ts'
import { configMap, container, deployment, pod, secret, service } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'

/** What is refused of the built-in kinds, and how the answer says so. */
export const validation = area('validation')
const { scenario } = validation

const named = (name: string, rest: JsonObject): JsonObject => ({ metadata: { name }, ...rest })
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [container('main')] } }
const selector = { matchLabels: { app: 'x' } }

scenario('names of config maps', async t => {
  for (const name of ['Bad_Name', 'x'.repeat(254), '-a', 'a..b', 'a/b', '.', '..', 'with space']) {
    await t.post(t.core('configmaps'), configMap(name))
  }
})

scenario('names of kinds with stricter rules', async t => {
  await t.post(t.core('services'), service('1-begins-with-a-digit'))
  await t.post(t.core('services'), service('a'.repeat(64)))
  await t.post(t.core('services'), service('with.dot'))
  await t.post('/api/v1/namespaces', { metadata: { name: 'with.dot' } })
  await t.post('/api/v1/namespaces', { metadata: { name: 'Upper' } })
  await t.post(t.api('rbac.authorization.k8s.io/v1', 'roles'), { metadata: { name: 'odd:name/x' } })
  await t.post(t.api('rbac.authorization.k8s.io/v1', 'roles'), { metadata: { name: 'odd:name%x' } })
  await t.post(t.api('rbac.authorization.k8s.io/v1', 'roles'), { metadata: { name: 'Odd:Name' } })
  await t.post(
    t.api('batch/v1', 'cronjobs'),
    named('c'.repeat(53), {
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container('main')] } } } },
      },
    }),
  )
})

scenario('labels and annotations', async t => {
  const metadata = (rest: JsonObject) => configMap('a', {}, rest)
  await t.post(t.core('configmaps'), metadata({ labels: { 'bad key!': 'x' } }))
  await t.post(t.core('configmaps'), metadata({ labels: { key: 'bad value!' } }))
  await t.post(t.core('configmaps'), metadata({ labels: { key: 'x'.repeat(64) } }))
  await t.post(t.core('configmaps'), metadata({ labels: { ['k'.repeat(64)]: 'x' } }))
  await t.post(t.core('configmaps'), metadata({ labels: { 'Bad_Prefix/key': 'x' } }))
  await t.post(t.core('configmaps'), metadata({ labels: { 'a/b/c': 'x' } }))
  await t.post(t.core('configmaps'), metadata({ labels: { '': 'y' } }))
  await t.post(t.core('configmaps'), metadata({ annotations: { 'bad key!': 'anything goes' } }))
})

scenario('finalizers and owners', async t => {
  const metadata = (rest: JsonObject) => configMap('a', {}, rest)
  await t.post(t.core('configmaps'), metadata({ finalizers: ['unqualified'] }))
  await t.post(t.core('configmaps'), metadata({ finalizers: ['bad name!/x'] }))
  await t.post(t.core('configmaps'), metadata({ finalizers: ['orphan', 'foregroundDeletion'] }))
  await t.post(t.core('configmaps'), metadata({ ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] }))
  const owner = (name: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid: '11111111-2222-3333-4444-555555555555',
    controller: true,
  })
  await t.post(t.core('configmaps'), metadata({ ownerReferences: [owner('x'), owner('y')] }))
  await t.post(
    t.core('configmaps'),
    metadata({ ownerReferences: [{ ...owner('x'), apiVersion: 'v1', kind: 'Event' }] }),
  )
})

scenario('config maps and secrets', async t => {
  await t.post(t.core('configmaps'), configMap('a', { 'bad key!': 'x' }))
  await t.post(t.core('configmaps'), { ...configMap('a', { k: 'x' }), binaryData: { k: 'AA==' } })
  await t.post(t.core('configmaps'), { ...configMap('a'), binaryData: { k: 'not base64!' } })
  await t.post(t.core('configmaps'), { metadata: { name: 'a' }, data: { n: 1 } })
  await t.post(t.core('configmaps'), { metadata: { name: 'a' }, data: [] })
  await t.post(t.core('secrets'), secret('a', { data: { k: 'not base64!' } }))
  await t.post(t.core('secrets'), secret('a', { type: 'kubernetes.io/tls' }))
  await t.post(
    t.core('secrets'),
    secret('a', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'not json' } }),
  )
  await t.post(t.core('secrets'), secret('a', { type: 'kubernetes.io/basic-auth' }))
  await t.post(t.core('secrets'), secret('a', { type: 'kubernetes.io/service-account-token' }))
  await t.post(t.core('secrets'), secret('a', { type: 'kubernetes.io/ssh-auth', stringData: { other: 'x' } }))
})

scenario('containers of pods', async t => {
  const create = (containers: Json) => t.post(t.core('pods'), pod('p', { containers }))
  await create([])
  await t.post(t.core('pods'), { metadata: { name: 'p' }, spec: {} })
  await t.post(t.core('pods'), { metadata: { name: 'p' } })
  await create([{ name: 'main' }])
  await create([{ image: 'x' }])
  await create([container('Bad_Name')])
  await create([container('a'), container('a')])
  await create([container('a', { image: ' spaced' })])
  await create([container('a', { imagePullPolicy: 'Sometimes' })])
  await create([container('a', { terminationMessagePolicy: 'x', terminationMessagePath: '' })])
})

scenario('ports of containers', async t => {
  const create = (ports: Json) => t.post(t.core('pods'), pod('p', { containers: [container('main', { ports })] }))
  await create([{ containerPort: 0 }])
  await create([{ containerPort: 70000 }])
  await create([{ containerPort: 80, protocol: 'HTTP' }])
  await create([{ containerPort: 80, name: 'Bad_Name' }])
  await create([
    { containerPort: 80, name: 'same' },
    { containerPort: 81, name: 'same' },
  ])
  await create([{ containerPort: 80, hostPort: -1 }])
  await create([{ containerPort: 'http' }])
})

scenario('environment and mounts of containers', async t => {
  const create = (rest: JsonObject) => t.post(t.core('pods'), pod('p', { containers: [container('main', rest)] }))
  await create({ env: [{ name: '' }] })
  await create({ env: [{ name: 'bad=name' }] })
  await create({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] })
  await create({ env: [{ name: 'A', valueFrom: {} }] })
  await create({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } }] })
  await create({ volumeMounts: [{ name: 'none', mountPath: '/x' }] })
  await create({ volumeMounts: [{ name: '', mountPath: '' }] })
})

scenario('resources of containers', async t => {
  const create = (resources: JsonObject) =>
    t.post(t.core('pods'), pod('p', { containers: [container('main', { resources })] }))
  await create({ limits: { cpu: 'much' } })
  await create({ limits: { cpu: '-1' } })
  await create({ limits: { cpu: '1' }, requests: { cpu: '2' } })
  await create({ limits: { nonsense: '1' } })
  await create({ limits: { 'example.test/gpu': '1.5' } })
  await create({ limits: { 'hugepages-2Mi': '3Mi' } })
})

scenario('probes and handlers of containers', async t => {
  const create = (rest: JsonObject) => t.post(t.core('pods'), pod('p', { containers: [container('main', rest)] }))
  await create({ livenessProbe: {} })
  await create({ livenessProbe: { httpGet: { port: 80 }, exec: { command: ['x'] } } })
  await create({ livenessProbe: { httpGet: { port: 0 } } })
  await create({ livenessProbe: { httpGet: { port: 80 }, periodSeconds: -1, successThreshold: 2 } })
  await create({ lifecycle: { preStop: {} } })
  await create({ livenessProbe: { exec: {} } })
})

scenario('volumes of pods', async t => {
  const create = (volumes: Json) => t.post(t.core('pods'), pod('p', { volumes }))
  await create([{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }])
  await create([{ name: 'Bad_Name', emptyDir: {} }])
  await create([
    { name: 'v', emptyDir: {} },
    { name: 'v', emptyDir: {} },
  ])
  await create([{ name: 'v', hostPath: { path: '../x' } }])
  await create([{ name: 'v', hostPath: { path: '/x', type: 'Nope' } }])
  await create([{ name: 'v', secret: {} }])
  await create([{ name: 'v', configMap: { name: 'c', items: [{ key: 'k', path: '../x' }] } }])
  await create([{ name: 'v', secret: { secretName: 's', defaultMode: 9999 } }])
})

scenario('pods as a whole', async t => {
  await t.post(t.core('pods'), pod('p', { restartPolicy: 'Sometimes' }))
  await t.post(t.core('pods'), pod('p', { dnsPolicy: 'None' }))
  await t.post(t.core('pods'), pod('p', { terminationGracePeriodSeconds: -1 }))
  await t.post(t.core('pods'), pod('p', { activeDeadlineSeconds: 0 }))
  await t.post(t.core('pods'), pod('p', { nodeName: 'Bad_Name' }))
  await t.post(t.core('pods'), pod('p', { hostname: 'Bad_Name', subdomain: '-' }))
  await t.post(t.core('pods'), pod('p', { tolerations: [{ key: 'x', operator: 'Exists', value: 'y' }] }))
  await t.post(t.core('pods'), pod('p', { nodeSelector: { 'bad key!': 'x' } }))
  await t.post(t.core('pods'), pod('p', { priorityClassName: 'no-such-class' }))
  await t.post(t.core('pods'), pod('p', { serviceAccountName: 'no-such-account' }))
  await t.post(t.core('pods'), pod('p', { hostPID: true, shareProcessNamespace: true }))
  await t.post(
    t.core('pods'),
    pod('p', {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    }),
  )
  await t.post(t.core('pods'), pod('p', { schedulingGates: [{ name: 'bad gate' }] }))
  await t.post(t.core('pods'), pod('p', { initContainers: [container('main')] }))
  await t.post(t.core('pods'), pod('p', { securityContext: { runAsUser: -1, sysctls: [{ name: '', value: '' }] } }))
})

scenario('types of fields', async t => {
  await t.post(t.core('pods'), pod('p', { containers: 'x' }))
  await t.post(t.core('pods'), pod('p', { terminationGracePeriodSeconds: 'x' }))
  await t.post(t.core('pods'), pod('p', { hostNetwork: 'yes' }))
  await t.post(t.core('pods'), { metadata: [], spec: {} })
  await t.post(t.core('pods'), { metadata: { name: 5 } })
  await t.post(t.core('pods'), { metadata: { name: 'p', labels: ['x'] } })
  await t.post(t.core('pods'), { metadata: { name: 'p', creationTimestamp: 'yesterday' } })
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: '3' }))
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: 1.5 }))
  await t.post(t.core('services'), service('s', { ports: [{ port: 80, targetPort: true }] }))
  await t.post(t.core('pods'), pod('p', { containers: [container('main', { resources: { limits: { cpu: true } } })] }))
})

scenario('deployments', async t => {
  const create = (spec: JsonObject) => t.post(t.api('apps/v1', 'deployments'), deployment('web', spec))
  await create({ selector: { matchLabels: { app: 'other' } } })
  await t.post(t.api('apps/v1', 'deployments'), { metadata: { name: 'web' }, spec: {} })
  await create({ selector: {} })
  await create({ selector: { matchExpressions: [{ key: 'a', operator: 'Dances' }] } })
  await create({ selector: { matchExpressions: [{ key: 'app', operator: 'In', values: [] }] } })
  await create({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 })
  await create({ strategy: { type: 'Sideways' } })
  await create({ strategy: { type: 'Recreate', rollingUpdate: {} } })
  await create({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })
  await create({ strategy: { rollingUpdate: { maxSurge: 'many' } } })
  await create({ progressDeadlineSeconds: 1, minReadySeconds: 5 })
  await create({
    template: {
      ...template,
      metadata: { labels: { app: 'web' } },
      spec: { restartPolicy: 'Never', containers: [container('main')] },
    },
  })
})

scenario('stateful sets, daemon sets and replica sets', async t => {
  await t.post(
    t.api('apps/v1', 'statefulsets'),
    named('s', {
      spec: { selector, template, serviceName: 'Bad_Name', podManagementPolicy: 'x', updateStrategy: { type: 'x' } },
    }),
  )
  await t.post(
    t.api('apps/v1', 'daemonsets'),
    named('d', { spec: { selector, template, updateStrategy: { type: 'x' } } }),
  )
  await t.post(
    t.api('apps/v1', 'replicasets'),
    named('r', { spec: { selector: { matchLabels: { app: 'y' } }, template } }),
  )
  await t.post(t.api('apps/v1', 'statefulsets'), named('s', { spec: { selector, template, serviceName: 'good' } }), {
    unrecorded: true,
  })
  await t.mergePatch(t.api('apps/v1', 'statefulsets/s'), { spec: { serviceName: 'other' } })
})

scenario('jobs and cron jobs', async t => {
  const once = { spec: { restartPolicy: 'Never', containers: [container('main')] } }
  const job = (spec: JsonObject) => t.post(t.api('batch/v1', 'jobs'), named('j', { spec: { template: once, ...spec } }))
  await job({ template: { spec: { containers: [container('main')] } } })
  await job({
    parallelism: -1,
    completions: -1,
    backoffLimit: -1,
    activeDeadlineSeconds: -1,
    ttlSecondsAfterFinished: -1,
  })
  await job({ completionMode: 'Sideways' })
  await job({ completionMode: 'Indexed' })
  await job({ selector: { matchLabels: { a: 'b' } } })
  const cron = (spec: JsonObject) =>
    t.post(
      t.api('batch/v1', 'cronjobs'),
      named('c', { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: once } }, ...spec } }),
    )
  await cron({ schedule: 'every day' })
  await cron({ schedule: '' })
  await cron({ schedule: '60 * * * *' })
  await cron({ schedule: 'TZ=UTC * * * * *' })
  await cron({ timeZone: 'Middle/Earth' })
  await cron({ concurrencyPolicy: 'Sometimes' })
  await cron({ schedule: '@hourly', timeZone: 'Europe/Berlin' })
})

scenario('services', async t => {
  const create = (spec: JsonObject) => t.post(t.core('services'), service('s', spec))
  await create({ ports: [] })
  await create({ ports: [{ port: 0 }] })
  await create({ ports: [{ port: 80 }, { port: 81 }] })
  await create({
    ports: [
      { port: 80, name: 'a' },
      { port: 80, name: 'b' },
    ],
  })
  await create({
    ports: [
      { port: 80, name: 'a' },
      { port: 81, name: 'a' },
    ],
  })
  await create({ ports: [{ port: 80, protocol: 'HTTP' }] })
  await create({ ports: [{ port: 80, targetPort: 'bad_name' }] })
  await create({ type: 'Magic' })
  await create({ type: 'ExternalName' })
  await create({ clusterIP: 'nonsense' })
  await create({ sessionAffinity: 'x' })
  await create({ selector: { 'bad key!': 'x' } })
  await create({ externalTrafficPolicy: 'Local' })
  await create({ ports: [{ port: 80, nodePort: 30000 }] })
})

scenario('ingresses and network policies', async t => {
  const ingress = (spec: JsonObject) => t.post(t.api('networking.k8s.io/v1', 'ingresses'), named('i', { spec }))
  const backend = { service: { name: 's', port: { number: 80 } } }
  await ingress({})
  await ingress({ rules: [{ http: { paths: [{ path: '/', backend }] } }] })
  await ingress({ rules: [{ http: { paths: [{ path: 'x', pathType: 'Prefix', backend }] } }] })
  await ingress({ rules: [{ host: 'Bad_Host', http: { paths: [{ path: '/', pathType: 'Exact', backend: {} }] } }] })
  await ingress({ defaultBackend: { service: { name: 's', port: { number: 80, name: 'x' } } } })
  const policy = (spec: JsonObject) => t.post(t.api('networking.k8s.io/v1', 'networkpolicies'), named('n', { spec }))
  await policy({ podSelector: {}, policyTypes: ['Sideways'] })
  await policy({ podSelector: {}, ingress: [{ from: [{}] }] })
  await policy({ podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: 'x' } }] }] })
})

scenario('roles and bindings', async t => {
  const at = (kind: string) => t.api('rbac.authorization.k8s.io/v1', kind)
  await t.post(at('roles'), named('r', { rules: [{ apiGroups: [''], resources: ['pods'] }] }))
  await t.post(at('roles'), named('r', { rules: [{ verbs: ['get'] }] }))
  await t.post(at('roles'), named('r', { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }))
  await t.post(at('rolebindings'), named('b', {}))
  await t.post(at('rolebindings'), named('b', { roleRef: { kind: 'Pod', name: 'x', apiGroup: 'y' } }))
  await t.post(
    at('rolebindings'),
    named('b', {
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [
        { kind: 'Alien', name: 'x' },
        { kind: 'User', name: '' },
        { kind: 'ServiceAccount', name: 'Bad_Name' },
      ],
    }),
  )
  await t.post(at('rolebindings'), named('good', { roleRef: { kind: 'Role', name: 'x' } }), { unrecorded: true })
  await t.mergePatch(at('rolebindings/good'), { roleRef: { name: 'other' } })
  await t.post(
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    named(`c-${t.namespace}`, {
      rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['pods'], apiGroups: [''] }],
    }),
  )
})

scenario('volumes and claims', async t => {
  const claim = (spec: JsonObject) => t.post(t.core('persistentvolumeclaims'), named('c', { spec }))
  await claim({})
  await claim({ accessModes: ['Sometimes'], resources: { requests: { storage: '-1' } } })
  await claim({ accessModes: ['ReadWriteOnce'], resources: { requests: {} } })
  await claim({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'Bad_Name',
  })
  await t.post('/api/v1/persistentvolumes', named(`v-${t.namespace}`, { spec: {} }))
  await t.post(
    t.core('persistentvolumeclaims'),
    named('good', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }),
    { unrecorded: true },
  )
  await t.mergePatch(t.core('persistentvolumeclaims/good'), { spec: { accessModes: ['ReadWriteMany'] } })
})

scenario('autoscalers and budgets', async t => {
  const scaler = (spec: JsonObject) => t.post(t.api('autoscaling/v2', 'horizontalpodautoscalers'), named('h', { spec }))
  await scaler({})
  await scaler({ minReplicas: 5, maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x' } })
  await scaler({ maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x' }, metrics: [{ type: 'Resource' }] })
  const budget = (spec: JsonObject) => t.post(t.api('policy/v1', 'poddisruptionbudgets'), named('b', { spec }))
  await budget({ minAvailable: 1, maxUnavailable: 1 })
  await budget({ minAvailable: '150%' })
  await budget({ minAvailable: 'few' })
})

scenario('leases, quotas and limits', async t => {
  await t.post(
    t.api('coordination.k8s.io/v1', 'leases'),
    named('l', { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }),
  )
  await t.post(t.core('resourcequotas'), named('q', { spec: { hard: { pods: '-1' } } }))
  await t.post(t.core('resourcequotas'), named('q', { spec: { hard: { 'bad key!': '1' } } }))
  await t.post(t.core('resourcequotas'), named('q', { spec: { hard: { pods: '1' }, scopes: ['Sideways'] } }))
  await t.post(
    t.core('limitranges'),
    named('l', {
      spec: { limits: [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }, { type: 'Container' }] },
    }),
  )
})

scenario('cluster-wide kinds', async t => {
  const at = (group: string, kind: string) => `/apis/${group}/v1/${kind}`
  const name = `x-${t.namespace}`
  await t.post(at('scheduling.k8s.io', 'priorityclasses'), named(name, { value: 2000000000 }))
  await t.post(at('scheduling.k8s.io', 'priorityclasses'), named(`system-${name}`, { value: 1 }))
  await t.post(at('storage.k8s.io', 'storageclasses'), named(name, {}))
  await t.post(
    at('storage.k8s.io', 'storageclasses'),
    named(name, { provisioner: 'p', reclaimPolicy: 'x', volumeBindingMode: 'y' }),
  )
  await t.post(at('networking.k8s.io', 'ingressclasses'), named(name, { spec: { controller: 'no slash' } }))
  await t.post(at('node.k8s.io', 'runtimeclasses'), named(name, {}))
  await t.post(
    at('admissionregistration.k8s.io', 'validatingwebhookconfigurations'),
    named(name, { webhooks: [{ name: 'short' }] }),
  )
  await t.post(
    at('admissionregistration.k8s.io', 'validatingwebhookconfigurations'),
    named(name, {
      webhooks: [
        { name: 'a.b.c', clientConfig: { url: 'http://x' }, sideEffects: 'Some', admissionReviewVersions: [] },
      ],
    }),
  )
  await t.post(at('apiregistration.k8s.io', 'apiservices'), named(name, { spec: {} }))
  await t.post(
    at('certificates.k8s.io', 'certificatesigningrequests'),
    named(name, { spec: { request: 'AAAA', signerName: 'x' } }),
  )
  await t.post('/api/v1/nodes', named('Bad_Name', {}))
  await t.post('/api/v1/nodes', named(name, { spec: { taints: [{ key: 'x', effect: 'Nope' }] } }))
})

scenario('events and endpoints', async t => {
  await t.post(t.core('events'), named('e', {}))
  await t.post(t.core('events'), named('e', { involvedObject: { namespace: 'other', kind: 'Pod', name: 'x' } }))
  await t.post(t.api('events.k8s.io/v1', 'events'), named('e', {}))
  await t.post(t.core('endpoints'), named('e', { subsets: [{ addresses: [{ ip: 'x' }], ports: [{ port: 0 }] }] }))
  await t.post(
    t.api('discovery.k8s.io/v1', 'endpointslices'),
    named('e', { addressType: 'Pigeon', endpoints: [{ addresses: [] }] }),
  )
  await t.post(
    t.api('discovery.k8s.io/v1', 'endpointslices'),
    named('e', { addressType: 'IPv4', endpoints: [{ addresses: ['127.0.0.1'] }, { addresses: ['x'] }] }),
  )
})

scenario('updates of fields that are fixed', async t => {
  await t.post(
    t.api('batch/v1', 'jobs'),
    named('j', { spec: { template: { spec: { restartPolicy: 'Never', containers: [container('main')] } } } }),
    { unrecorded: true },
  )
  await t.strategicPatch(t.api('batch/v1', 'jobs/j'), {
    spec: { template: { spec: { containers: [{ name: 'main', image: 'other' }] } }, completions: 5 },
  })
  await t.post(t.api('apps/v1', 'daemonsets'), named('d', { spec: { selector, template } }), { unrecorded: true })
  await t.mergePatch(t.api('apps/v1', 'daemonsets/d'), {
    spec: { selector: { matchLabels: { app: 'y' } }, template: { metadata: { labels: { app: 'y' } } } },
  })
  await t.post(
    t.api('networking.k8s.io/v1', 'ingresses'),
    named('i', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }),
    { unrecorded: true },
  )
  await t.mergePatch(t.api('networking.k8s.io/v1', 'ingresses/i'), {
    spec: { defaultBackend: { service: { port: { number: -1 } } } },
  })
  await t.post(`/apis/storage.k8s.io/v1/storageclasses`, named(`s-${t.namespace}`, { provisioner: 'p' }), {
    unrecorded: true,
  })
  await t.mergePatch(`/apis/storage.k8s.io/v1/storageclasses/s-${t.namespace}`, {
    provisioner: 'other',
    parameters: { a: 'b' },
  })
  await t.post(`/apis/scheduling.k8s.io/v1/priorityclasses`, named(`p-${t.namespace}`, { value: 1 }), {
    unrecorded: true,
  })
  await t.mergePatch(`/apis/scheduling.k8s.io/v1/priorityclasses/p-${t.namespace}`, { value: 2 })
})

scenario('many mistakes in one answer', async t => {
  await t.post(t.api('apps/v1', 'deployments'), {
    metadata: { name: 'Bad_Name', labels: { 'bad key!': 'x' } },
    spec: {
      replicas: -1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'c' } }, spec: { containers: [{ name: 'x' }] } },
    },
  })
})
