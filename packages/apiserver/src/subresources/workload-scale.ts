import { formatLabelSelector, type KubeObject, type LabelSelectorObject, labelSelectorFrom } from '@tiphys/kube'
import type { ScaleMapping } from './scale.ts'

interface Workload extends KubeObject {
  spec?: { replicas?: number; selector?: LabelSelectorObject & Record<string, unknown> }
  status?: { replicas?: number }
}

const of = (object: KubeObject): Workload => object

/** Deployments, ReplicaSets and StatefulSets; a ReplicationController's selector is a plain map of labels. */
export const workloadScale = (selectorIsMap: boolean): ScaleMapping => ({
  replicas: object => of(object).spec?.replicas,
  setReplicas(object, replicas) {
    const workload = of(object)
    workload.spec ??= {}
    workload.spec.replicas = replicas
  },
  statusReplicas: object => of(object).status?.replicas ?? 0,
  selector(object) {
    const selector = of(object).spec?.selector
    if (!selector) return undefined
    return formatLabelSelector(
      labelSelectorFrom(selectorIsMap ? { matchLabels: selector as Record<string, string> } : selector),
    )
  },
})
