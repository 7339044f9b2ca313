import type { Client, KubeObject } from '@tiphys/kube'
import { kindRef } from '@tiphys/kube'

export interface KubeletUser {
  name: string
  uid?: string
  groups: readonly string[]
}

/** Who may use a node's endpoints. */
export interface KubeletAccess {
  /** The user of a bearer token; undefined for a token that is nobody's. */
  authenticate(token: string): Promise<KubeletUser | undefined>
  /** Whether the user may do it to one of the node's subresources at least. */
  isAllowed(user: KubeletUser, verb: string, subresources: readonly string[]): Promise<boolean>
}

interface TokenReview extends KubeObject {
  spec: { token: string }
  status?: { authenticated?: boolean; user?: { username?: string; uid?: string; groups?: string[] } }
}

interface SubjectAccessReview extends KubeObject {
  spec: Record<string, unknown>
  status?: { allowed: boolean }
}

const TOKEN_REVIEW = kindRef<TokenReview>('authentication.k8s.io/v1', 'TokenReview')
const ACCESS_REVIEW = kindRef<SubjectAccessReview>('authorization.k8s.io/v1', 'SubjectAccessReview')

/** Asks the API server, as every kubelet does. */
export function reviewedAccess(client: Client, nodeName: string): KubeletAccess {
  return {
    async authenticate(token) {
      const review: TokenReview = { ...TOKEN_REVIEW, metadata: {}, spec: { token } }
      const { status } = await client.create(review)
      const { username, uid, groups = [] } = status?.user ?? {}
      if (!status?.authenticated || username === undefined) return undefined
      return { name: username, ...(uid === undefined ? {} : { uid }), groups }
    },
    async isAllowed(user, verb, subresources) {
      // What they ask is answered for this group alone, everywhere and always.
      if (user.groups.includes('system:masters')) return true
      for (const subresource of subresources) {
        const spec = {
          user: user.name,
          groups: [...user.groups],
          ...(user.uid === undefined ? {} : { uid: user.uid }),
          resourceAttributes: { verb, version: 'v1', resource: 'nodes', subresource, name: nodeName },
        }
        const review = { ...ACCESS_REVIEW, metadata: {}, spec } as SubjectAccessReview
        if ((await client.create(review)).status?.allowed) return true
      }
      return false
    },
  }
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** What of the node a request needs the right to: any one of the subresources. */
export function neededRight(method: string, path: string): { verb: string; subresources: readonly string[] } {
  const [, root = ''] = path.split('/')
  return { verb: VERBS[method] ?? '', subresources: SUBRESOURCES[root] ?? ['proxy'] }
}

const SUBRESOURCES: Readonly<Record<string, readonly string[]>> = {
  pods: ['pods', 'proxy'],
  runningpods: ['pods', 'proxy'],
  healthz: ['healthz', 'proxy'],
  configz: ['configz', 'proxy'],
  stats: ['stats'],
  metrics: ['metrics'],
  logs: ['log'],
}
