import type { KubeObject, LabelSelectorObject } from '@tiphys/kube'
import type { PolicyRule } from './authorizer.ts'

/** Its members may do everything, whatever roles say. */
export const MASTERS = 'system:masters'

export interface Subject {
  kind: string
  name: string
  namespace?: string
}

export interface RoleRef {
  kind: string
  name: string
}

/** A RoleBinding or a ClusterRoleBinding. */
export interface Binding extends KubeObject {
  subjects?: Subject[] | null
  roleRef: RoleRef
}

/** A Role or a ClusterRole. */
export interface Role extends KubeObject {
  rules?: PolicyRule[] | null
  aggregationRule?: { clusterRoleSelectors?: LabelSelectorObject[] }
}
