import type { Caller } from '@tiphys/console'
import { type Client, type Connection, createClient, createHttpTransport, fixedCredential } from '@tiphys/kube'

const MOST = 50

/** The cluster of a connection for whoever has a token of it: with that token, and nothing of ours. Whom a trusted proxy names has
 *  none: they are impersonated, which `own` must be allowed to do. */
export function clientsByToken({ transport, namespace }: Connection, own: Client): (caller: Caller) => Client {
  const clients = new Map<string, Client>()
  return ({ token, user, groups }) => {
    if (token === undefined) return own.as({ user, groups })
    const known = clients.get(token)
    if (known) return known
    const client = createClient(
      createHttpTransport({ ...transport, credentials: fixedCredential({ authorization: `Bearer ${token}` }) }),
      {
        namespace,
      },
    )
    const [oldest] = clients.keys()
    if (clients.size >= MOST && oldest !== undefined) {
      void clients.get(oldest)?.close()
      clients.delete(oldest)
    }
    clients.set(token, client)
    return client
  }
}
