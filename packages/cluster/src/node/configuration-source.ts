import { type Client, isNotFound, kindRef } from '@tiphys/kube'

/** A ConfigMap or Secret as the node uses it: bytes by key. */
export type Configuration = ReadonlyMap<string, Uint8Array>

export type ConfigurationKind = 'ConfigMap' | 'Secret'

/** Reads ConfigMaps and Secrets. */
export interface ConfigurationSource {
  /** Undefined when it does not exist. */
  read(kind: ConfigurationKind, namespace: string, name: string): Promise<Configuration | undefined>
}

export function createConfigurationSource(client: Client): ConfigurationSource {
  return {
    async read(kind, namespace, name) {
      try {
        if (kind === 'Secret') {
          const { data = {} } = await client.get({ ...kindRef('v1', 'Secret'), namespace, name })
          return new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')]))
        }
        const { data = {}, binaryData = {} } = await client.get({ ...kindRef('v1', 'ConfigMap'), namespace, name })
        return new Map<string, Uint8Array>([
          ...Object.entries(binaryData).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const),
          ...Object.entries(data).map(([key, value]) => [key, Buffer.from(value)] as const),
        ])
      } catch (thrown) {
        if (isNotFound(thrown)) return undefined
        throw thrown
      }
    },
  }
}

/** In the API server's words. */
export const notFoundMessage = (kind: ConfigurationKind, name: string) => `${kind.toLowerCase()} "${name}" not found`
