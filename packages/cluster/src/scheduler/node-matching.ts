import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Taint,
  Toleration,
} from '@tiphys/kube/kinds'

/** Whether a taint with this effect keeps a pod that is not there yet away. */
export const keepsAway = ({ effect }: Taint) => effect === 'NoSchedule' || effect === 'NoExecute'

export function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  switch (operator || 'Equal') {
    case 'Exists':
      return true
    case 'Equal':
      return key !== '' && value === (taint.value ?? '')
    default: {
      const [bound, actual] = [integer(value), integer(taint.value ?? '')]
      if (bound === undefined || actual === undefined) return false
      return operator === 'Gt' ? actual > bound : operator === 'Lt' ? actual < bound : false
    }
  }
}

export const isTolerated = (taint: Taint, tolerations: readonly Toleration[] | undefined) =>
  (tolerations ?? []).some(toleration => tolerates(toleration, taint))

/** Whether the node is one that the pod's `nodeSelector` and required node affinity ask for. */
export function isWanted({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) {
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false
  }
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || matchesNodeSelector(required, node)
}

/** One term is enough; a term without conditions is none. */
export const matchesNodeSelector = ({ nodeSelectorTerms }: NodeSelector, node: Node): boolean =>
  (nodeSelectorTerms ?? []).some(term => matchesTerm(term, node))

export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  return (
    matchExpressions.every(requirement => matchesRequirement(requirement, node.metadata.labels ?? {})) &&
    matchFields.every(requirement => matchesRequirement(requirement, { 'metadata.name': node.metadata.name ?? '' }))
  )
}

function matchesRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
    case 'Lt': {
      const [actual, bound] = [integer(value ?? ''), integer(values[0] ?? '')]
      if (actual === undefined || bound === undefined) return false
      return operator === 'Gt' ? actual > bound : actual < bound
    }
    default:
      return false
  }
}

const integer = (text: string) => (/^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined)

/** The nodes that required node affinity names one by one (as DaemonSets do); undefined when it does not name them. */
export function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  if (terms.length === 0) return undefined
  const named = new Set<string>()
  for (const { matchFields = [] } of terms) {
    const sets = matchFields.flatMap(({ key, operator, values = [] }) =>
      key === 'metadata.name' && operator === 'In' ? [values] : [],
    )
    if (sets.length === 0) return undefined
    const [first = [], ...others] = sets
    for (const name of first) if (others.every(values => values.includes(name))) named.add(name)
  }
  return named
}
