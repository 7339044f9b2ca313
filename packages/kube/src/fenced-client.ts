import type { Client } from './client.ts'
import type { Leadership } from './leader-election.ts'

/** The client, but only while the term lasts: a write after its end throws `LeadershipLost` before it is sent, and one that
 *  is under way is given up. Reading goes on. */
export function fencedClient(client: Client, leadership: Leadership): Client {
  const guarded = <O extends { signal?: AbortSignal }>(options: O | undefined): O => {
    leadership.fence()
    const signals = [leadership.signal, ...(options?.signal ? [options.signal] : [])]
    return { ...(options as O), signal: AbortSignal.any(signals) }
  }
  return {
    get: (ref, options) => client.get(ref, options),
    list: (selection, options) => client.list(selection, options),
    listAll: (selection, options) => client.listAll(selection, options),
    watch: (selection, options) => client.watch(selection, options),
    create: async (object, options) => client.create(object, guarded(options)),
    update: async (object, options) => client.update(object, guarded(options)),
    patch: async (ref, patch, options) => client.patch(ref, patch, guarded(options)),
    apply: async (object, options) => client.apply(object, guarded(options)),
    delete: async (ref, options) => client.delete(ref, guarded(options)),
    deleteCollection: async (selection, options) => client.deleteCollection(selection, guarded(options)),
    subresource: async (verb, ref, subresource, body, options) =>
      client.subresource(verb, ref, subresource, body, verb === 'get' ? options : guarded(options)),
    resources: () => client.resources(),
    resourceFor: kind => client.resourceFor(kind),
    serverVersion: () => client.serverVersion(),
    logs: (pod, options) => client.logs(pod, options),
    exec: async (pod, options) => client.exec(pod, guarded(options)),
    portForward: async (pod, port, options) => client.portForward(pod, port, guarded(options)),
    as: user => fencedClient(client.as(user), leadership),
    close: () => client.close(),
  }
}
