import { ensureObject, type Fields, listAt, objectAt, optionalObjectAt, textsAt } from '../fields.ts'

/** `matchLabelKeys` and `mismatchLabelKeys` of pod affinity become ordinary selector requirements with the pod's values. */
export function mergeMatchLabelKeys(spec: Fields, labels: Record<string, string>): void {
  for (const term of podAffinityTerms(spec)) {
    const selector = optionalObjectAt(term, 'labelSelector')
    if (selector === undefined) continue
    const added = [
      ...requirements(term, 'matchLabelKeys', 'In', labels),
      ...requirements(term, 'mismatchLabelKeys', 'NotIn', labels),
    ]
    if (added.length === 0) continue
    const expressions = listAt(selector, 'matchExpressions')
    ensureObject(term, 'labelSelector').matchExpressions = [...expressions, ...added]
  }
}

function requirements(term: Fields, name: string, operator: string, labels: Record<string, string>): Fields[] {
  return textsAt(term, name)
    .filter(key => labels[key] !== undefined)
    .map(key => ({ key, operator, values: [labels[key]] }))
}

export function podAffinityTerms(spec: Fields): Fields[] {
  const affinity = objectAt(spec, 'affinity')
  return ['podAffinity', 'podAntiAffinity'].flatMap(name => {
    const terms = objectAt(affinity, name)
    return [
      ...listAt(terms, 'preferredDuringSchedulingIgnoredDuringExecution').map(each =>
        objectAt(each, 'podAffinityTerm'),
      ),
      ...listAt(terms, 'requiredDuringSchedulingIgnoredDuringExecution'),
    ]
  })
}
