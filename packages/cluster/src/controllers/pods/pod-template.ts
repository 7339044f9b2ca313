import type { KubeObject, ObjectMeta, OwnerReference } from '@tiphys/kube'
import type { Pod, PodTemplateSpec } from '@tiphys/kube/kinds'

/** A pod made from a template. `generateName` may be replaced by a `name` before it is created. */
export type TemplatedPod = Pod & { metadata: ObjectMeta; spec: NonNullable<Pod['spec']> }

/** The reference that makes `owner` the controller of an object. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name = '', uid = '' } = metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** The reference to the object's controller. */
export const controllerOf = ({ metadata }: Pick<KubeObject, 'metadata'>): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

export const isControlledBy = (object: Pick<KubeObject, 'metadata'>, { metadata }: KubeObject): boolean =>
  controllerOf(object)?.uid === metadata.uid

/** The pod that `template` describes, controlled by `owner`, in its namespace. The result is the caller's to change. */
export function podFromTemplate(template: PodTemplateSpec | undefined, owner: KubeObject): TemplatedPod {
  const { labels, annotations, finalizers } = template?.metadata ?? {}
  const { namespace, name = '' } = owner.metadata
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(namespace === undefined ? {} : { namespace }),
      generateName: `${name}-`,
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(template?.spec ?? { containers: [] }),
  }
}
