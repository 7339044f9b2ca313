import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@tiphys/kube'
import { expect, it } from 'vitest'
import { createTestCluster, kindRef, VirtualClock } from './testing.ts'

const configMap = (name: string) => ({ ...kindRef('v1', 'ConfigMap'), metadata: { namespace: 'default', name } })

it('two clusters share nothing', async () => {
  const [one, other] = await Promise.all([createTestCluster(), createTestCluster()])
  await one.client.create(configMap('mine'))
  const { items } = await other.client.list({ ...kindRef('v1', 'ConfigMap'), fieldSelector: 'metadata.name=mine' })
  expect(items).toEqual([])
  await Promise.all([one.close(), other.close()])
})

it('tells the time of the clock it was given', async () => {
  const clock = new VirtualClock(Date.UTC(2030, 0, 1))
  const { client, close } = await createTestCluster({ env: { clock } })
  await clock.advance(61_000)
  await client.create(configMap('timed'))
  const { metadata } = await client.get({ ...kindRef('v1', 'ConfigMap'), namespace: 'default', name: 'timed' })
  expect(metadata.creationTimestamp).toBe('2030-01-01T00:01:01Z')
  await close()
})

it('serves programs outside the process as well', async () => {
  const cluster = await createTestCluster()
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-serve-'))
  try {
    const { kubeconfig } = await cluster.serve()
    await writeFile(join(folder, 'kubeconfig'), kubeconfig)
    const outside = await connect({ kubeconfig: join(folder, 'kubeconfig') })
    await outside.create(configMap('from-outside'))
    await outside.close()
    const found = await cluster.client.get({
      ...kindRef('v1', 'ConfigMap'),
      namespace: 'default',
      name: 'from-outside',
    })
    expect(found.metadata.name).toBe('from-outside')
  } finally {
    await cluster.close()
    await rm(folder, { recursive: true })
  }
})

it('has the logs of its pods', async () => {
  const cluster = await createTestCluster()
  const annotations = { 'tiphys.dev/simulate': JSON.stringify({ log: 'hello' }) }
  await cluster.client.create({
    ...kindRef('v1', 'Pod'),
    metadata: { namespace: 'default', name: 'talker', annotations },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] },
  })
  await cluster.settled()
  const said: Uint8Array[] = []
  for await (const bytes of cluster.client.logs({ namespace: 'default', name: 'talker' })) said.push(bytes)
  expect(Buffer.concat(said).toString()).toBe('hello\n')
  await cluster.close()
})
