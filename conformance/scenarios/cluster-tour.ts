import { clusterArea } from '../src/cluster/cluster-scenario.ts'

/** A walk through what people do first. */
export const clusterTour = clusterArea('cluster-tour')
const { scenario } = clusterTour

scenario('a Deployment gets its pods, and its deletion takes them along', async t => {
  await t.apply(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
      - { name: main, image: nginx }
`)
  await t.until('apps/v1 Deployment web', ({ status }) => status?.availableReplicas === 3)
  await t.record('apps/v1 Deployment web')
  await t.recordAll('apps/v1 ReplicaSet')
  await t.recordAll('v1 Pod')
  await t.delete('apps/v1 Deployment web')
  await t.untilAll('v1 Pod', pods => pods.length === 0)
  await t.recordAll('apps/v1 ReplicaSet')
})
