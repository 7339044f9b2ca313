import type { KubeObject } from '@tiphys/kube'
import type { CustomResourceDefinition } from './crd.ts'

const WEBHOOK_PORT = 443

/** The real server's defaults for a CustomResourceDefinition, in place. */
export function setCrdDefaults(object: KubeObject): void {
  const crd = object as CustomResourceDefinition
  const { names } = crd.spec
  crd.spec.versions ??= []
  if ((names.singular ?? '') === '') names.singular = names.kind.toLowerCase()
  if ((names.listKind ?? '') === '' && names.kind !== '') names.listKind = `${names.kind}List`
  if (names.singular === '') delete names.singular
  crd.spec.conversion ??= { strategy: 'None' }
  const service = crd.spec.conversion.webhook?.clientConfig?.service
  if (service) service.port ??= WEBHOOK_PORT
  if ((crd.status?.storedVersions ?? []).length > 0) return
  const stored = crd.spec.versions.find(version => version.storage)
  if (stored) crd.status = { ...crd.status, storedVersions: [stored.name] }
}
