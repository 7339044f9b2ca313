import { kindRef } from '@tiphys/kube'
import type { Controller, ControllerContext } from '../controller.ts'
import { selectorOf } from '../pods/owned.ts'
import { createReplicaKeeper } from './replica-keeper.ts'

export function createReplicaSetController(context: ControllerContext): Controller {
  return createReplicaKeeper(context, {
    kind: kindRef('apps/v1', 'ReplicaSet'),
    controller: 'replicaset',
    component: 'replicaset-controller',
    selectorOf: ({ spec }) => selectorOf(spec?.selector),
    countsTerminating: true,
  })
}
