import { createApiServer } from '@tiphys/apiserver'
import { systemEnv, VirtualClock } from '@tiphys/env'
import { kindRef } from '@tiphys/kube'
import type { Pod, ServiceAccount } from '@tiphys/kube/kinds'
import { expect, it } from 'vitest'
import { createPodTokens } from './pod-tokens.ts'

it('a token is kept for most of its life, then renewed, and says whose it is', async () => {
  const env = { ...systemEnv, clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')) }
  const server = await createApiServer({ env, clusterDefaults: true })
  const client = server.client()
  const metadata = { namespace: 'default', name: 'robot' }
  await client.create<ServiceAccount>({ ...kindRef('v1', 'ServiceAccount'), metadata } as ServiceAccount)
  const pod = await client.create<Pod>({
    ...kindRef('v1', 'Pod'),
    metadata: { namespace: 'default', name: 'one' },
    spec: { serviceAccountName: 'robot', containers: [{ name: 'main', image: 'any' }] },
  } as Pod)
  const tokens = createPodTokens(client, env)
  const ask = () => tokens.token(pod, 'access', { path: 'token', expirationSeconds: 3600 })
  const first = await ask()
  const claims = JSON.parse(Buffer.from(first.split('.')[1] ?? '', 'base64url').toString())
  expect(claims.sub).toBe('system:serviceaccount:default:robot')
  expect(claims['kubernetes.io'].pod).toEqual({ name: 'one', uid: pod.metadata.uid })
  await env.clock.advance(47 * 60_000)
  expect(await ask()).toBe(first)
  await env.clock.advance(2 * 60_000)
  expect(await ask()).not.toBe(first)
  await server.close()
})
