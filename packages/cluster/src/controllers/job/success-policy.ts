import type { SuccessPolicy } from '@tiphys/kube/kinds'
import { IndexSet } from './index-set.ts'

/** Says which rule of the policy the succeeded indexes meet; nothing when they meet none. */
export function matchSuccess(
  policy: SuccessPolicy | undefined,
  succeeded: IndexSet,
  completions: number,
): string | undefined {
  if (succeeded.size === 0) return undefined
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount = Number.POSITIVE_INFINITY }) => {
    if (succeededIndexes === undefined) return succeeded.size >= succeededCount
    const required = IndexSet.parse(succeededIndexes, completions)
    const met = required.overlap(succeeded)
    return required.size > 0 && (met === required.size || met >= succeededCount)
  })
  return index < 0 ? undefined : `Matched rules at index ${index}`
}
