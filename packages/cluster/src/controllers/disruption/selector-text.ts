import type { LabelSelectorObject } from '@tiphys/kube'

/** A selector as Kubernetes' messages print it. */
export function formatSelector(selector: LabelSelectorObject | undefined): string {
  if (!selector) return 'nil'
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],}`,
  )
  const list = expressions.map(expression => `${expression},`).join('')
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${list}},}`
}
