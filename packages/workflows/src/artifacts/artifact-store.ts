import type { Readable } from 'node:stream'

/** What is kept under a key. Whoever does not read to its end destroys it. */
export interface StoredArtifact extends Readable {
  /** How long it is, where the store says so beforehand. */
  readonly bytes?: number
}

/** Where files live that steps hand on. Keys look like paths: parts between slashes, none of them empty, `.` or `..`. */
export interface ArtifactStore {
  /** Replaces what is there under the key. It is there in full or not at all. */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<{ bytes: number }>
  /** Rejects with `artifact-missing` when there is nothing under the key. */
  get(key: string): Promise<StoredArtifact>
  /** The keys that begin with `prefix/`, in order. */
  list(prefix: string): Promise<string[]>
  /** Forgets the key and everything that begins with `key/`. */
  remove(key: string): Promise<void>
}
