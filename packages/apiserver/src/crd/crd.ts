import type { KubeObject } from '@tiphys/kube'
import type { CrdSchema } from '../schema/structural.ts'
import type { ScalePaths } from './scale-mapping.ts'

/** apiextensions.k8s.io/v1 CustomResourceDefinition, as far as the server acts on it. */
export interface CustomResourceDefinition extends KubeObject {
  spec: CrdSpec
  status?: CrdStatus
}

export interface CrdSpec {
  group: string
  names: CrdNames
  scope: string
  versions: CrdVersion[]
  conversion?: CrdConversion
  preserveUnknownFields?: boolean
}

export interface CrdNames {
  plural: string
  singular?: string
  shortNames?: string[]
  kind: string
  listKind?: string
  categories?: string[]
}

export interface CrdVersion {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  deprecationWarning?: string
  schema?: { openAPIV3Schema?: CrdSchema }
  subresources?: CrdSubresources
  additionalPrinterColumns?: CrdPrinterColumn[]
  selectableFields?: { jsonPath: string }[]
}

export interface CrdSubresources {
  status?: Record<string, never>
  scale?: ScalePaths
}

export interface CrdPrinterColumn {
  name: string
  type: string
  format?: string
  description?: string
  priority?: number
  jsonPath: string
}

export interface CrdConversion {
  strategy: string
  webhook?: {
    clientConfig?: {
      url?: string
      service?: { name: string; namespace: string; path?: string; port?: number }
      caBundle?: string
    }
    conversionReviewVersions?: string[]
  }
}

export interface CrdStatus {
  conditions?: CrdCondition[] | null
  acceptedNames?: CrdNames
  storedVersions?: string[]
}

export interface CrdCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastTransitionTime?: string | null
  reason?: string
  message?: string
  observedGeneration?: number
}

export const findCondition = (crd: CustomResourceDefinition, type: string): CrdCondition | undefined =>
  crd.status?.conditions?.find(condition => condition.type === type)

export const isConditionTrue = (crd: CustomResourceDefinition, type: string): boolean =>
  findCondition(crd, type)?.status === 'True'

export const isEstablished = (crd: CustomResourceDefinition): boolean => isConditionTrue(crd, 'Established')

export const storageVersion = (crd: CustomResourceDefinition): CrdVersion | undefined =>
  crd.spec.versions.find(version => version.storage)
