import { configMap, container, definition, deployment, pod, secret, service, widget } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'

/** What `kubectl get` shows, and answers reduced to metadata. */
export const tables = area('tables')
const { scenario } = tables

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const metadataOnly = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
const metadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
const quiet = { unrecorded: true }

scenario('shows one object and a list as a table', async t => {
  await t.post(t.core('configmaps'), configMap('a', { one: '1', two: '2' }), quiet)
  await t.get(t.core('configmaps/a'), { accept: table })
  await t.get(t.core('configmaps'), { accept: table })
})

scenario('takes the first table form that it knows', async t => {
  await t.get(t.core('configmaps'), {
    accept:
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
  })
  await t.get(t.core('configmaps'), { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' })
  await t.get(t.core('configmaps'), { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' })
  await t.get(t.core('configmaps'), { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io,application/json' })
})

scenario('puts no, all or only metadata of the objects into rows', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.get(`${t.core('configmaps')}?includeObject=None`, { accept: table })
  await t.get(`${t.core('configmaps')}?includeObject=Object`, { accept: table })
  await t.get(`${t.core('configmaps')}?includeObject=Metadata`, { accept: table })
  await t.get(`${t.core('configmaps')}?includeObject=Nope`, { accept: table })
})

scenario('pages tables', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.post(t.core('configmaps'), configMap('b'), quiet)
  await t.get(`${t.core('configmaps')}?limit=1`, { accept: table })
})

scenario('shows pods with readiness, status and restarts', async t => {
  await t.post(t.core('pods'), pod('waiting'), quiet)
  await t.post(
    t.core('pods'),
    pod('running', { nodeName: 'node-1', containers: [container('main'), container('side')] }),
    quiet,
  )
  await t.mergePatch(
    t.core('pods/running/status'),
    {
      status: {
        phase: 'Running',
        podIP: '172.16.0.9',
        podIPs: [{ ip: '172.16.0.9' }],
        containerStatuses: [
          { name: 'main', ready: true, restartCount: 2, image: 'x', imageID: 'y', state: { running: {} } },
          {
            name: 'side',
            ready: false,
            restartCount: 0,
            image: 'x',
            imageID: 'y',
            state: { waiting: { reason: 'CrashLoopBackOff' } },
          },
        ],
      },
    },
    quiet,
  )
  await t.get(`${t.core('pods')}?includeObject=None`, { accept: table })
})

scenario('shows workloads', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: 3 }), quiet)
  await t.mergePatch(
    t.api('apps/v1', 'deployments/web/status'),
    { status: { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 2 } },
    quiet,
  )
  await t.get(`${t.api('apps/v1', 'deployments')}?includeObject=None`, { accept: table })
  for (const kind of ['statefulsets', 'daemonsets', 'replicasets']) {
    await t.get(t.api('apps/v1', kind), { accept: table })
  }
  for (const kind of ['jobs', 'cronjobs']) await t.get(t.api('batch/v1', kind), { accept: table })
})

scenario('shows services and secrets', async t => {
  await t.post(
    t.core('services'),
    service('one', {
      ports: [
        { port: 80, name: 'http' },
        { port: 443, name: 'https', protocol: 'TCP' },
      ],
    }),
    quiet,
  )
  await t.post(t.core('services'), service('two', { type: 'NodePort' }), quiet)
  await t.post(t.core('services'), service('three', { clusterIP: 'None', ports: [] }), quiet)
  await t.get(`${t.core('services')}?includeObject=None`, { accept: table })
  await t.post(t.core('secrets'), secret('s', { stringData: { a: '1' } }), quiet)
  await t.get(`${t.core('secrets')}?includeObject=None`, { accept: table })
})

scenario('has columns for every built-in kind', async t => {
  const namespaced = [
    'endpoints',
    'events',
    'limitranges',
    'persistentvolumeclaims',
    'podtemplates',
    'replicationcontrollers',
    'resourcequotas',
    'serviceaccounts',
  ]
  const clusterWide = ['/api/v1/nodes', '/api/v1/persistentvolumes']
  const grouped: [string, string][] = [
    ['apps/v1', 'controllerrevisions'],
    ['autoscaling/v1', 'horizontalpodautoscalers'],
    ['autoscaling/v2', 'horizontalpodautoscalers'],
    ['coordination.k8s.io/v1', 'leases'],
    ['discovery.k8s.io/v1', 'endpointslices'],
    ['events.k8s.io/v1', 'events'],
    ['networking.k8s.io/v1', 'ingresses'],
    ['networking.k8s.io/v1', 'networkpolicies'],
    ['policy/v1', 'poddisruptionbudgets'],
    ['rbac.authorization.k8s.io/v1', 'roles'],
    ['rbac.authorization.k8s.io/v1', 'rolebindings'],
    ['resource.k8s.io/v1', 'resourceclaims'],
    ['storage.k8s.io/v1', 'csistoragecapacities'],
  ]
  for (const kind of namespaced) await t.get(`${t.core(kind)}?fieldSelector=metadata.name%3Dnone`, { accept: table })
  for (const path of clusterWide) await t.get(`${path}?fieldSelector=metadata.name%3Dnone`, { accept: table })
  for (const [group, kind] of grouped)
    await t.get(`${t.api(group, kind)}?fieldSelector=metadata.name%3Dnone`, { accept: table })
})

scenario('has columns for every cluster-wide kind', async t => {
  for (const path of [
    'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    'apiextensions.k8s.io/v1/customresourcedefinitions',
    'apiregistration.k8s.io/v1/apiservices',
    'certificates.k8s.io/v1/certificatesigningrequests',
    'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    'networking.k8s.io/v1/ingressclasses',
    'networking.k8s.io/v1/ipaddresses',
    'networking.k8s.io/v1/servicecidrs',
    'node.k8s.io/v1/runtimeclasses',
    'rbac.authorization.k8s.io/v1/clusterroles',
    'rbac.authorization.k8s.io/v1/clusterrolebindings',
    'scheduling.k8s.io/v1/priorityclasses',
    'storage.k8s.io/v1/csidrivers',
    'storage.k8s.io/v1/csinodes',
    'storage.k8s.io/v1/storageclasses',
    'storage.k8s.io/v1/volumeattachments',
  ]) {
    await t.get(`/apis/${path}?fieldSelector=metadata.name%3Dnone`, { accept: table })
  }
})

scenario('shows namespaces and nodes', async t => {
  const node = `node-${t.namespace}`
  await t.post(
    '/api/v1/nodes',
    { metadata: { name: node, labels: { 'node-role.kubernetes.io/worker': '' } }, spec: { unschedulable: true } },
    quiet,
  )
  await t.get(`/api/v1/nodes?includeObject=None&fieldSelector=metadata.name%3D${node}`, { accept: table })
  await t.get(`/api/v1/namespaces?includeObject=None&fieldSelector=metadata.name%3D${t.namespace}`, { accept: table })
})

scenario('shows custom resources by their printer columns', async t => {
  await t.define(
    definition(t, {
      version: {
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how large' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Since', type: 'date', jsonPath: '.spec.since', priority: 1 },
          { name: 'Tags', type: 'string', jsonPath: '.spec.tags[*]' },
          { name: 'Whole', type: 'string', jsonPath: '.spec.box' },
          { name: 'On', type: 'boolean', jsonPath: '.spec.on' },
          { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio' },
        ],
      },
    }),
  )
  await t.post(
    t.custom('widgets'),
    widget(t, 'full', {
      spec: { size: 3, since: '2020-01-01T00:00:00Z', tags: ['x', 'y'], box: { a: 1 }, on: true, ratio: 1.5 },
      status: {
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
    }),
    quiet,
  )
  await t.post(t.custom('widgets'), widget(t, 'empty'), quiet)
  await t.post(t.custom('widgets'), widget(t, 'wrong', { spec: { size: 'big', since: 'yesterday', on: 'yes' } }), quiet)
  await t.get(t.custom('widgets'), { accept: table })
})

scenario('shows custom resources without columns by age', async t => {
  await t.define(definition(t))
  await t.post(t.custom('widgets'), widget(t, 'a'), quiet)
  await t.get(t.custom('widgets'), { accept: table })
  await t.get(t.custom('widgets/a'), { accept: table })
})

scenario('reduces objects and lists to metadata', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { labels: { x: 'y' } }), quiet)
  await t.get(t.core('configmaps/a'), { accept: metadataOnly })
  await t.get(t.core('configmaps'), { accept: metadataList })
  await t.get(t.core('configmaps'), { accept: metadataOnly })
  await t.get(t.core('configmaps/a'), { accept: metadataList })
})

scenario('reduces the answer of a write to metadata', async t => {
  await t.post(t.core('configmaps'), configMap('a'), { accept: metadataOnly })
  await t.mergePatch(t.core('configmaps/a'), { data: { color: 'red' } }, { accept: metadataOnly })
  await t.post(t.core('configmaps'), configMap('b'), { accept: table })
})

scenario('answers errors as Status whatever form was asked', async t => {
  await t.get(t.core('configmaps/none'), { accept: table })
  await t.get(t.core('configmaps/none'), { accept: metadataOnly })
})

scenario('answers a deletion as a table with the Status', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.delete(t.core('configmaps/a'), undefined, { accept: `${table},application/json` })
})
