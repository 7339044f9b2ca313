import { createApiServer } from '@tiphys/apiserver'
import { identities } from './identities.ts'
import type { RunningServer } from './real-server.ts'

/** Starts the embedded server with the identities that the real one knows. */
export async function startEmbeddedServer(): Promise<RunningServer> {
  const server = await createApiServer({ tokens: identities })
  const listening = await server.listen({ host: '127.0.0.1', port: 0 })
  const { hostname, port } = new URL(listening.url)
  return {
    host: hostname,
    port: Number(port),
    caCertificate: listening.caCertificate,
    compact: async () => server.storage.compact(server.storage.revision),
    stop: () => server.close(),
  }
}
