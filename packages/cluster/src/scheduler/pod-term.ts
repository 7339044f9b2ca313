import { type LabelSelector, labelSelectorFrom } from '@tiphys/kube'
import type { LabelSelector as LabelSelectorObject, Pod, PodAffinityTerm } from '@tiphys/kube/kinds'

/** A set of pods that a scheduling rule speaks of. Sets with the same key are the same. */
export interface PodSet {
  readonly key: string
  includes(pod: Pod, namespaceLabels: NamespaceLabels): boolean
}

export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined

/** The pods of an affinity term, and what counts as one place for it. */
export interface PodTerm {
  readonly key: string
  readonly pods: PodSet
  readonly topologyKey: string
}

/** `owner` is the pod that has the term: without namespaces it speaks of the owner's own. */
export function podTerm(term: PodAffinityTerm, owner: Pod): PodTerm {
  const isOwnNamespace = (term.namespaces ?? []).length === 0 && term.namespaceSelector === undefined
  const namespaces = isOwnNamespace ? [owner.metadata.namespace ?? ''] : (term.namespaces ?? [])
  const key = JSON.stringify([namespaces, term.namespaceSelector, term.labelSelector])
  const labels = selectorOf(term.labelSelector)
  const byNamespace = term.namespaceSelector === undefined ? undefined : selectorOf(term.namespaceSelector)
  const isInNamespace = (namespace: string, namespaceLabels: NamespaceLabels) =>
    namespaces.includes(namespace) || (byNamespace?.matches(namespaceLabels(namespace)) ?? false)
  return {
    key: `${term.topologyKey} ${key}`,
    topologyKey: term.topologyKey,
    pods: {
      key,
      includes: ({ metadata }, namespaceLabels) =>
        labels.matches(metadata.labels) && isInNamespace(metadata.namespace ?? '', namespaceLabels),
    },
  }
}

/** The pods that a spread constraint counts: those of the pod's namespace that are not going away. */
export function spreadSet(selector: LabelSelectorObject | undefined, namespace: string): PodSet {
  const labels = selectorOf(selector)
  return {
    key: JSON.stringify(['spread', namespace, selector]),
    includes: ({ metadata }) =>
      metadata.namespace === namespace && metadata.deletionTimestamp === undefined && labels.matches(metadata.labels),
  }
}

const nothing = labelSelectorFrom(undefined)

/** A selector that the server let pass but that cannot be understood selects nothing. */
function selectorOf(selector: LabelSelectorObject | undefined): LabelSelector {
  try {
    return labelSelectorFrom(selector)
  } catch {
    return nothing
  }
}
