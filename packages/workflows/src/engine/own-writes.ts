import type { Client, KubeObject } from '@tiphys/kube'

/** Knows what the engine has written itself. The stream of changes brings it back as news that is none: what follows from a
 *  write is done by who wrote it. */
export interface OwnWrites {
  /** Remembers the versions that its writes made. */
  readonly client: Client
  /** Whether this is, for the first time, the very version that a write made. */
  isEcho(object: KubeObject): boolean
}

/** A version that comes by the stream before the answer to its write is never asked for again. */
const MOST_REMEMBERED = 10_000

export function rememberWrites(client: Client): OwnWrites {
  const versions = new Set<string>()
  const remembered = async <T extends KubeObject>(answer: Promise<T>): Promise<T> => {
    const object = await answer
    versions.add(versionOf(object))
    if (versions.size > MOST_REMEMBERED) versions.delete(versions.values().next().value as string)
    return object
  }
  return {
    client: {
      ...client,
      create: (object, options) => remembered(client.create(object, options)),
      update: (object, options) => remembered(client.update(object, options)),
      patch: (ref, patch, options) => remembered(client.patch(ref, patch, options)),
    },
    isEcho: object => versions.delete(versionOf(object)),
  }
}

const versionOf = ({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): string => `${uid} ${resourceVersion}`
