import { kindRef } from '@tiphys/kube'
import type { ReplicationController } from '@tiphys/kube/kinds'
import type { Controller, ControllerContext } from '../controller.ts'
import { selectorOf } from '../pods/owned.ts'
import { createReplicaKeeper } from './replica-keeper.ts'

export function createReplicationControllerController(context: ControllerContext): Controller {
  return createReplicaKeeper(context, {
    kind: kindRef('v1', 'ReplicationController'),
    controller: 'replicationcontroller',
    component: 'replication-controller',
    selectorOf: selectorOfController,
    countsTerminating: false,
  })
}

const asSelector = new WeakMap<object, { matchLabels: Record<string, string> }>()

/** Its selector is a plain set of labels. */
function selectorOfController({ spec }: ReplicationController) {
  const labels = spec?.selector
  if (!labels || Object.keys(labels).length === 0) return selectorOf(undefined)
  const known = asSelector.get(labels) ?? { matchLabels: labels }
  asSelector.set(labels, known)
  return selectorOf(known)
}
