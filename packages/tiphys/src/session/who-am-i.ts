import type { Client, KubeObject } from '@tiphys/kube'

/** Who the server takes the client for. */
export async function whoAmI(client: Client): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} }
  try {
    const { status } = (await client.create<KubeObject>(review)) as { status?: { userInfo?: { username?: string } } }
    return status?.userInfo?.username ?? 'unknown'
  } catch {
    return 'unknown' // Servers before 1.28 do not tell.
  }
}
