import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '@tiphys/kube/kinds'
import { templateOf } from '../history/controller-revision.ts'
import { podFromTemplate } from '../pods/pod-template.ts'

export const REVISION_LABEL = 'controller-revision-hash'
const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index'

/** The set that a pod's name says it belongs to, and its place there. */
export function placeOf({ metadata }: Pod): { setName: string; ordinal: number } | undefined {
  const [, setName = '', digits = ''] = /^(.*)-([0-9]+)$/s.exec(metadata.name ?? '') ?? []
  const ordinal = digits === '' ? Number.NaN : Number(digits)
  return ordinal < 2 ** 31 ? { setName, ordinal } : undefined
}

export const ordinalOf = (pod: Pod): number => placeOf(pod)?.ordinal ?? -1
export const isMemberOf = ({ metadata }: StatefulSet, pod: Pod): boolean => placeOf(pod)?.setName === metadata.name
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[REVISION_LABEL] ?? ''

export const firstOrdinal = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0
export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1

export function isWithin(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + replicasOf(set)
}

/** The pod that belongs in a place of the set, as this revision has it. */
export function podAt(set: StatefulSet, revision: ControllerRevision, ordinal: number): Pod {
  const pod = podFromTemplate(templateOf(revision), set)
  const name = `${set.metadata.name}-${ordinal}`
  const serviceName = set.spec?.serviceName ?? ''
  return withStorage(set, {
    ...pod,
    metadata: {
      ...pod.metadata,
      name,
      labels: {
        ...pod.metadata.labels,
        [POD_NAME_LABEL]: name,
        [POD_INDEX_LABEL]: String(ordinal),
        [REVISION_LABEL]: revision.metadata.name ?? '',
      },
    },
    spec: { ...pod.spec, hostname: name, ...(serviceName === '' ? {} : { subdomain: serviceName }) },
  })
}

/** It is known by its name, and uses the claims of its place. */
export function isInOrder(set: StatefulSet, pod: Pod): boolean {
  const isNamed = pod.metadata.labels?.[POD_NAME_LABEL] === pod.metadata.name
  return isNamed && claimsOf(set, ordinalOf(pod)).every(({ volume, claim }) => usesClaim(pod, volume, claim))
}

/** The pod, brought in order. */
export function inOrder(set: StatefulSet, pod: Pod): Pod {
  const { name = '', labels } = pod.metadata
  const identity = { [POD_NAME_LABEL]: name, [POD_INDEX_LABEL]: String(ordinalOf(pod)) }
  return withStorage(set, { ...pod, metadata: { ...pod.metadata, labels: { ...labels, ...identity } } })
}

const usesClaim = ({ spec }: Pod, volume: string, { metadata }: PersistentVolumeClaim) =>
  spec?.volumes?.some(
    ({ name, persistentVolumeClaim }) => name === volume && persistentVolumeClaim?.claimName === metadata.name,
  ) ?? false

function withStorage(set: StatefulSet, pod: Pod): Pod {
  const claims = claimsOf(set, ordinalOf(pod))
  if (claims.length === 0 || !pod.spec) return pod
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !claims.some(({ volume }) => volume === name))
  const own = claims.map(({ volume, claim }) => ({
    name: volume,
    persistentVolumeClaim: { claimName: claim.metadata.name ?? '' },
  }))
  return { ...pod, spec: { ...pod.spec, volumes: [...own, ...others] } }
}

/** A claim of a place in a set, and the volume it is in the pod. */
export interface PlaceClaim {
  volume: string
  claim: PersistentVolumeClaim
}

/** The claims of a place, ready to be created. */
export function claimsOf({ metadata, spec }: StatefulSet, ordinal: number): PlaceClaim[] {
  return (spec?.volumeClaimTemplates ?? []).map(template => {
    const volume = template.metadata.name ?? ''
    return {
      volume,
      claim: {
        ...template,
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          ...template.metadata,
          name: `${volume}-${metadata.name}-${ordinal}`,
          ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
          labels: { ...template.metadata.labels, ...spec?.selector.matchLabels },
        },
      },
    }
  })
}
