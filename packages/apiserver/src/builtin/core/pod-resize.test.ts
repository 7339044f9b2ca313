import { type Client, kindRef } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ApiServer, createApiServer } from '../../server/api-server.ts'

const POD = { ...kindRef<Pod>('v1', 'Pod'), namespace: 'default', name: 'web' }

describe('resizing a pod', () => {
  let server: ApiServer
  let client: Client
  beforeEach(async () => {
    server = await createApiServer({ clusterDefaults: true })
    client = server.client()
    const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m' } }
    await client.create({
      ...kindRef<Pod>('v1', 'Pod'),
      metadata: { namespace: 'default', name: 'web', labels: { app: 'web' } },
      spec: {
        initContainers: [{ name: 'first', image: 'init', resources: { requests: { cpu: '1m' } } }],
        containers: [
          { name: 'main', image: 'web', resources },
          { name: 'other', image: 'web' },
        ],
      },
    } as unknown as Pod)
  })
  afterEach(() => server.close())

  const resize = (spec: unknown, rest: object = {}) =>
    client.patch<Pod>(POD, { type: 'strategic', patch: { spec, ...rest } }, { subresource: 'resize' })
  const main = (resources: unknown, more: object = {}) => ({ containers: [{ name: 'main', resources, ...more }] })

  it('changes what a container may use, and the generation', async () => {
    const resized = await resize(main({ requests: { cpu: '150m' }, limits: { cpu: '300m' } }))
    expect(resized.spec?.containers[0]?.resources).toEqual({
      requests: { cpu: '150m', memory: '64Mi' },
      limits: { cpu: '300m' },
    })
    expect(resized.metadata.generation).toBe(2)
  })

  it('changes nothing else, whatever the request brings', async () => {
    const resized = await resize(main({ requests: { cpu: '150m' } }, { image: 'evil' }), {
      metadata: { labels: { app: 'evil' } },
      status: { phase: 'Succeeded' },
    })
    expect(resized.spec?.containers[0]).toMatchObject({ image: 'web', resources: { requests: { cpu: '150m' } } })
    expect(resized.metadata.labels).toEqual({ app: 'web' })
    expect(resized.status?.phase).toBe('Pending')
  })

  it.each([
    ['a request that is removed', main({ requests: { memory: null } }), 'resource requests cannot be removed'],
    ['a limit that is removed', main({ limits: { cpu: null } }), 'resource limits cannot be removed'],
    [
      'another resource',
      main({ requests: { 'ephemeral-storage': '1Gi' } }),
      'only cpu and memory resources are mutable',
    ],
    ['a limit below the request', main({ limits: { cpu: '50m' } }), 'must be less than or equal to cpu limit of 50m'],
    ['a container more', { containers: [{ name: 'new', image: 'web' }] }, 'containers may not be added or removed'],
    [
      'another policy',
      main({}, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
      'only cpu and memory resources are mutable',
    ],
  ])('refuses %s', async (_what, spec, message) => {
    await expect(resize(spec)).rejects.toThrow(message)
  })

  it('refuses another class of service', async () => {
    const both = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }
    const containers = ['main', 'other'].map(name => ({ name, resources: both }))
    const initContainers = [{ name: 'first', resources: both }]
    await expect(resize({ containers, initContainers })).rejects.toThrow(
      'Pod QOS Class may not change as a result of resizing',
    )
  })

  it('refuses a pod whose node does not tell what its containers have', async () => {
    const running = { name: 'main', image: 'web', imageID: '', ready: true, restartCount: 0, state: { running: {} } }
    const patch = { status: { containerStatuses: [running] } }
    await client.patch(POD, { type: 'merge', patch }, { subresource: 'status' })
    await expect(resize(main({ requests: { cpu: '150m' } }))).rejects.toThrow(
      'Pod running on node without support for resize',
    )
  })

  it('adds ephemeral containers through their own subresource, and nothing else', async () => {
    const spec = {
      ephemeralContainers: [{ name: 'debug', image: 'busybox' }],
      containers: [{ name: 'main', image: 'evil' }],
    }
    const patch = { spec, metadata: { labels: { app: 'evil' } }, status: { phase: 'Succeeded' } }
    const changed = await client.patch<Pod>(POD, { type: 'strategic', patch }, { subresource: 'ephemeralcontainers' })
    expect(changed.spec?.ephemeralContainers?.map(({ name }) => name)).toEqual(['debug'])
    expect(changed.spec?.containers[0]?.image).toBe('web')
    expect(changed.metadata.labels).toEqual({ app: 'web' })
    expect(changed.status?.phase).toBe('Pending')
  })
})
