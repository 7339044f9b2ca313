import type { KubeObject } from '@tiphys/kube'
import { jsonCopy } from '../json-value.ts'

export const plainUnsupportedFieldText = (field: string): string => `field label not supported: ${field}`

// What is kept of an old object is shared with it: whoever changes it further makes it anew.

/** Status belongs to the status subresource: a client's main write neither sets nor changes it. */
export function dropStatus(object: KubeObject): void {
  delete object.status
}

export function keepOldStatus(object: KubeObject, old: KubeObject): void {
  if (old.status === undefined) delete object.status
  else object.status = old.status
}

/** What a part of an object brings along of metadata counts for nothing. */
export function keepOldMetadata({ metadata }: KubeObject, { metadata: old }: KubeObject): void {
  const kept = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const
  for (const field of kept) {
    if (old[field] === undefined) delete metadata[field]
    else Object.assign(metadata, { [field]: jsonCopy(old[field]) })
  }
}

/** For the status subresource: everything but status (and what the registry keeps of metadata) comes from `old`. */
export function keepOldSpec(object: KubeObject, old: KubeObject): void {
  if (old.spec === undefined) delete object.spec
  else object.spec = old.spec
}
