import { configMap, deployment, pod, secret } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'

export const lists = area('lists')
const { scenario } = lists

async function createThree(t: Session): Promise<string[]> {
  const versions: string[] = []
  for (const [name, tier] of [
    ['a', 'front'],
    ['b', 'back'],
    ['c', 'back'],
  ] as const) {
    const created = await t.post(t.core('configmaps'), configMap(name, { name }, { labels: { tier, [name]: 'yes' } }), {
      unrecorded: true,
    })
    versions.push(created.resourceVersion)
  }
  return versions
}

scenario('lists by name, without kind and version in the items', async t => {
  await t.post(t.core('configmaps'), configMap('b'))
  await t.post(t.core('configmaps'), configMap('a'))
  await t.post(t.core('configmaps'), configMap('a-b'))
  await t.get(t.core('configmaps'))
})

scenario('lists nothing as an empty array', async t => {
  await t.get(t.core('configmaps'))
  await t.get(t.api('apps/v1', 'deployments'))
})

scenario('lists across namespaces', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { labels: { scenario: t.namespace } }))
  await t.get(`/api/v1/configmaps?labelSelector=scenario%3D${t.namespace}`)
})

scenario('pages with limit and continue', async t => {
  await createThree(t)
  const first = await t.get(`${t.core('configmaps')}?limit=1`)
  const second = await t.get(`${t.core('configmaps')}?limit=1&continue=${first.string('metadata.continue')}`)
  await t.get(`${t.core('configmaps')}?limit=1&continue=${second.string('metadata.continue')}`)
})

scenario('shows the first page’s state on later pages', async t => {
  await createThree(t)
  const first = await t.get(`${t.core('configmaps')}?limit=1`)
  await t.delete(t.core('configmaps/c'), undefined, { unrecorded: true })
  await t.post(t.core('configmaps'), configMap('bb'), { unrecorded: true })
  await t.get(`${t.core('configmaps')}?limit=5&continue=${first.string('metadata.continue')}`)
})

scenario('does not count the rest when a selector is given', async t => {
  await createThree(t)
  await t.get(`${t.core('configmaps')}?limit=1&labelSelector=tier%3Dback`)
})

scenario('refuses a bad continue token', async t => {
  await t.get(`${t.core('configmaps')}?limit=1&continue=garbage`)
  const token = Buffer.from('{"v":"meta.k8s.io/v9","rv":1,"start":"a"}').toString('base64url')
  await t.get(`${t.core('configmaps')}?limit=1&continue=${token}`)
})

scenario('refuses a continue token together with a version', async t => {
  await createThree(t)
  const first = await t.get(`${t.core('configmaps')}?limit=1`, { unrecorded: true })
  await t.get(`${t.core('configmaps')}?limit=1&resourceVersion=1&continue=${first.string('metadata.continue')}`)
})

scenario('ignores the limit at version 0', async t => {
  await createThree(t)
  await t.until(
    () => t.get(`${t.core('configmaps')}?limit=1&resourceVersion=0`),
    reply => reply.text.includes('"name":"c"'),
  )
})

scenario('refuses a limit that is no number', async t => {
  await t.get(`${t.core('configmaps')}?limit=abc`)
  await t.get(`${t.core('configmaps')}?limit=-1`)
})

scenario('selects by equality of labels', async t => {
  await createThree(t)
  await t.get(`${t.core('configmaps')}?labelSelector=tier%3Dback`)
  await t.get(`${t.core('configmaps')}?labelSelector=tier%3D%3Dfront`)
  await t.get(`${t.core('configmaps')}?labelSelector=tier!%3Dback`)
  await t.get(`${t.core('configmaps')}?labelSelector=tier%3Dback,b%3Dyes`)
})

scenario('selects by sets of labels', async t => {
  await createThree(t)
  await t.get(`${t.core('configmaps')}?labelSelector=tier%20in%20(front,other)`)
  await t.get(`${t.core('configmaps')}?labelSelector=tier%20notin%20(front)`)
  await t.get(`${t.core('configmaps')}?labelSelector=b`)
  await t.get(`${t.core('configmaps')}?labelSelector=!b`)
  await t.get(`${t.core('configmaps')}?labelSelector=tier%20in%20(back),!c`)
})

scenario('refuses labels selectors that it cannot read', async t => {
  for (const selector of ['%3Dx', 'a%20b', 'a%20in%20b', 'a%3Db%3Dc', 'bad%20key!%3Dx', 'a%3D-bad-', 'in%20(x', ',,']) {
    await t.get(`${t.core('configmaps')}?labelSelector=${selector}`)
  }
})

scenario('compares labels as numbers', async t => {
  await t.post(t.core('configmaps'), configMap('five', {}, { labels: { n: '5' } }), { unrecorded: true })
  await t.post(t.core('configmaps'), configMap('ten', {}, { labels: { n: '10' } }), { unrecorded: true })
  await t.get(`${t.core('configmaps')}?labelSelector=n%3E7`)
  await t.get(`${t.core('configmaps')}?labelSelector=n%3C7`)
  await t.get(`${t.core('configmaps')}?labelSelector=n%3Eabc`)
})

scenario('selects every kind by name and namespace', async t => {
  await createThree(t)
  await t.get(`${t.core('configmaps')}?fieldSelector=metadata.name%3Db`)
  await t.get(`${t.core('configmaps')}?fieldSelector=metadata.name!%3Db`)
  await t.get(`${t.core('configmaps')}?fieldSelector=metadata.namespace%3Dother`)
  await t.get(`/api/v1/configmaps?fieldSelector=metadata.namespace%3D${t.namespace},metadata.name%3Da`)
})

scenario('refuses field selectors that a kind does not have', async t => {
  await t.get(`${t.core('configmaps')}?fieldSelector=data.color%3Dblue`)
  await t.get(`${t.core('pods')}?fieldSelector=spec.containers%3Dx`)
  await t.get(`${t.core('secrets')}?fieldSelector=kind%3Dx`)
  await t.get(`${t.core('events')}?fieldSelector=nope%3Dx`)
  await t.get('/api/v1/nodes?fieldSelector=nope%3Dx')
  await t.get('/api/v1/namespaces?fieldSelector=nope%3Dx')
  await t.get(`${t.api('apps/v1', 'deployments')}?fieldSelector=spec.replicas%3D1`)
  await t.get(`${t.api('apps/v1', 'replicasets')}?fieldSelector=nope%3D1`)
  await t.get(`${t.api('batch/v1', 'jobs')}?fieldSelector=nope%3D1`)
  await t.get('/apis/certificates.k8s.io/v1/certificatesigningrequests?fieldSelector=nope%3D1')
  await t.get(`${t.core('configmaps')}?fieldSelector=metadata.name`)
  await t.get(`${t.core('configmaps')}?fieldSelector=metadata.name%20in%20(a)`)
})

scenario('selects pods by their fields', async t => {
  await t.post(t.core('pods'), pod('placed', { nodeName: 'node-1', restartPolicy: 'Never' }), { unrecorded: true })
  await t.post(t.core('pods'), pod('waiting', { hostNetwork: true, schedulerName: 'special' }), { unrecorded: true })
  for (const selector of [
    'spec.nodeName=node-1',
    'spec.nodeName=',
    'status.phase=Pending',
    'status.phase!=Pending',
    'spec.restartPolicy=Never',
    'spec.schedulerName=special',
    'spec.serviceAccountName=default',
    'spec.hostNetwork=true',
    'status.podIP=',
    'status.nominatedNodeName=',
  ]) {
    const reply = await t.get(`${t.core('pods')}?fieldSelector=${encodeURIComponent(selector)}`, { unrecorded: true })
    const items = reply.at('items')
    t.note(
      selector,
      Array.isArray(items) ? items.map((_, index) => reply.string(`items.${index}.metadata.name`)) : reply.body,
    )
  }
})

scenario('selects secrets by type, events by object, replica sets and jobs by status', async t => {
  await t.post(t.core('secrets'), secret('plain'), { unrecorded: true })
  await t.post(t.core('secrets'), secret('mine', { type: 'example.test/mine' }), { unrecorded: true })
  await t.get(`${t.core('secrets')}?fieldSelector=type%3Dexample.test/mine`)
  const event = (name: string, reason: string, kind: string) => ({
    metadata: { name },
    involvedObject: { kind, name: 'thing', namespace: t.namespace },
    reason,
    type: 'Normal',
    source: { component: 'conformance' },
  })
  await t.post(t.core('events'), event('one', 'Started', 'Pod'), { unrecorded: true })
  await t.post(t.core('events'), event('two', 'Stopped', 'Node'), { unrecorded: true })
  await t.get(`${t.core('events')}?fieldSelector=involvedObject.kind%3DPod,involvedObject.name%3Dthing`)
  await t.get(`${t.core('events')}?fieldSelector=reason%3DStopped,type%3DNormal,source%3Dconformance`)
  await t.get(`${t.api('apps/v1', 'replicasets')}?fieldSelector=status.replicas%3D0`)
  await t.get(`${t.api('batch/v1', 'jobs')}?fieldSelector=status.successful%3D0`)
  await t.get('/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse')
})

scenario('lists an exact version', async t => {
  const [first] = await createThree(t)
  await t.get(`${t.core('configmaps')}?resourceVersion=${first}&resourceVersionMatch=Exact`)
})

scenario('lists at least a version', async t => {
  const versions = await createThree(t)
  await t.get(`${t.core('configmaps')}?resourceVersion=${versions[2]}&resourceVersionMatch=NotOlderThan`)
  await t.get(`${t.core('configmaps')}?resourceVersion=${versions[2]}`)
})

scenario('refuses meaningless combinations of version and match', async t => {
  const base = t.core('configmaps')
  await t.get(`${base}?resourceVersionMatch=Exact`)
  await t.get(`${base}?resourceVersion=0&resourceVersionMatch=Exact`)
  await t.get(`${base}?resourceVersion=5&resourceVersionMatch=Sometimes`)
  await t.get(`${base}?resourceVersion=abc`)
  await t.get(`${base}?sendInitialEvents=true`)
  await t.get(`${base}?resourceVersion=-1`)
})

scenario('waits for a version of the future and then gives up', async t => {
  await t.get(`${t.core('configmaps')}?resourceVersion=999999999`)
  await t.get(`${t.core('configmaps/none')}?resourceVersion=999999999`)
})

scenario('lists with the deprecated watch flag off', async t => {
  await t.get(`${t.core('configmaps')}?watch=false`)
  await t.get(`${t.core('configmaps')}?watch=0`)
})

scenario('shows the same object in every served version', async t => {
  await t.post(t.api('autoscaling/v2', 'horizontalpodautoscalers'), {
    metadata: { name: 'h' },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
      ],
    },
  })
  await t.get(t.api('autoscaling/v1', 'horizontalpodautoscalers/h'))
  await t.get(t.api('autoscaling/v1', 'horizontalpodautoscalers'))
})

scenario('shows one event in both event groups', async t => {
  await t.post(t.core('events'), {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: t.namespace },
    reason: 'Started',
    message: 'it started',
    type: 'Normal',
    source: { component: 'conformance', host: 'here' },
    count: 2,
    firstTimestamp: '2020-01-01T00:00:00Z',
    lastTimestamp: '2020-01-02T00:00:00Z',
  })
  await t.get(t.api('events.k8s.io/v1', 'events/e'))
})

scenario('lists workloads with their defaults', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'), { unrecorded: true })
  await t.get(t.api('apps/v1', 'deployments'))
})
