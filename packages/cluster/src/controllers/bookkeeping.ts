import type { Controller, ControllerContext } from './controller.ts'
import { createDisruptionController } from './disruption/disruption-controller.ts'
import { createEventCleanupController } from './event-cleanup.ts'
import { createGarbageCollectorController } from './garbage-collector/garbage-collector.ts'
import { createNamespaceController } from './namespace-controller.ts'
import { createPodGcController } from './pod-gc.ts'
import { createResourceQuotaController } from './resource-quota.ts'
import { createRootCertificatePublisher } from './root-certificate-publisher.ts'
import { createServiceAccountTokensController } from './service-account-tokens.ts'
import { createServiceAccountsController } from './service-accounts.ts'
import { createTtlAfterFinishedController } from './ttl-after-finished.ts'

/** The controllers that keep a cluster tidy and count what is in it. */
export const bookkeepingControllers: readonly ((context: ControllerContext) => Controller)[] = [
  createGarbageCollectorController,
  createNamespaceController,
  createServiceAccountsController,
  createServiceAccountTokensController,
  createRootCertificatePublisher,
  createTtlAfterFinishedController,
  createEventCleanupController,
  createDisruptionController,
  createResourceQuotaController,
  createPodGcController,
]
