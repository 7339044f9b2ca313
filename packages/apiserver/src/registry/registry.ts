import type { Env } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import type { Authorizer } from '../authorization/authorizer.ts'
import type { Storage } from '../storage/storage.ts'
import type { Admission } from './admission.ts'
import type { Resources } from './resources.ts'

/** What handlers share: what is served, where it is stored, and who decides. */
export interface Registry {
  env: Env
  storage: Storage
  resources: Resources
  admission: Admission
  authorizer: Authorizer
}

/** The current state of an object of a built-in resource, straight from storage. Shared: nobody changes it. */
export function peek(registry: Registry, group: string, name: string, key: string): KubeObject | undefined {
  return registry.resources.findAnyVersion(group, name)?.collection.get(key)?.object
}
