import type { KubeObject } from '@tiphys/kube'
import type { SentEvent } from '../request/api-response.ts'

/** One version of one object. Nobody changes it after it was made: readers, watchers and history share it. */
export interface Stored {
  /** `namespace/name`, or the name alone for what has no namespace. */
  readonly key: string
  readonly revision: number
  readonly object: KubeObject
  /** The object's JSON behind kind and apiVersion, written once and shared by every answer that carries it; forgotten with the
   *  next version. */
  tail?: string | undefined
}

/** A change that happened: `current` is missing in a deletion, `previous` in a creation. A deletion keeps the last state
 *  under the deletion's own revision in `last`. */
export interface Change {
  readonly revision: number
  readonly key: string
  readonly current: Stored | undefined
  readonly previous: Stored | undefined
  readonly last: Stored | undefined
  /** The watch events of this change by type and version, made once for all watchers. */
  events?: Map<string, SentEvent> | undefined
}
