import type { ArtifactStore } from './artifact-store.ts'

/** What a namespace has of the engine's own store. Manifests name keys as they like, and all of them are below the namespace: no run reads
 *  or replaces what another namespace has. Keys that are below it already, as those that the engine makes, stay what they are. */
export function namespaceStore(store: ArtifactStore, namespace: string): ArtifactStore {
  const own = (key: string) => (key.startsWith(`${namespace}/`) ? key : `${namespace}/${key}`)
  return {
    put: (key, content) => store.put(own(key), content),
    get: key => store.get(own(key)),
    async list(prefix) {
      const below = own(prefix).length
      return (await store.list(own(prefix))).map(key => `${prefix}${key.slice(below)}`)
    },
    remove: key => store.remove(own(key)),
  }
}
