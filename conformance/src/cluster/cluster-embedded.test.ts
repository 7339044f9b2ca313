import { afterAll, beforeAll, describe } from 'vitest'
import { AcceptedDifferences } from '../accepted.ts'
import { meetGolden, requireDifferences } from '../golden-suite.ts'
import { clusterAreas } from './cluster-areas.ts'
import { playOnCluster } from './cluster-scenario.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import type { RunningCluster } from './real-cluster.ts'

const accepted = new AcceptedDifferences()
let cluster: RunningCluster

beforeAll(async () => {
  cluster = await startEmbeddedCluster()
})
afterAll(() => cluster?.stop())

for (const area of clusterAreas) {
  describe(`embedded cluster: ${area.name}`, () =>
    meetGolden(area, (scenario, isKnown) => playOnCluster(scenario, cluster.client, isKnown), accepted))
}
requireDifferences(accepted)
