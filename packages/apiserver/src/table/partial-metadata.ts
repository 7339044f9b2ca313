import type { KubeObject } from '@tiphys/kube'

export interface PartialObjectMetadata extends KubeObject {
  kind: 'PartialObjectMetadata'
  apiVersion: 'meta.k8s.io/v1'
}

export const partialMetadata = ({ metadata }: KubeObject): PartialObjectMetadata => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
})
