import { LAST_APPLIED, MASKED } from '@tiphys/journal/records'
import type { KubeObject } from '@tiphys/kube'

/** A Secret with the names of what it keeps and without the values: a page is shown to others, kept and copied. Whoever may read
 *  the Secret reads it with kubectl. Every other object is left as it is. */
export function withoutSecretValues(found: KubeObject): KubeObject {
  if (found.kind !== 'Secret' || found.apiVersion !== 'v1') return found
  const { data, stringData, metadata, ...rest } = found as KubeObject &
    Record<'data' | 'stringData', object | undefined>
  const { annotations } = metadata
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...(annotations?.[LAST_APPLIED] !== undefined && { annotations: { ...annotations, [LAST_APPLIED]: MASKED } }),
    },
    ...(data && { data: maskedValues(data) }),
    ...(stringData && { stringData: maskedValues(stringData) }),
  }
}

const maskedValues = (values: object) => Object.fromEntries(Object.keys(values).map(name => [name, MASKED]))
