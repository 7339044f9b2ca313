import { seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import { type Client, type KubeObject, kindRef } from '@tiphys/kube'
import { beforeEach, describe, expect, it } from 'vitest'
import { createApiServer } from '../../server/api-server.ts'

let client: Client
beforeEach(async () => {
  const env = { clock: new VirtualClock(), random: seededRandom(1), log: silentLog }
  client = (await createApiServer({ env, clusterDefaults: true })).client()
})

const create = (apiVersion: string, kind: string, name: string, fields: object = {}) =>
  client.create({ apiVersion, kind, metadata: { namespace: 'default', name }, ...fields })
const quota = (hard: Record<string, string>, more: object = {}, name = 'q') =>
  create('v1', 'ResourceQuota', name, { spec: { hard, ...more } })
const pod = (name: string, resources: object = {}, more: object = {}) =>
  create('v1', 'Pod', name, { spec: { containers: [{ name: 'c', image: 'c', resources }], ...more } })
const refusal = async (answer: Promise<unknown>) =>
  answer.then(
    () => 'allowed',
    (thrown: Error) => thrown.message,
  )

describe('a quota', () => {
  it('limits the number of pods', async () => {
    await quota({ pods: '1' })
    await pod('p')
    expect(await refusal(pod('q'))).toBe(
      'pods "q" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    )
  })

  it('limits what pods request, and names all that is exceeded', async () => {
    await quota({ 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '9' })
    const resources = { requests: { cpu: '600m' }, limits: { cpu: '1', memory: '600Mi' } }
    await pod('p', resources)
    expect(await refusal(pod('q', resources))).toBe(
      'pods "q" is forbidden: exceeded quota: q, requested: limits.memory=600Mi,requests.cpu=600m, used: limits.memory=600Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1',
    )
    expect(await refusal(pod('q', { requests: { cpu: '400m' }, limits: { cpu: '1', memory: '424Mi' } }))).toBe(
      'allowed',
    )
  })

  it('wants every container to say how much it needs of what is limited', async () => {
    await quota({ 'requests.cpu': '1', 'limits.memory': '1Gi' })
    expect(await refusal(pod('p'))).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    )
  })

  it('frees what a finished pod used', async () => {
    await quota({ pods: '1' })
    await pod('p')
    await client.patch(
      { ...kindRef('v1', 'Pod'), namespace: 'default', name: 'p' },
      { type: 'merge', patch: { status: { phase: 'Succeeded' } } },
      { subresource: 'status' },
    )
    expect(await refusal(pod('q'))).toBe('allowed')
  })

  it('with scopes is about what fits them', async () => {
    await quota({ pods: '0' }, { scopes: ['BestEffort'] })
    expect(await refusal(pod('p', { requests: { cpu: '1' } }))).toBe('allowed')
    expect(await refusal(pod('q'))).toContain('exceeded quota: q')
  })

  it('by priority class', async () => {
    await create('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 10 })
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }]
    await quota({ pods: '0' }, { scopeSelector: { matchExpressions } })
    expect(await refusal(pod('p'))).toBe('allowed')
    expect(await refusal(pod('q', {}, { priorityClassName: 'high' }))).toContain('exceeded quota: q')
  })

  it('limits objects of any kind', async () => {
    await quota({ 'count/configmaps': '2', secrets: '0', 'count/deployments.apps': '0' })
    expect(await refusal(create('v1', 'ConfigMap', 'a'))).toBe('allowed')
    expect(await refusal(create('v1', 'ConfigMap', 'b'))).toBe(
      'configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
    )
    expect(await refusal(create('v1', 'Secret', 's'))).toContain(
      'requested: secrets=1, used: secrets=0, limited: secrets=0',
    )
  })

  it('limits the node ports of services, also when a service changes', async () => {
    await quota({ 'services.nodeports': '1' })
    const port = { port: 80 }
    await create('v1', 'Service', 's', { spec: { type: 'NodePort', ports: [{ name: 'a', ...port }] } })
    const more = {
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    }
    const change = client.patch(
      { ...kindRef('v1', 'Service'), namespace: 'default', name: 's' },
      { type: 'merge', patch: more },
    )
    expect(await refusal(change)).toBe(
      'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
    )
    expect(await refusal(create('v1', 'Service', 't', { spec: { ports: [port] } }))).toBe('allowed')
  })

  it('limits storage by class', async () => {
    await quota({ 'gold.storageclass.storage.k8s.io/requests.storage': '5Gi', 'requests.storage': '20Gi' })
    const claim = (name: string, storageClassName: string, storage: string) =>
      create('v1', 'PersistentVolumeClaim', name, {
        spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      })
    expect(await refusal(claim('a', 'gold', '5Gi'))).toBe('allowed')
    expect(await refusal(claim('b', 'silver', '5Gi'))).toBe('allowed')
    expect(await refusal(claim('c', 'gold', '1Gi'))).toBe(
      'persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=1Gi, used: gold.storageclass.storage.k8s.io/requests.storage=5Gi, limited: gold.storageclass.storage.k8s.io/requests.storage=5Gi',
    )
  })

  it('does not let many requests at once slip through', async () => {
    await quota({ pods: '3' })
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => refusal(pod(`p${i}`))))
    expect(answers.filter(answer => answer === 'allowed')).toHaveLength(3)
  })

  it('checks a dry run too, and does not count it', async () => {
    await quota({ pods: '1' })
    const object = {
      ...kindRef('v1', 'Pod'),
      metadata: { namespace: 'default', name: 'p' },
      spec: { containers: [{ name: 'c', image: 'c' }] },
    } as unknown as KubeObject
    await client.create(object, { dryRun: true })
    expect(await refusal(client.create(object))).toBe('allowed')
    expect(await refusal(pod('q'))).toContain('exceeded quota')
  })

  it('of another namespace does not count', async () => {
    await client.create({ ...kindRef('v1', 'Namespace'), metadata: { name: 'other' } })
    await client.create({
      ...kindRef('v1', 'ResourceQuota'),
      metadata: { namespace: 'other', name: 'q' },
      spec: { hard: { pods: '0' } },
    })
    expect(await refusal(pod('p'))).toBe('allowed')
  })
})
