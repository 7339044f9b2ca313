import type { KubeObject } from '@tiphys/kube'

export interface Condition {
  type: string
  status: string
  reason?: string
  message?: string
}

export function conditionsOf(object: KubeObject): readonly Condition[] {
  const { conditions } = (object.status ?? {}) as { conditions?: unknown }
  return Array.isArray(conditions) ? (conditions as Condition[]) : []
}
