import type { KubeObject } from '@tiphys/kube'

export interface ColumnDefinition {
  name: string
  type: string
  format: string
  description: string
  priority: number
}

/** How `kubectl get` shows a kind. */
export interface TableColumns {
  definitions: readonly ColumnDefinition[]
  /** One cell per definition; `now` is in milliseconds since the epoch. */
  cells(object: KubeObject, now: number): unknown[]
}
