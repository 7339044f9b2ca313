import type { Client } from '@tiphys/kube'
import { isAlreadyExists, isNotFound } from '@tiphys/kube'
import type { Storage } from '../storage/storage.ts'

/** What every namespace of a cluster has before anybody can use it: the `default` ServiceAccount and the certificate
 *  to verify the API with. Follows namespaces for as long as the storage lives. */
export function keepNamespaceDefaults(
  storage: Storage,
  client: Client,
  caCertificate: () => string,
  onError: (error: Error) => void,
): void {
  const namespaces = storage.collection('/namespaces')
  const furnish = (namespace: string) => {
    createDefaults(client, namespace, caCertificate()).catch((thrown: unknown) => {
      // A namespace that is gone, or on its way out, needs nothing any more.
      if (!isNotFound(thrown) && !(thrown as Error).message.includes('being terminated')) onError(thrown as Error)
    })
  }
  for (const { key } of namespaces.values()) furnish(key)
  namespaces.onChange(({ key, current, previous }) => {
    if (current && !previous) furnish(key)
  })
}

async function createDefaults(client: Client, namespace: string, certificate: string): Promise<void> {
  const create = async (object: Parameters<Client['create']>[0]) => {
    try {
      await client.create(object)
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown
    }
  }
  await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } })
  await create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-root-ca.crt', namespace },
    data: { 'ca.crt': certificate },
  })
}
