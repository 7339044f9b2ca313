import { kindRef, type Selection, type SharedCache } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'

/** The ConfigMap in every namespace that holds the certificate to verify the API with. */
export const ROOT_CERTIFICATE = 'kube-root-ca.crt'

export const rootCertificates: Selection<ConfigMap> = {
  ...kindRef('v1', 'ConfigMap'),
  fieldSelector: `metadata.name=${ROOT_CERTIFICATE}`,
}

/** Whose copy is believed where nobody says what the certificate is. */
const TRUSTED_NAMESPACE = 'kube-system'

/** The certificate, or how to find it: as the cluster had it in `kube-system` when it was first seen. */
export function rootCertificateIn(cache: SharedCache<ConfigMap>, given: string | undefined): () => string | undefined {
  let known = given
  return () => {
    known ??= cache.get(ROOT_CERTIFICATE, TRUSTED_NAMESPACE)?.data?.['ca.crt']
    return known
  }
}
