import { type Env, uuid } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { readData } from '../data.ts'
import { keyOf } from '../registry/resource.ts'
import { timestamp } from '../registry/timestamp.ts'
import type { Storage } from '../storage/storage.ts'

type Templates = [collection: string, objects: KubeObject[]][]

let templates: Templates | undefined

/** Makes what every new cluster has: namespaces, roles and bindings, priority classes, the API's own Service. What is
 *  already there stays. */
export function bootstrap(storage: Storage, env: Env): void {
  templates ??= Object.entries(JSON.parse(readData('bootstrap.json')) as Record<string, KubeObject[]>)
  for (const [collection, objects] of templates) {
    for (const object of objects) storeSystemObject(storage, env, collection, object)
  }
}

/** Writes an object of the server's own as it is stored, without deciding anything again. What is already there stays. */
export function storeSystemObject(storage: Storage, env: Env, collectionName: string, object: KubeObject): void {
  const collection = storage.collection(collectionName)
  const { metadata } = object
  const key = keyOf(metadata.namespace, metadata.name as string)
  if (collection.get(key)) return
  const now = timestamp(env.clock.now())
  const managedFields = (metadata.managedFields ?? []).map(entry => ({ ...entry, time: now }))
  storage.write(collection, key, undefined, {
    ...object,
    metadata: {
      ...metadata,
      uid: uuid(env.random),
      resourceVersion: String(storage.nextRevision),
      creationTimestamp: now,
      ...(managedFields.length === 0 ? {} : { managedFields }),
    },
  })
}

interface ServiceSpec {
  ports: { targetPort: number }[]
}

/** The API's own Service leads to the port that it is reached on. */
export function publishPort(storage: Storage, port: number): void {
  const services = storage.collection('/services')
  const stored = services.get('default/kubernetes')
  if (!stored) return
  const { object } = stored
  const spec = object.spec as ServiceSpec
  if (spec.ports[0]?.targetPort === port) return
  storage.write(services, stored.key, stored, {
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(storage.nextRevision) },
    spec: { ...spec, ports: spec.ports.map((entry, i) => (i === 0 ? { ...entry, targetPort: port } : entry)) },
  })
}
