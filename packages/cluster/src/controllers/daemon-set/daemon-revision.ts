import type { ControllerRevision, DaemonSet, Pod } from '@tiphys/kube/kinds'
import { compareRevisions, isSameRevision, templatePatch } from '../history/controller-revision.ts'
import { controllerReference } from '../pods/pod-template.ts'
import { templateHash } from '../template-hash.ts'
import { HASH_LABEL, hashOf } from './daemon-pod.ts'

/** The revision of the set's present template, ready to be created. */
export function newDaemonRevision(set: DaemonSet, revision: number): ControllerRevision {
  const { metadata, spec, status } = set
  const hash = templateHash(spec?.template, status?.collisionCount)
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...spec?.template.metadata?.labels, [HASH_LABEL]: hash },
      ...(metadata.annotations && { annotations: { ...metadata.annotations } }),
      ownerReferences: [controllerReference(set)],
    },
    data: templatePatch(spec?.template),
    revision,
  }
}

/** The revision of the present template, with the number it should have; nothing when there is none yet. */
export function splitRevisions(set: DaemonSet, revisions: readonly ControllerRevision[]) {
  const wanted = newDaemonRevision(set, 0)
  const current = revisions.toSorted(compareRevisions).findLast(revision => isSameRevision(revision, wanted))
  const old = revisions.filter(revision => revision !== current).toSorted(compareRevisions)
  return { current, old, number: (old.at(-1)?.revision ?? 0) + 1 }
}

/** Old revisions that the history has no room for and no pod was made from. */
export function surplusOf(
  set: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): ControllerRevision[] {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL] ?? ''))
  const surplus = Math.max(0, old.length - (set.spec?.revisionHistoryLimit ?? 10))
  return old.filter(revision => !live.has(hashOf(revision))).slice(0, surplus)
}
