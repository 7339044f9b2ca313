import { isDeepStrictEqual } from 'node:util'
import type { Deployment, PodTemplateSpec, ReplicaSet } from '@tiphys/kube/kinds'
import { controllerReference } from '../pods/pod-template.ts'
import { templateHash } from '../template-hash.ts'
import { setAnnotations, withReplicaAnnotations } from './revision.ts'
import { desiredReplicas, isRolling, limitsOf, sizeOf, totalSize } from './size.ts'

export const HASH_LABEL = 'pod-template-hash'
const NAME_LENGTH = 253

/** The ReplicaSets of a Deployment: the one with its present template, if there is one yet, and those of former templates,
 *  the oldest first. */
export interface ReplicaSets {
  current: ReplicaSet | undefined
  old: readonly ReplicaSet[]
}

export function sortReplicaSets({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSets {
  const byAge = sets.toSorted(compareAge)
  const current = byAge.find(set => isSameTemplate(set.spec?.template, spec?.template))
  return { current, old: byAge.filter(set => set !== current) }
}

export const allOf = ({ current, old }: ReplicaSets): ReplicaSet[] => (current ? [...old, current] : [...old])

/** Older first. */
export const compareAge = (a: ReplicaSet, b: ReplicaSet): number =>
  compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compareText(a.metadata.name ?? '', b.metadata.name ?? '')

export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return isDeepStrictEqual(withoutHash(a), withoutHash(b))
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  const labels = template?.metadata?.labels
  if (labels?.[HASH_LABEL] === undefined) return template
  const { [HASH_LABEL]: _, ...others } = labels
  return { ...template, metadata: { ...template?.metadata, labels: others } }
}

/** The ReplicaSet of the Deployment's present template, ready to be created. */
export function newReplicaSet(deployment: Deployment, old: readonly ReplicaSet[], revision: number): ReplicaSet {
  const { metadata, spec, status } = deployment
  const { namespace, name = '' } = metadata
  const hash = templateHash(spec?.template, status?.collisionCount)
  const labels = { ...spec?.template.metadata?.labels, [HASH_LABEL]: hash }
  const selector = { ...spec?.selector, matchLabels: { ...spec?.selector.matchLabels, [HASH_LABEL]: hash } }
  const annotations = withReplicaAnnotations(setAnnotations(deployment, {}, revision), deployment)
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name.slice(0, NAME_LENGTH - 1 - hash.length)}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: sizeOfCurrent(deployment, { current: undefined, old }),
      ...(spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector,
      template: { ...spec?.template, metadata: { ...spec?.template.metadata, labels } },
    },
  }
}

/** How many replicas the present ReplicaSet may have at this point of the rollout. */
export function sizeOfCurrent(deployment: Deployment, sets: ReplicaSets): number {
  const desired = desiredReplicas(deployment)
  if (!isRolling(deployment)) return desired
  const size = sets.current ? sizeOf(sets.current) : 0
  const room = desired + limitsOf(deployment).surge - totalSize(allOf(sets))
  return room <= 0 ? size : size + Math.min(room, desired - size)
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
