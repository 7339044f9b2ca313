import { type Env, uuid } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { readData } from '../data.ts'
import { keyOf } from '../registry/resource.ts'
import { timestamp } from '../registry/timestamp.ts'
import type { Storage } from '../storage/storage.ts'

type Templates = [collection: string, objects: KubeObject[]][]

let templates: Templates | undefined

/** Makes what every new cluster has: namespaces, roles and bindings, priority classes, the API's own Service. They are
 *  written as the real server stores them, without deciding anything again; what is already there stays. */
export function bootstrap(storage: Storage, env: Env): void {
  templates ??= Object.entries(JSON.parse(readData('bootstrap.json')) as Record<string, KubeObject[]>)
  const now = timestamp(env.clock.now())
  for (const [name, objects] of templates) {
    const collection = storage.collection(name)
    for (const template of objects) {
      const { metadata } = template
      const key = keyOf(metadata.namespace, metadata.name as string)
      if (collection.get(key)) continue
      storage.write(collection, key, undefined, {
        ...template,
        metadata: {
          ...metadata,
          uid: uuid(env.random),
          resourceVersion: String(storage.nextRevision),
          creationTimestamp: now,
          managedFields: (metadata.managedFields ?? []).map(entry => ({ ...entry, time: now })),
        },
      })
    }
  }
}
