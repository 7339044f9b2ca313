import type { Caches } from './caches.ts'
import type { Client } from './client.ts'
import type { KubeObject, Status } from './object.ts'

/** The client, but what it writes is in the caches when a call returns: the next read from a cache sees it. A write on
 *  behalf of somebody else (`as`) is recorded too. What a write returns is shared with those who read, and frozen: copy it
 *  before changing it. */
export function writeThroughClient(client: Client, caches: Caches): Client {
  const recorded = async <T extends KubeObject>(answer: Promise<T>, options: { dryRun?: boolean } = {}): Promise<T> => {
    const object = await answer
    if (!options.dryRun) caches.recordWrite(object)
    return object
  }
  return {
    get: (ref, options) => client.get(ref, options),
    list: (selection, options) => client.list(selection, options),
    listAll: (selection, options) => client.listAll(selection, options),
    watch: (selection, options) => client.watch(selection, options),
    create: (object, options) => recorded(client.create(object, { ...options, readsOnly: true }), options),
    update: (object, options) => recorded(client.update(object, { ...options, readsOnly: true }), options),
    patch: (ref, patch, options) => recorded(client.patch(ref, patch, { ...options, readsOnly: true }), options),
    apply: (object, options) => recorded(client.apply(object, { ...options, readsOnly: true }), options),
    async delete(ref, options = {}) {
      const answer = await client.delete(ref, options)
      if (options.dryRun) return answer
      if (isStatus(answer)) caches.recordDeletion({ ...ref, ...uid(answer.details?.uid) })
      // It stays until its finalizers or its grace period have ended.
      else if (answer.metadata.deletionTimestamp !== undefined) caches.recordWrite(answer)
      else caches.recordDeletion({ ...ref, ...uid(answer.metadata.uid) })
      return answer
    },
    deleteCollection: (selection, options) => client.deleteCollection(selection, options),
    subresource: (verb, ref, subresource, body, options) => client.subresource(verb, ref, subresource, body, options),
    resources: () => client.resources(),
    resourceFor: kind => client.resourceFor(kind),
    serverVersion: () => client.serverVersion(),
    logs: (pod, options) => client.logs(pod, options),
    exec: (pod, options) => client.exec(pod, options),
    portForward: (pod, port, options) => client.portForward(pod, port, options),
    as: user => writeThroughClient(client.as(user), caches),
    close: () => client.close(),
  }
}

const isStatus = (answer: KubeObject | Status): answer is Status =>
  answer.apiVersion === 'v1' && answer.kind === 'Status'

const uid = (known: string | undefined) => (known === undefined ? {} : { uid: known })
