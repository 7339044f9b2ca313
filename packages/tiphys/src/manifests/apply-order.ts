import { type KubeObject, parseApiVersion } from '@tiphys/kube'
import type { Manifest } from './manifest.ts'

/** What is applied together, and what must be true before the next. */
export interface Stage {
  manifests: readonly Manifest[]
  /** `established`: the definitions can be used. `active`: sources and sensors listen, so that no later object is missed. */
  wait?: 'established' | 'active'
}

/** Groups and kinds, in the order in which the one needs the other. */
const ORDER: readonly { kinds: readonly string[]; wait?: Stage['wait'] }[] = [
  { kinds: ['apiextensions.k8s.io/CustomResourceDefinition'], wait: 'established' },
  { kinds: ['/Namespace'] },
  {
    kinds: [
      '/ServiceAccount',
      'rbac.authorization.k8s.io/ClusterRole',
      'rbac.authorization.k8s.io/Role',
      'rbac.authorization.k8s.io/ClusterRoleBinding',
      'rbac.authorization.k8s.io/RoleBinding',
    ],
  },
  {
    kinds: [
      '/ConfigMap',
      '/Secret',
      '/ResourceQuota',
      '/LimitRange',
      'scheduling.k8s.io/PriorityClass',
      'storage.k8s.io/StorageClass',
    ],
  },
  { kinds: ['argoproj.io/EventBus'] },
  { kinds: ['argoproj.io/ClusterWorkflowTemplate', 'argoproj.io/WorkflowTemplate'] },
  { kinds: ['argoproj.io/Sensor'] },
  { kinds: ['argoproj.io/EventSource'] },
]

/** The manifests in stages. Within a stage the order of a kind's name in the list counts, then the order they came in. */
export function stagesOf(manifests: readonly Manifest[]): Stage[] {
  const rest = manifests.filter(({ object }) => !ORDER.some(({ kinds }) => kinds.includes(groupKind(object))))
  const stages = ORDER.map(({ kinds, wait }): Stage => {
    const own = kinds.flatMap(kind => manifests.filter(({ object }) => groupKind(object) === kind))
    return { manifests: own, ...(wait && { wait }) }
  })
  const last = stages.length - 1
  const listens = stages.slice(last - 1).some(stage => stage.manifests.length > 0)
  const staged = stages.map((stage, index): Stage => (index === last && listens ? { ...stage, wait: 'active' } : stage))
  return [...staged, { manifests: rest }].filter(stage => stage.manifests.length > 0 || stage.wait === 'active')
}

/** `apps/Deployment`; `/Namespace` for the core group. */
export const groupKind = ({ apiVersion, kind }: KubeObject): string => `${parseApiVersion(apiVersion).group}/${kind}`
