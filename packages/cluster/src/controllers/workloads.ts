import { createDaemonSetController } from './daemon-set/daemon-set.ts'
import { createDeploymentController } from './deployment/deployment.ts'
import { createReplicaSetController } from './replica-set/replica-set.ts'
import { createReplicationControllerController } from './replica-set/replication-controller.ts'
import { createStatefulSetController } from './stateful-set/stateful-set.ts'

/** The controllers that keep pods running. */
export const workloadControllers = [
  createReplicaSetController,
  createReplicationControllerController,
  createDeploymentController,
  createStatefulSetController,
  createDaemonSetController,
] as const
