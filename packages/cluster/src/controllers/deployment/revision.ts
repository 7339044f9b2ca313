import type { KubeObject } from '@tiphys/kube'
import type { Deployment, ReplicaSet } from '@tiphys/kube/kinds'
import { desiredReplicas, limitsOf } from './size.ts'

export const REVISION = 'deployment.kubernetes.io/revision'
const HISTORY = 'deployment.kubernetes.io/revision-history'
const DESIRED = 'deployment.kubernetes.io/desired-replicas'
const MAXIMUM = 'deployment.kubernetes.io/max-replicas'
const HISTORY_LENGTH = 2000

/** Annotations of a Deployment that are its own affair; all others are copied to its present ReplicaSet. */
const NOT_COPIED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  HISTORY,
  DESIRED,
  MAXIMUM,
  'deprecated.deployment.rollback.to',
])

type Annotations = Readonly<Record<string, string>>

/** The number of the rollout that an object belongs to; nothing when it is not a number. */
export function revisionOf({ metadata }: Pick<KubeObject, 'metadata'>): number | undefined {
  const text = metadata.annotations?.[REVISION]
  if (text === undefined) return 0
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined
}

export const nextRevision = (old: readonly ReplicaSet[]): number =>
  Math.max(0, ...old.map(set => revisionOf(set) ?? 0)) + 1

/** The annotations that the Deployment's present ReplicaSet should have: the Deployment's own, and its revision. A set that
 *  gets a later revision than it had is rolled back to; the revisions it had are kept. */
export function setAnnotations(deployment: Deployment, present: Annotations, revision: number): Annotations {
  const annotations: Record<string, string> = { ...present }
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!NOT_COPIED.has(key)) annotations[key] = value
  }
  const known = revisionOf({ metadata: { annotations: present } })
  if (known === undefined || known >= revision) return annotations
  annotations[REVISION] = String(revision)
  const former = present[REVISION]
  if (former !== undefined) {
    const history = withFormer(present[HISTORY] ?? '', former)
    if (history !== undefined) annotations[HISTORY] = history
  }
  return annotations
}

/** The history with one revision more, without the oldest where it would become too long. */
function withFormer(history: string, former: string): string | undefined {
  if (history === '' || history.startsWith(',')) return former
  const revisions = [...history.split(','), former]
  while (revisions.length > 1 && revisions.join(',').length > HISTORY_LENGTH) revisions.shift()
  const text = revisions.join(',')
  return text.length > HISTORY_LENGTH ? undefined : text
}

/** The annotations with the Deployment's size, by which a later scaling finds what the sizes of its sets were parts of. */
export function withReplicaAnnotations(annotations: Annotations, deployment: Deployment): Record<string, string> {
  const desired = desiredReplicas(deployment)
  return { ...annotations, [DESIRED]: String(desired), [MAXIMUM]: String(desired + limitsOf(deployment).surge) }
}

/** How many replicas the Deployment wanted, or could have at most, when this set was last resized. */
export const desiredThen = (set: ReplicaSet): number | undefined => countOf(set, DESIRED)
export const maximumThen = (set: ReplicaSet): number | undefined => countOf(set, MAXIMUM)

function countOf({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation] ?? ''
  const count = /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  return count < 2 ** 31 ? count : undefined
}
