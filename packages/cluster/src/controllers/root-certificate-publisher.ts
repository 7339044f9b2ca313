import { isDeepStrictEqual } from 'node:util'
import { kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import { type Controller, type ControllerContext, createReconciler, wakeBy } from './controller.ts'
import { isActive, isCreationPointless } from './namespace/active.ts'
import { ROOT_CERTIFICATE, rootCertificateIn, rootCertificates } from './root-certificate.ts'

const DESCRIPTION_KEY = 'kubernetes.io/description'
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

export interface RootCertificateOptions {
  /** The certificate, in PEM; by default what the cluster has in `kube-system`. */
  rootCertificate?: string
}

/** Keeps the certificate to verify the API with in every namespace, as it is. */
export function createRootCertificatePublisher(
  context: ControllerContext,
  options: RootCertificateOptions = {},
): Controller {
  const { client } = context
  const namespaces = wakeBy(context, kindRef('v1', 'Namespace'), ({ type, object }) =>
    type !== 'deleted' && isActive(object) ? [object.metadata.name ?? ''] : [],
  )
  const copies = wakeBy(context, rootCertificates, ({ type, object }) =>
    type === 'added' ? [] : [object.metadata.namespace ?? ''],
  )
  const rootCertificate = rootCertificateIn(copies.cache, options.rootCertificate)

  return createReconciler(context, {
    name: 'root-ca-certificate-publisher-controller',
    wakes: [namespaces, copies],
    async reconcile(namespace) {
      const certificate = rootCertificate()
      const found = namespaces.cache.get(namespace)
      if (certificate === undefined || !found || !isActive(found)) return undefined
      const copy = copies.cache.get(ROOT_CERTIFICATE, namespace)
      const data = { 'ca.crt': certificate }
      const isDescribed = (copy?.metadata.annotations?.[DESCRIPTION_KEY] ?? '') !== ''
      if (copy && isDescribed && isDeepStrictEqual(copy.data, data)) return undefined
      const annotations = { ...copy?.metadata.annotations, [DESCRIPTION_KEY]: DESCRIPTION }
      if (copy) await client.update({ ...copy, metadata: { ...copy.metadata, annotations }, data })
      else await publish({ name: ROOT_CERTIFICATE, namespace, annotations }, data)
      return undefined
    },
  })

  async function publish(metadata: ConfigMap['metadata'], data: Record<string, string>): Promise<void> {
    try {
      await client.create<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
    } catch (thrown) {
      if (!isCreationPointless(thrown)) throw thrown
    }
  }
}
