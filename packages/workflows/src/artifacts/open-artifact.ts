import { Readable } from 'node:stream'
import { TerminalFailure } from '@tiphys/env'
import { storedFolder } from './artifact-source.ts'
import type { ArtifactStore, StoredArtifact } from './artifact-store.ts'
import { namespaceStore } from './namespace-store.ts'
import { safeKey } from './safe-path.ts'
import { type ArchiveEntry, writeTar } from './tar.ts'

/** An artifact as a file: what is kept under its key, byte for byte; of a folder a tar archive. */
export interface ArtifactFile {
  /** The last part of its key. */
  name: string
  content: StoredArtifact
}

/** Opens what a namespace has under a key. Rejects with `artifact-missing` when nothing is, and with `artifact-refused` when the key leads out of the
 *  store. */
export async function openArtifact(all: ArtifactStore, namespace: string, key: string): Promise<ArtifactFile> {
  const store = namespaceStore(all, namespace)
  const place = safeKey(key)
  const name = place.split('/').at(-1) ?? place
  try {
    return { name, content: await store.get(place) }
  } catch (thrown) {
    const isMissing = thrown instanceof TerminalFailure && thrown.code === 'artifact-missing'
    if (!isMissing || (await store.list(place)).length === 0) throw thrown
    return { name: `${name}.tar`, content: Readable.from(writeTar(below(name, storedFolder(store, place)))) }
  }
}

async function* below(folder: string, entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<ArchiveEntry> {
  for await (const entry of entries) yield { ...entry, path: entry.path === '' ? folder : `${folder}/${entry.path}` }
}
