import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene } from './engine-scene.ts'

let scene: EngineScene

/** Accounts of the namespace `default` may do everything there and nothing elsewhere; an administrator lives in `other`. */
const RIGHTS = `
{apiVersion: v1, kind: Namespace, metadata: {name: other}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: in-secret, namespace: other}, data: {word: hidden}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: everything-here, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: 'system:serviceaccounts:default'}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: administrator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: admin, namespace: other}]
`

const HOOK = `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: hook}
spec: {webhook: {push: {endpoint: /push, method: POST, port: "0"}}}
`

beforeEach(async () => {
  scene = await EngineScene.start()
  await scene.client.delete({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    name: 'everything',
  })
  await scene.apply(`${RIGHTS}---${BUS}---${HOOK}`)
})
afterEach(() => scene.close())

const sensor = (name: string, k8s: string, template = '{}') => `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: ${name}}
spec:
  template: ${template}
  dependencies: [{name: dep, eventSourceName: hook, eventName: push}]
  triggers: [{template: {name: act, k8s: ${k8s}}}]
`

const made = (name: string, namespace = '') =>
  `{source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${namespace && `, namespace: ${namespace}`}}}}}`

/** What the caller sends does as little as what the manifest says. */
const fire = (body: object = {}) =>
  scene.engine.fire({
    namespace: 'default',
    source: 'hook',
    entry: 'push',
    data: JSON.stringify({ header: {}, body }),
    who: 'test',
  })

describe('a Sensor acts as an account of its own namespace', () => {
  it.each([
    ['creates elsewhere', made('mine', 'other')],
    [
      'is told by an event to create elsewhere',
      `{source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: mine}}}, parameters: [{src: {dependencyName: dep, dataKey: body.namespace}, dest: metadata.namespace}]}`,
    ],
    ['deletes elsewhere', `{operation: delete, ${made('in-secret', 'other').slice(1)}`],
    ['patches elsewhere', `{operation: patch, ${made('in-secret', 'other').slice(1)}`],
    ['applies elsewhere', `{operation: apply, ${made('in-secret', 'other').slice(1)}`],
    [
      'takes more rights',
      '{source: {resource: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: mine}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: []}}}',
    ],
  ])('and one that %s gets 403, has no effect, and holds up nobody', async (_, k8s) => {
    await scene.apply(`${sensor('deputy', k8s)}---${sensor('honest', made('honest'))}`)
    await fire({ namespace: 'other' })
    await scene.settled()
    await scene.advance(10_000)
    expect(await scene.configMaps()).toEqual(['honest'])
    expect(await scene.configMaps('other')).toEqual(['in-secret'])
    expect(await scene.get('ConfigMap', 'in-secret', 'other')).toMatchObject({ data: { word: 'hidden' } })
    const { items } = await scene.client.list({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
    })
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('mine')
    expect(await scene.condition('Sensor', 'deputy', 'Healthy')).toMatchObject({ status: 'False', reason: 'Forbidden' })
    expect(await scene.engine.parked()).toMatchObject([{ sensor: 'deputy' }])
  })

  it.each([
    'other:admin',
    'admin:other',
    'system:serviceaccount:other:admin',
    ':admin',
    '../other/admin',
    'admin@other',
    'default,system:serviceaccount:other:admin',
    'default\\r\\nImpersonate-Group: system:masters',
  ])('which no spelling of the name leads out of: %s', async name => {
    await scene.apply(
      `${sensor('deputy', made('mine', 'other'), `{serviceAccountName: "${name}"}`)}---${sensor('honest', made('honest'))}`,
    )
    await fire()
    await scene.settled()
    await scene.advance(10_000)
    expect(await scene.configMaps('other')).toEqual(['in-secret'])
    expect(await scene.configMaps()).toEqual(['honest'])
  })
})

describe('an EventSource', () => {
  it('sees nothing of a namespace that its account may not look into, and says so', async () => {
    await scene.apply(`
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: spy}
spec: {resource: {look: {namespace: other, group: "", version: v1, resource: configmaps, eventTypes: [ADD, UPDATE]}}}
`)
    await scene.client.update({
      ...(await scene.get('ConfigMap', 'in-secret', 'other')),
      data: { word: 'changed' },
    })
    await scene.advance(60_000)
    expect(await scene.condition('EventSource', 'spy', 'Healthy')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('configmaps'),
    })
    expect(scene.recordsOf('event')).toEqual([])
    expect(JSON.stringify(scene.records)).not.toContain('hidden')
  })
})

it('what the template of a Sensor or an EventSource says about pods gives nobody anything: no pod is made of it', async () => {
  const template = `{serviceAccountName: default, securityContext: {runAsUser: 0}, hostNetwork: true, container: {image: evil, securityContext: {privileged: true}, volumeMounts: [{name: root, mountPath: /host}]}, volumes: [{name: root, hostPath: {path: /}}]}`
  await scene.apply(
    `${sensor('pods', made('done'), template)}---${HOOK.replace('name: hook', 'name: pods').replace('{webhook', `{template: ${template}, webhook`)}`,
  )
  await fire()
  await scene.settled()
  expect(await scene.configMaps()).toEqual(['done'])
  for (const [apiVersion, kind] of [
    ['v1', 'Pod'],
    ['apps/v1', 'Deployment'],
    ['v1', 'Service'],
  ] as const) {
    const { items } = await scene.client.list({ apiVersion, kind, namespace: 'default' })
    expect(items.map(({ metadata }) => metadata.name).filter(name => name !== 'kubernetes')).toEqual([])
  }
})
