import { clusterBatch } from '../../scenarios/cluster-batch.ts'
import { clusterBookkeeping } from '../../scenarios/cluster-bookkeeping.ts'
import { clusterInfrastructure, clusterNodes, clusterScheduling } from '../../scenarios/cluster-infrastructure.ts'
import { clusterTour } from '../../scenarios/cluster-tour.ts'
import { clusterWorkloads } from '../../scenarios/cluster-workloads.ts'
import type { ClusterArea } from './cluster-scenario.ts'

/** Every area of a cluster's behaviour. */
export const clusterAreas: ClusterArea[] = [
  clusterTour,
  clusterWorkloads,
  clusterBatch,
  clusterScheduling,
  clusterInfrastructure,
  clusterNodes,
  clusterBookkeeping,
]
