import type { KubeObject } from '@tiphys/kube'
import { internalError } from '../status-error.ts'
import type { ScaleMapping } from '../subresources/scale.ts'
import { type Scale, type ScalePaths, scaleOf, withReplicas } from './scale-mapping.ts'

/** The scale subresource of a custom resource, by the paths that its CRD names. */
export function customScale(paths: ScalePaths): ScaleMapping {
  const read = (object: KubeObject): { scale: Scale; hasReplicas: boolean } => {
    const found = scaleOf(object, paths)
    if ('error' in found) throw internalError(found.error)
    return found
  }
  return {
    replicas(object) {
      const { scale, hasReplicas } = read(object)
      if (!hasReplicas)
        throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`)
      return scale.spec.replicas ?? 0
    },
    setReplicas(object, replicas) {
      Object.assign(object, withReplicas(object, paths, replicas))
    },
    statusReplicas: object => read(object).scale.status.replicas,
    selector: object => read(object).scale.status.selector,
  }
}
