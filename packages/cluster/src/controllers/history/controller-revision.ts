import type { KubeObject } from '@tiphys/kube'
import type { ControllerRevision, PodTemplateSpec } from '@tiphys/kube/kinds'
import { controllerReference } from '../pods/pod-template.ts'
import { canonicalJson, fnv32, safeEncode } from '../template-hash.ts'

const HASH_LABEL = 'controller.kubernetes.io/hash'
const PREFIX_LENGTH = 223

/** What a revision keeps: a patch that gives a set back its template. */
export const templatePatch = (template: PodTemplateSpec | undefined): Record<string, unknown> => ({
  spec: { template: { ...template, $patch: 'replace' } },
})

/** The template that a revision keeps. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { spec } = data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } }
  const { $patch: _, ...template } = spec?.template ?? {}
  return template
}

export const isSameRevision = (a: ControllerRevision, b: ControllerRevision): boolean =>
  canonicalJson(a.data) === canonicalJson(b.data)

/** Older first. */
export const compareRevisions = (a: ControllerRevision, b: ControllerRevision): number =>
  a.revision - b.revision ||
  compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compareText(a.metadata.name ?? '', b.metadata.name ?? '')

/** A short name for the content of a revision. */
export function revisionHash(data: unknown, collisionCount: number): string {
  return safeEncode(String(fnv32(new TextEncoder().encode(escapeAsGo(canonicalJson(data)) + collisionCount))))
}

export const revisionName = (ownerName: string, hash: string): string => `${ownerName.slice(0, PREFIX_LENGTH)}-${hash}`

export interface NewRevision {
  owner: KubeObject
  template: PodTemplateSpec | undefined
  revision: number
  collisionCount: number
}

/** The revision of an owner's template, ready to be created. */
export function newRevision({ owner, template, revision, collisionCount }: NewRevision): ControllerRevision {
  const { namespace, name = '', annotations } = owner.metadata
  const data = templatePatch(template)
  const hash = revisionHash(data, collisionCount)
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(name, hash),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template?.metadata?.labels, [HASH_LABEL]: hash },
      ...(annotations && { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision,
  }
}

/** How the revision of the present template comes to be the latest one. */
export type RevisionStep =
  | { type: 'keep'; revision: ControllerRevision } // it is
  | { type: 'raise'; revision: ControllerRevision; to: number } // it was before: the set is rolled back to it
  | { type: 'create'; revision: ControllerRevision } // there is none

/** `revisions` in order. */
export function planRevision(
  owner: KubeObject,
  template: PodTemplateSpec | undefined,
  revisions: readonly ControllerRevision[],
  collisionCount: number,
): RevisionStep {
  const latest = revisions.at(-1)
  const candidate = newRevision({ owner, template, revision: (latest?.revision ?? 0) + 1, collisionCount })
  const equal = revisions.findLast(revision => isSameRevision(revision, candidate))
  if (!equal || !latest) return { type: 'create', revision: candidate }
  if (isSameRevision(equal, latest)) return { type: 'keep', revision: latest }
  return { type: 'raise', revision: equal, to: candidate.revision }
}

/** Revisions that the history has no room for, the oldest first. Those that are in use do not count. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  limit: number,
): ControllerRevision[] {
  const history = revisions.filter(revision => !isLive(revision))
  return history.slice(0, Math.max(0, history.length - limit))
}

/** As Go's JSON encoder writes what HTML would misread, so that hashes are those of Kubernetes. */
const escapeAsGo = (json: string) =>
  json.replace(/[<>&\u2028\u2029]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
