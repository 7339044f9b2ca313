import type { NamespaceCondition } from '@tiphys/kube/kinds'
import type { Remainder } from './content.ts'

/** What a round of deletion met. */
export interface DeletionFindings {
  /** The kinds could not all be read. */
  discoveryError?: string
  remainders: readonly Remainder[]
  /** Only pods were looked at: nothing is said of the rest yet. */
  isPartial: boolean
}

interface Verdict {
  status: 'True' | 'False'
  reason: string
  message: string
}

const TYPES = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
] as const

type ConditionType = (typeof TYPES)[number]

const WELL: Readonly<Record<ConditionType, Verdict>> = {
  NamespaceDeletionDiscoveryFailure: well('ResourcesDiscovered', 'All resources successfully discovered'),
  NamespaceDeletionGroupVersionParsingFailure: well('ParsedGroupVersions', 'All legacy kube types successfully parsed'),
  NamespaceDeletionContentFailure: well(
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ),
  NamespaceContentRemaining: well('ContentRemoved', 'All content successfully removed'),
  NamespaceFinalizersRemaining: well('ContentHasNoFinalizers', 'All content-preserving finalizers finished'),
}

/** The conditions of a namespace on its way out. A condition keeps its place, and its time as long as its status stays. */
export function namespaceConditions(
  before: readonly NamespaceCondition[],
  findings: DeletionFindings,
  now: string,
): NamespaceCondition[] {
  const verdicts = { ...WELL, ...troubles(findings) }
  const conditions = [...before]
  for (const type of TYPES) {
    const verdict = verdicts[type]
    const index = conditions.findIndex(condition => condition.type === type)
    const old = conditions[index]
    const isTransition = old?.status !== verdict.status
    const condition = {
      type,
      ...verdict,
      lastTransitionTime: (isTransition ? undefined : old.lastTransitionTime) ?? now,
    }
    if (old) conditions[index] = condition
    else conditions.push(condition)
  }
  return conditions
}

function troubles({
  discoveryError,
  remainders,
  isPartial,
}: DeletionFindings): Partial<Record<ConditionType, Verdict>> {
  const errors = remainders.flatMap(({ error }) => (error ? [error.message] : [])).sort()
  const remaining = remainders.filter(({ count }) => count > 0)
  const finalizers = new Map<string, number>()
  for (const remainder of remaining) {
    for (const [name, count] of remainder.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count)
  }
  return {
    ...(discoveryError !== undefined && {
      NamespaceDeletionDiscoveryFailure: trouble('DiscoveryFailed', discoveryError),
    }),
    ...(errors.length > 0 && {
      NamespaceDeletionContentFailure: trouble(
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${errors.length} remaining: ${errors.join(', ')}`,
      ),
    }),
    ...(remaining.length > 0 &&
      !isPartial && {
        NamespaceContentRemaining: trouble(
          'SomeResourcesRemain',
          `Some resources are remaining: ${remaining.map(formatRemainder).sort().join(', ')}`,
        ),
      }),
    ...(finalizers.size > 0 &&
      !isPartial && {
        NamespaceFinalizersRemaining: trouble(
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${[...finalizers]
            .map(([name, count]) => `${name} in ${count} resource instances`)
            .sort()
            .join(', ')}`,
        ),
      }),
  }
}

const formatRemainder = ({ resource: { resource, group }, count }: Remainder) =>
  `${resource}.${group} has ${count} resource instances`

function well(reason: string, message: string): Verdict {
  return { status: 'False', reason, message }
}

function trouble(reason: string, message: string): Verdict {
  return { status: 'True', reason, message }
}
