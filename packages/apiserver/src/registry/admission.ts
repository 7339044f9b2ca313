import type { KubeObject } from '@tiphys/kube'
import type { User } from '../request/api-request.ts'
import type { Resource } from './resource.ts'

export interface AdmissionRequest {
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  resource: Resource
  subresource: string
  namespace: string
  name: string
  user: User
  dryRun: boolean
  /** The object as it would be written; mutating plugins change it in place. Undefined for DELETE. */
  object: KubeObject | undefined
  old: KubeObject | undefined
  warnings: string[]
}

/** The place between decoding and storing where the cluster has a say: built-in plugins, and later policies and webhooks.
 *  A refusal is thrown as a StatusError. */
export interface Admission {
  /** May change the object. Asynchronous only when something outside has to be asked. */
  mutate(request: AdmissionRequest): Promise<void> | void
  /** Sees the object as it will be stored. */
  validate(request: AdmissionRequest): Promise<void> | void
}

/** What a refusal calls the object: a name that is still to be drawn is known by what it begins with. */
export function admittedName({ name, object }: AdmissionRequest): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown'
}
