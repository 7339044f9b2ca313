import type { Env } from '@tiphys/env'
import { type Client, kindRef } from '@tiphys/kube'
import type { Pod, ServiceAccountTokenProjection, TokenRequest } from '@tiphys/kube/kinds'

/** Tokens of ServiceAccounts that are bound to pods, renewed in time. */
export interface PodTokens {
  token(pod: Pod, volume: string, projection: ServiceAccountTokenProjection): Promise<string>
  forget(uid: string): void
}

const SERVICE_ACCOUNT = kindRef('v1', 'ServiceAccount')
const DAY_MS = 86_400_000

/** A token is renewed when this part of its life is over, and after a day at the latest. */
const RENEW_AFTER = 0.8

export function createPodTokens(client: Client, { clock }: Env): PodTokens {
  const known = new Map<string, Map<string, { token: string; renewAt: number }>>()
  return {
    async token(pod, volume, { path, audience, expirationSeconds = 3600 }) {
      const { uid = '', name = '', namespace = '' } = pod.metadata
      const ofPod = known.get(uid) ?? new Map<string, { token: string; renewAt: number }>()
      const key = `${volume}/${path}`
      const cached = ofPod.get(key)
      if (cached && clock.now() < cached.renewAt) return cached.token
      const ref = { ...SERVICE_ACCOUNT, namespace, name: pod.spec?.serviceAccountName ?? 'default' }
      const request = {
        ...kindRef('authentication.k8s.io/v1', 'TokenRequest'),
        metadata: {},
        spec: {
          audiences: audience ? [audience] : [],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      }
      const { status } = await client.subresource<TokenRequest>('create', ref, 'token', request)
      const token = status?.token ?? ''
      const livesMs = Math.max(0, Date.parse(status?.expirationTimestamp ?? '') - clock.now())
      known.set(uid, ofPod.set(key, { token, renewAt: clock.now() + Math.min(DAY_MS, livesMs * RENEW_AFTER) }))
      return token
    },
    forget: uid => void known.delete(uid),
  }
}
