import { kindRef } from '@tiphys/kube'
import type { ServiceAccount } from '@tiphys/kube/kinds'
import { type Controller, type ControllerContext, createReconciler, wakeBy } from './controller.ts'
import { isActive, isCreationPointless } from './namespace/active.ts'

const DEFAULT = 'default'

/** Keeps a ServiceAccount named `default` in every namespace. */
export function createServiceAccountsController(context: ControllerContext): Controller {
  const { client } = context
  const namespaces = wakeBy(context, kindRef('v1', 'Namespace'), ({ type, object }) =>
    type !== 'deleted' && isActive(object) ? [object.metadata.name ?? ''] : [],
  )
  const accounts = wakeBy(context, kindRef('v1', 'ServiceAccount'), ({ type, object }) =>
    type === 'deleted' && object.metadata.name === DEFAULT ? [object.metadata.namespace ?? ''] : [],
  )
  return createReconciler(context, {
    name: 'serviceaccount-controller',
    wakes: [namespaces, accounts],
    async reconcile(namespace) {
      const found = namespaces.cache.get(namespace)
      if (!found || !isActive(found) || accounts.cache.get(DEFAULT, namespace)) return undefined
      try {
        const metadata = { name: DEFAULT, namespace }
        await client.create<ServiceAccount>({ apiVersion: 'v1', kind: 'ServiceAccount', metadata })
      } catch (thrown) {
        if (!isCreationPointless(thrown)) throw thrown
      }
      return undefined
    },
  })
}
