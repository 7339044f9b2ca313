import { afterAll, beforeAll, describe } from 'vitest'
import { whySkipped } from '../../tools.mjs'
import { holdGolden } from '../golden-suite.ts'
import { clusterAreas } from './cluster-areas.ts'
import { playOnCluster } from './cluster-scenario.ts'
import { type RunningCluster, startRealCluster } from './real-cluster.ts'

const isAbsent = whySkipped('kube-apiserver', 'etcd', 'kube-controller-manager', 'kube-scheduler')

describe.skipIf(isAbsent)(`kube-controller-manager${isAbsent}`, () => {
  let cluster: RunningCluster

  beforeAll(async () => {
    cluster = await startRealCluster()
  }, 90_000)
  afterAll(() => cluster?.stop())

  for (const area of clusterAreas) {
    describe(area.name, () => holdGolden(area, (scenario, isKnown) => playOnCluster(scenario, cluster.client, isKnown)))
  }
})
