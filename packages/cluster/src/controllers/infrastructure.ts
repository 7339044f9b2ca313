import { join } from 'node:path'
import type { Controller, ControllerContext } from './controller.ts'
import { createEndpointSliceController } from './endpoint-slice/endpoint-slice-controller.ts'
import { createEndpointsController } from './endpoint-slice/endpoints-controller.ts'
import { createSliceMirroringController } from './endpoint-slice/slice-mirroring.ts'
import { createNodeIpamController } from './node-ipam.ts'
import { createNodeLifecycleController } from './node-lifecycle.ts'
import { createEphemeralVolumeController } from './persistent-volumes/ephemeral-volumes.ts'
import { createLocalProvisioner } from './persistent-volumes/local-provisioner.ts'
import { createPersistentVolumeController } from './persistent-volumes/persistent-volume-controller.ts'
import {
  createClaimProtectionController,
  createVolumeProtectionController,
} from './persistent-volumes/storage-protection.ts'
import { createTaintEvictionController } from './taint-eviction.ts'

/** What pods need around them: nodes, services and volumes. Volumes are folders below `directory`; where that is
 *  empty there are none, for pods that are simulated. */
export const infrastructureControllers = (
  directory: string,
): readonly ((context: ControllerContext) => Controller)[] => [
  createEndpointSliceController,
  createEndpointsController,
  createSliceMirroringController,
  createPersistentVolumeController,
  context => createLocalProvisioner(context, directory === '' ? {} : { directory: join(directory, 'volumes') }),
  createClaimProtectionController,
  createVolumeProtectionController,
  createEphemeralVolumeController,
  createNodeLifecycleController,
  createTaintEvictionController,
  createNodeIpamController,
]
