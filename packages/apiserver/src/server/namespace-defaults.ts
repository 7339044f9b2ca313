import type { Env } from '@tiphys/env'
import type { Storage } from '../storage/storage.ts'
import { storeSystemObject } from './bootstrap.ts'

/** As the controller that publishes the certificate in a real cluster describes it. */
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** What every namespace of a cluster has before anybody can use it: the `default` ServiceAccount and the certificate
 *  to verify the API with. They are there as soon as the namespace is. */
export function keepNamespaceDefaults(storage: Storage, env: Env, caCertificate: () => string): void {
  const namespaces = storage.collection('/namespaces')
  const furnish = (namespace: string) => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }
    storeSystemObject(storage, env, '/serviceaccounts', account)
    const data = { 'ca.crt': caCertificate() }
    const metadata = { name: 'kube-root-ca.crt', namespace, annotations: { 'kubernetes.io/description': DESCRIPTION } }
    const root = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
    storeSystemObject(storage, env, '/configmaps', root)
  }
  for (const { key } of namespaces.values()) furnish(key)
  namespaces.onChange(({ key, current, previous }) => {
    if (current && !previous) furnish(key)
  })
}
