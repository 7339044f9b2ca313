import { TerminalFailure } from '@tiphys/env'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'

export interface Account {
  namespace: string
  name: string
}

/** The ServiceAccount that an EventSource or a Sensor acts as. */
export function accountOf({ metadata, spec }: KubeObject): Account {
  const template = (spec as { template?: { serviceAccountName?: unknown } } | undefined)?.template
  const name = template?.serviceAccountName
  return { namespace: metadata.namespace ?? '', name: typeof name === 'string' && name !== '' ? name : 'default' }
}

export const userOf = ({ namespace, name }: Account): string => `system:serviceaccount:${namespace}:${name}`

/** A client that acts as a ServiceAccount. Its groups are left to the server, which adds them: who may name groups could
 *  name an administrator's. */
export const actingAs = (client: Client, account: Account): Client => client.as({ user: userOf(account) })

export interface KeyRef {
  name?: string
  key: string
}

/** The values of Secrets and ConfigMaps that a manifest names. They are read with the rights of its ServiceAccount: what it
 *  may not read, its manifest does not get. */
export function keyReader(client: Client, namespace: string) {
  const read = async (kind: 'Secret' | 'ConfigMap', { name = '', key }: KeyRef): Promise<string> => {
    const object = await find(client, kind, namespace, name)
    const { data = {}, binaryData = {} } = object as {
      data?: Record<string, string>
      binaryData?: Record<string, string>
    }
    const [text, base64] = kind === 'Secret' ? [undefined, data[key]] : [data[key], binaryData[key]]
    if (text !== undefined) return text
    if (base64 !== undefined) return Buffer.from(base64, 'base64').toString()
    throw new TerminalFailure('events-key-missing', {
      what: `The ${kind} ${namespace}/${name} has no key ${key}`,
      todo: 'Add the key, or name another',
    })
  }
  return {
    // Editors end files with a line break that nobody means; upstream does the same.
    secret: async (ref: KeyRef) => (await read('Secret', ref)).replace(/\n$/, ''),
    configMap: (ref: KeyRef) => read('ConfigMap', ref),
  }
}

async function find(client: Client, kind: string, namespace: string, name: string): Promise<KubeObject> {
  try {
    return await client.get({ apiVersion: 'v1', kind, namespace, name })
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown
    throw new TerminalFailure('events-key-missing', {
      what: `There is no ${kind} ${namespace}/${name}`,
      todo: `Create it in the namespace ${namespace}`,
      cause: thrown,
    })
  }
}
