import { afterAll, beforeAll, describe } from 'vitest'
import { clusterTour } from '../../scenarios/cluster-tour.ts'
import { clusterWorkloads } from '../../scenarios/cluster-workloads.ts'
import { whySkipped } from '../../tools.mjs'
import { AcceptedDifferences } from '../accepted.ts'
import { meetGolden } from '../golden-suite.ts'
import { clusterAreas } from './cluster-areas.ts'
import { playOnCluster } from './cluster-scenario.ts'
import { type RunningCluster, startTransplantedCluster } from './real-cluster.ts'

const isAbsent = whySkipped('kube-apiserver', 'etcd')
/** All of them in the full run; otherwise those that touch the most controllers. */
const areas = process.env.TIPHYS_FULL ? clusterAreas : [clusterTour, clusterWorkloads]

describe.skipIf(isAbsent)(`our controllers on kube-apiserver${isAbsent}`, () => {
  const accepted = new AcceptedDifferences()
  let cluster: RunningCluster

  beforeAll(async () => {
    cluster = await startTransplantedCluster()
  }, 90_000)
  afterAll(() => cluster?.stop())

  for (const area of areas) {
    describe(area.name, () =>
      meetGolden(area, (scenario, isKnown) => playOnCluster(scenario, cluster.client, isKnown), accepted),
    )
  }
})
