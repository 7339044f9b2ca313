import { clusterArea } from '../src/cluster/cluster-scenario.ts'
import type { ClusterSession } from '../src/cluster/cluster-session.ts'

/** ReplicaSets, Deployments, StatefulSets and DaemonSets, as kube-controller-manager leaves them. */
export const clusterWorkloads = clusterArea('cluster-workloads')
const { scenario } = clusterWorkloads

interface Made {
  spec?: string
  image?: string
  /** What the pods pretend. */
  simulate?: string
  /** One more of its pods' labels. */
  label?: string
  pod?: string
  annotations?: string
}

/** A set of pods with the label app=web, in flow style: `spec` and `pod` are more fields. */
const workload = (apiVersion: string, kind: string, { spec = '', annotations = '{}', ...pod }: Made = {}) => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: web, annotations: ${annotations} }
spec: { ${spec && `${spec}, `}selector: { matchLabels: { app: web } }, template: ${template(pod)} }
`

const template = ({ image = 'nginx:1', simulate, pod = '', label }: Made) => {
  const annotations = simulate === undefined ? '' : `, annotations: { tiphys.dev/simulate: '${simulate}' }`
  const labels = label === undefined ? 'app: web' : `app: web, ${label}`
  return `{ metadata: { labels: { ${labels} }${annotations} }, spec: { ${pod && `${pod}, `}containers: [{ name: main, image: ${image} }] } }`
}

const replicaSet = (made?: Made) => workload('apps/v1', 'ReplicaSet', made)
const deployment = (made?: Made) => workload('apps/v1', 'Deployment', made)
const statefulSet = (made: Made = {}) =>
  workload('apps/v1', 'StatefulSet', {
    ...made,
    spec: `${made.spec === undefined ? '' : `${made.spec}, `}serviceName: web`,
  })
const daemonSet = (made?: Made) => workload('apps/v1', 'DaemonSet', made)

const REPLICA_SET = 'apps/v1 ReplicaSet web'
const DEPLOYMENT = 'apps/v1 Deployment web'
const STATEFUL_SET = 'apps/v1 StatefulSet web'
const DAEMON_SET = 'apps/v1 DaemonSet web'
const REVISIONS = 'apps/v1 ControllerRevision'
const BROKEN = '{ imageFailure: no such image }'

const setImage = (t: ClusterSession, words: string, image: string, simulate?: string) =>
  t.merge(words, {
    spec: {
      template: {
        ...(simulate === undefined ? {} : { metadata: { annotations: { 'tiphys.dev/simulate': simulate } } }),
        spec: { containers: [{ name: 'main', image }] },
      },
    },
  })

const isReplicaSetReady =
  (replicas: number) =>
  ({ status, metadata }: { status?: Record<string, number>; metadata: { generation: number } }) =>
    (status?.['readyReplicas'] ?? 0) === replicas &&
    status?.['replicas'] === replicas &&
    status['observedGeneration'] === metadata.generation

/** All replicas are of the present template and available. */
const untilRolledOut = (t: ClusterSession, replicas: number) =>
  t.until(
    DEPLOYMENT,
    ({ status, metadata }) =>
      status?.observedGeneration === metadata.generation &&
      (status.updatedReplicas ?? 0) === replicas &&
      (status.replicas ?? 0) === replicas &&
      (status.availableReplicas ?? 0) === replicas &&
      (status.terminatingReplicas ?? 0) === 0,
  )

const untilStatefulSet = (t: ClusterSession, replicas: number) =>
  t.until(
    STATEFUL_SET,
    ({ status, metadata }) =>
      status?.observedGeneration === metadata.generation &&
      status.replicas === replicas &&
      status.availableReplicas === replicas &&
      status.currentRevision === status.updateRevision,
  )

const untilDaemonSet = (t: ClusterSession, nodes: number) =>
  t.until(
    DAEMON_SET,
    ({ status, metadata }) =>
      status?.observedGeneration === metadata.generation &&
      status.desiredNumberScheduled === nodes &&
      (status.updatedNumberScheduled ?? 0) === nodes &&
      (status.numberAvailable ?? 0) === nodes,
  )

const sizesByRevision = async (t: ClusterSession) => {
  const sets = await t.list('apps/v1 ReplicaSet')
  return sets
    .map(({ metadata, spec }) => [Number(metadata.annotations['deployment.kubernetes.io/revision']), spec.replicas])
    .sort(([a], [b]) => a - b)
}

/** What became of the ReplicaSets of a Deployment. Not in how many steps: that depends on which pod was ready first. */
const recordSets = (t: ClusterSession) =>
  t.recordOf('ReplicaSets by revision', 'apps/v1 ReplicaSet', sets => {
    const byRevision = sets.map(({ metadata, spec, status: { observedGeneration, ...status } }) => ({
      annotations: metadata.annotations,
      isObserved: observedGeneration === metadata.generation,
      image: spec.template.spec.containers[0].image,
      replicas: spec.replicas,
      status,
    }))
    const revisionOf = ({ annotations }: { annotations: Record<string, string> }) =>
      Number(annotations['deployment.kubernetes.io/revision'])
    return byRevision.sort((a, b) => revisionOf(a) - revisionOf(b))
  })

const recordSizes = (t: ClusterSession) => t.recordValue('sizes of ReplicaSets by revision', () => sizesByRevision(t))

const untilSizes = (t: ClusterSession, ...sizes: number[]) =>
  t.untilAll('apps/v1 ReplicaSet', sets => {
    const bySize = sets.map(({ spec }) => spec.replicas).sort((a, b) => a - b)
    return JSON.stringify(bySize) === JSON.stringify(sizes.toSorted((a, b) => a - b))
  })

const recordImages = (t: ClusterSession) =>
  t.recordOf('images of pods', 'v1 Pod', pods =>
    pods.map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0].image}`).sort(),
  )

/** Events about the set, with the names of pods that were drawn left out, and each once: Go's recorder may drop one of several. */
const recordTold = (t: ClusterSession, kind: string) =>
  t.recordOf(`Events of ${kind}`, 'v1 Event', events => {
    const told = events.filter(({ involvedObject }) => involvedObject.kind === kind)
    const lines = told.map(({ type, reason, message, source }) => {
      const text = message.replaceAll(t.namespace, 'NS').replace(/\bweb-[a-z0-9]{5}\b/, 'web-<drawn>')
      return `${source.component}: ${type} ${reason} ${text}`
    })
    return [...new Set(lines)].sort()
  })

/** A pod made in the same second as another is neither older nor newer. */
const untilNextSecond = (t: ClusterSession) =>
  t.untilAll('v1 Pod', pods => pods.every(({ metadata }) => Date.now() - Date.parse(metadata.creationTimestamp) > 1000))

const recordClaims = (t: ClusterSession) =>
  t.recordOf('claims', 'v1 PersistentVolumeClaim', claims =>
    claims.map(({ metadata }) => ({
      name: metadata.name,
      labels: metadata.labels,
      owners: (metadata.ownerReferences ?? []).map(
        ({ kind, name, controller, blockOwnerDeletion }: Record<string, string>) =>
          `${kind} ${name} ${controller} ${blockOwnerDeletion}`,
      ),
    })),
  )

scenario('a ReplicaSet creates its pods and tells of each', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 3', annotations: '{ team: blue }' }))
  await t.until(REPLICA_SET, isReplicaSetReady(3))
  await t.record(REPLICA_SET)
  await t.recordAll('v1 Pod')
  await recordTold(t, 'ReplicaSet')
})

scenario('a ReplicaSet replaces a pod that was deleted', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 2' }))
  await t.until(REPLICA_SET, isReplicaSetReady(2))
  const [pod] = await t.list('v1 Pod')
  await t.delete(`v1 Pod ${pod.metadata.name}`)
  await t.untilAll(
    'v1 Pod',
    pods => pods.length === 2 && pods.every(({ metadata }) => metadata.uid !== pod.metadata.uid),
  )
  await t.until(REPLICA_SET, isReplicaSetReady(2))
  await t.record(REPLICA_SET)
})

scenario('a ReplicaSet adopts pods that match its selector', async t => {
  await t.apply(`
apiVersion: v1
kind: Pod
metadata: { name: orphan, labels: { app: web, extra: label } }
spec: { containers: [{ name: main, image: nginx }] }
`)
  await t.until('v1 Pod orphan', ({ status }) => status.phase === 'Running')
  await t.apply(replicaSet({ spec: 'replicas: 2' }))
  await t.until(REPLICA_SET, isReplicaSetReady(2))
  await t.record(REPLICA_SET)
  const { metadata } = await t.get('v1 Pod orphan')
  t.note(
    'owners of the adopted pod',
    metadata.ownerReferences.map(({ kind, name, controller }: Record<string, string>) => ({ kind, name, controller })),
  )
})

scenario('a ReplicaSet lets a pod go whose labels no longer match', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 2' }))
  await t.until(REPLICA_SET, isReplicaSetReady(2))
  const [pod] = await t.list('v1 Pod')
  await t.merge(`v1 Pod ${pod.metadata.name}`, { metadata: { labels: { app: 'debug' } } })
  await t.untilAll('v1 Pod', pods => pods.length === 3)
  await t.until(REPLICA_SET, isReplicaSetReady(2))
  await t.record(REPLICA_SET)
  const { metadata } = await t.get(`v1 Pod ${pod.metadata.name}`)
  t.note('the released pod', { labels: metadata.labels, owners: metadata.ownerReferences ?? null })
})

scenario('a ReplicaSet scaled down to nothing', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 3' }))
  await t.until(REPLICA_SET, isReplicaSetReady(3))
  await t.scale(REPLICA_SET, 0)
  await t.untilAll('v1 Pod', pods => pods.length === 0)
  await t.until(REPLICA_SET, ({ status }) => status.replicas === 0 && status.terminatingReplicas === 0)
  await t.record(REPLICA_SET)
  await recordTold(t, 'ReplicaSet')
})

scenario('a ReplicaSet deletes a pod that is not ready before one that is', async t => {
  await t.apply(`
apiVersion: v1
kind: Pod
metadata:
  name: broken
  labels: { app: web }
  annotations: { tiphys.dev/simulate: '${BROKEN}' }
spec: { containers: [{ name: main, image: nginx }] }
`)
  await t.apply(replicaSet({ spec: 'replicas: 3' }))
  await t.until(REPLICA_SET, ({ status }) => status?.readyReplicas === 2 && status.replicas === 3)
  await t.scale(REPLICA_SET, 2)
  await t.untilGone('v1 Pod broken')
  await t.until(REPLICA_SET, isReplicaSetReady(2))
  await t.record(REPLICA_SET)
})

scenario('a ReplicaSet deletes the pods that cost least', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 3', label: 'priced: not-yet' }))
  await t.until(REPLICA_SET, isReplicaSetReady(3))
  const pods = await t.list('v1 Pod')
  for (const [index, { metadata }] of pods.entries()) {
    const annotations = { 'controller.kubernetes.io/pod-deletion-cost': String(index * 10) }
    await t.merge(`v1 Pod ${metadata.name}`, { metadata: { annotations, labels: { priced: null } } })
  }
  // The controller follows pods and sets by different watches: its count of labels tells that it has seen every cost.
  await t.until(REPLICA_SET, ({ status }) => (status.fullyLabeledReplicas ?? 0) === 0)
  await t.scale(REPLICA_SET, 1)
  const [left] = await t.untilAll('v1 Pod', left => left.length === 1)
  t.note('the cost of the pod that is left', left.metadata.annotations['controller.kubernetes.io/pod-deletion-cost'])
})

scenario('a ReplicaSet counts pods as available after minReadySeconds', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 2, minReadySeconds: 2' }))
  await t.until(REPLICA_SET, ({ status }) => status?.availableReplicas === 2)
  await t.record(REPLICA_SET)
})

scenario('a ReplicaSet that may not create pods says why', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 2', pod: 'serviceAccountName: nobody' }))
  await t.until(REPLICA_SET, ({ status }) => status?.conditions?.length === 1)
  await t.record(REPLICA_SET)
  await t.apply('{ apiVersion: v1, kind: ServiceAccount, metadata: { name: nobody } }')
  await t.until(REPLICA_SET, isReplicaSetReady(2))
  await t.record(REPLICA_SET)
})

scenario('a ReplicaSet counts pods that are on their way out', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 3', simulate: '{ stopAfter: 10s }' }))
  await t.until(REPLICA_SET, isReplicaSetReady(3))
  await t.scale(REPLICA_SET, 1)
  await t.until(REPLICA_SET, ({ status }) => status.terminatingReplicas === 2)
  await t.record(REPLICA_SET)
})

scenario('a ReplicaSet whose template changes keeps the pods it has', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 1' }))
  await t.until(REPLICA_SET, isReplicaSetReady(1))
  await setImage(t, REPLICA_SET, 'nginx:2')
  await t.scale(REPLICA_SET, 2)
  await t.until(REPLICA_SET, isReplicaSetReady(2))
  await t.recordOf('images', 'v1 Pod', pods => pods.map(({ spec }): string => spec.containers[0].image).sort())
})

scenario('a ReplicaSet replaces a pod that failed', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 1' }))
  await t.until(REPLICA_SET, isReplicaSetReady(1))
  const [pod] = await t.list('v1 Pod')
  await t.merge(`v1 Pod ${pod.metadata.name}`, { spec: { activeDeadlineSeconds: 1 } })
  await t.untilAll('v1 Pod', pods => pods.length === 2 && pods.some(({ status }) => status.phase === 'Failed'))
  await t.until(REPLICA_SET, isReplicaSetReady(1))
  await t.record(REPLICA_SET)
})

scenario('a ReplicationController takes its selector from its template', async t => {
  await t.apply(`
apiVersion: v1
kind: ReplicationController
metadata: { name: web }
spec: { replicas: 2, template: ${template({})} }
`)
  await t.until('v1 ReplicationController web', isReplicaSetReady(2))
  await t.record('v1 ReplicationController web')
  await recordTold(t, 'ReplicationController')
})

scenario('a ReplicationController is scaled', async t => {
  await t.apply(`
apiVersion: v1
kind: ReplicationController
metadata: { name: web }
spec: { replicas: 1, template: ${template({})} }
`)
  await t.until('v1 ReplicationController web', isReplicaSetReady(1))
  await t.scale('v1 ReplicationController web', 3)
  await t.until('v1 ReplicationController web', isReplicaSetReady(3))
  await t.record('v1 ReplicationController web')
})

scenario('a Deployment makes a ReplicaSet and becomes available', async t => {
  await t.apply(deployment({ spec: 'replicas: 3', annotations: '{ team: blue }' }))
  await untilRolledOut(t, 3)
  await t.record(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
  await t.recordEvents('Deployment', 'web')
})

scenario('a Deployment without replicas is complete at once', async t => {
  await t.apply(deployment({ spec: 'replicas: 0' }))
  await untilRolledOut(t, 0)
  await t.record(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
  await t.recordEvents('Deployment', 'web')
})

scenario('a Deployment rolls out a new template', async t => {
  await t.apply(deployment({ spec: 'replicas: 4' }))
  await untilRolledOut(t, 4)
  await setImage(t, DEPLOYMENT, 'nginx:2')
  await untilRolledOut(t, 4)
  await t.record(DEPLOYMENT)
  await recordSets(t)
})

scenario('a Deployment of one replica starts the new pod first', async t => {
  await t.apply(deployment({ spec: 'replicas: 1' }))
  await untilRolledOut(t, 1)
  await setImage(t, DEPLOYMENT, 'nginx:2')
  await untilRolledOut(t, 1)
  await t.record(DEPLOYMENT)
  await t.recordEvents('Deployment', 'web')
})

scenario('a Deployment goes back to its former template', async t => {
  await t.apply(deployment({ spec: 'replicas: 2' }))
  await untilRolledOut(t, 2)
  await setImage(t, DEPLOYMENT, 'nginx:2')
  await untilRolledOut(t, 2)
  await setImage(t, DEPLOYMENT, 'nginx:1')
  await untilRolledOut(t, 2)
  await t.record(DEPLOYMENT)
  await recordSets(t)
})

scenario('a Deployment keeps as many revisions as its limit says', async t => {
  await t.apply(deployment({ spec: 'replicas: 1, revisionHistoryLimit: 1' }))
  await untilRolledOut(t, 1)
  for (const version of [2, 3, 4]) {
    await setImage(t, DEPLOYMENT, `nginx:${version}`)
    await untilRolledOut(t, 1)
  }
  await t.untilAll('apps/v1 ReplicaSet', sets => sets.length === 2)
  await recordSizes(t)
})

scenario('a Deployment that keeps no revisions', async t => {
  await t.apply(deployment({ spec: 'replicas: 1, revisionHistoryLimit: 0' }))
  await untilRolledOut(t, 1)
  await setImage(t, DEPLOYMENT, 'nginx:2')
  await untilRolledOut(t, 1)
  await t.untilAll('apps/v1 ReplicaSet', sets => sets.length === 1)
  await recordSizes(t)
  await t.record(DEPLOYMENT)
})

scenario('a paused Deployment rolls out nothing until it is resumed', async t => {
  await t.apply(deployment({ spec: 'replicas: 2' }))
  await untilRolledOut(t, 2)
  await t.merge(DEPLOYMENT, { spec: { paused: true } })
  await setImage(t, DEPLOYMENT, 'nginx:2')
  await t.until(DEPLOYMENT, ({ status, metadata }) => status.observedGeneration === metadata.generation)
  await t.record(DEPLOYMENT)
  await t.merge(DEPLOYMENT, { spec: { paused: null } })
  await untilRolledOut(t, 2)
  await t.record(DEPLOYMENT)
  await recordSizes(t)
})

scenario('a Deployment that is created paused makes no ReplicaSet', async t => {
  await t.apply(deployment({ spec: 'replicas: 2, paused: true' }))
  await t.until(DEPLOYMENT, ({ status }) => status?.observedGeneration === 1)
  await t.record(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
})

scenario('a paused Deployment is scaled', async t => {
  await t.apply(deployment({ spec: 'replicas: 1' }))
  await untilRolledOut(t, 1)
  await t.merge(DEPLOYMENT, { spec: { paused: true } })
  await t.scale(DEPLOYMENT, 3)
  await t.until(DEPLOYMENT, ({ status }) => status.availableReplicas === 3)
  await t.record(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
})

scenario('a Deployment is scaled up and down', async t => {
  await t.apply(deployment({ spec: 'replicas: 2' }))
  await untilRolledOut(t, 2)
  await t.scale(DEPLOYMENT, 5)
  await untilRolledOut(t, 5)
  await t.recordAll('apps/v1 ReplicaSet')
  await t.scale(DEPLOYMENT, 1)
  await untilRolledOut(t, 1)
  await t.record(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
  await t.recordEvents('Deployment', 'web')
})

scenario('a Deployment that recreates its pods ends the old ones first', async t => {
  await t.apply(deployment({ spec: 'replicas: 2, strategy: { type: Recreate }' }))
  await untilRolledOut(t, 2)
  await setImage(t, DEPLOYMENT, 'nginx:2')
  await untilRolledOut(t, 2)
  await t.record(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
  await t.recordEvents('Deployment', 'web')
})

scenario('a Deployment that recreates waits for pods that end slowly', async t => {
  await t.apply(deployment({ spec: 'replicas: 2, strategy: { type: Recreate }', simulate: '{ stopAfter: 20s }' }))
  await untilRolledOut(t, 2)
  await setImage(t, DEPLOYMENT, 'nginx:2')
  await t.until(DEPLOYMENT, ({ status }) => status.terminatingReplicas === 2)
  await t.record(DEPLOYMENT)
  await recordSizes(t)
})

scenario('a rollout that does not get ready misses its deadline', async t => {
  await t.apply(deployment({ spec: 'replicas: 3, progressDeadlineSeconds: 2' }))
  await untilRolledOut(t, 3)
  await setImage(t, DEPLOYMENT, 'broken', BROKEN)
  await t.until(DEPLOYMENT, ({ status }) =>
    status.conditions.some(({ reason }: { reason: string }) => reason === 'ProgressDeadlineExceeded'),
  )
  await t.record(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
})

scenario('a first rollout that does not get ready misses its deadline', async t => {
  await t.apply(deployment({ spec: 'replicas: 2, progressDeadlineSeconds: 2', simulate: BROKEN }))
  await t.until(DEPLOYMENT, ({ status }) =>
    status?.conditions?.some(({ reason }: { reason: string }) => reason === 'ProgressDeadlineExceeded'),
  )
  await t.record(DEPLOYMENT)
})

scenario('a rollout goes as far as its percentages allow', async t => {
  await t.apply(
    deployment({
      spec: 'replicas: 10, strategy: { rollingUpdate: { maxSurge: 30%, maxUnavailable: 25% } }',
    }),
  )
  await untilRolledOut(t, 10)
  await setImage(t, DEPLOYMENT, 'broken', BROKEN)
  await untilSizes(t, 8, 5)
  await t.until(DEPLOYMENT, ({ status }) => status.updatedReplicas === 5 && status.replicas === 13)
  await t.record(DEPLOYMENT)
  await recordSets(t)
})

scenario('a rollout without surge takes old pods away first', async t => {
  await t.apply(deployment({ spec: 'replicas: 3, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }' }))
  await untilRolledOut(t, 3)
  await setImage(t, DEPLOYMENT, 'broken', BROKEN)
  await untilSizes(t, 2, 1)
  await t.until(DEPLOYMENT, ({ status }) => status.updatedReplicas === 1 && status.replicas === 3)
  await t.record(DEPLOYMENT)
  await t.recordEvents('Deployment', 'web')
})

scenario('a Deployment is scaled in the middle of a rollout', async t => {
  await t.apply(deployment({ spec: 'replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } }' }))
  await untilRolledOut(t, 10)
  await setImage(t, DEPLOYMENT, 'broken', BROKEN)
  await untilSizes(t, 8, 5)
  await t.until(DEPLOYMENT, ({ status }) => status.updatedReplicas === 5 && status.replicas === 13)
  await t.scale(DEPLOYMENT, 15)
  await untilSizes(t, 11, 7)
  await recordSets(t)
})

scenario('a rollout that is stuck is overtaken by the next one', async t => {
  await t.apply(deployment({ spec: 'replicas: 3' }))
  await untilRolledOut(t, 3)
  await setImage(t, DEPLOYMENT, 'broken', BROKEN)
  await untilSizes(t, 3, 1)
  await setImage(t, DEPLOYMENT, 'nginx:3', '{}')
  await untilRolledOut(t, 3)
  await t.record(DEPLOYMENT)
  await recordSets(t)
})

scenario('a Deployment whose pods may not be created says why', async t => {
  await t.apply(deployment({ spec: 'replicas: 2', pod: 'serviceAccountName: nobody' }))
  await t.until(DEPLOYMENT, ({ status }) =>
    status?.conditions?.some(({ type }: { type: string }) => type === 'ReplicaFailure'),
  )
  await t.record(DEPLOYMENT)
})

scenario('a Deployment takes over a ReplicaSet with its template', async t => {
  await t.apply(replicaSet({ spec: 'replicas: 1' }).replace('name: web,', 'name: web, labels: { app: web },'))
  await t.until(REPLICA_SET, isReplicaSetReady(1))
  await t.apply(deployment({ spec: 'replicas: 2' }))
  await untilRolledOut(t, 2)
  await t.record(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
})

scenario('a Deployment hands its annotations and minReadySeconds on', async t => {
  await t.apply(deployment({ spec: 'replicas: 1', annotations: '{ team: blue }' }))
  await untilRolledOut(t, 1)
  await t.merge(DEPLOYMENT, { metadata: { annotations: { team: 'red', more: 'yes' } }, spec: { minReadySeconds: 1 } })
  await t.untilAll('apps/v1 ReplicaSet', ([set]) => set.spec.minReadySeconds === 1 && set.metadata.annotations.more)
  await untilRolledOut(t, 1)
  await t.recordAll('apps/v1 ReplicaSet')
})

scenario('a Deployment without a deadline has no condition of progress', async t => {
  await t.apply(deployment({ spec: 'replicas: 1, progressDeadlineSeconds: 2147483647' }))
  await untilRolledOut(t, 1)
  await t.record(DEPLOYMENT)
})

scenario('a Deployment that is deleted with orphans leaves its ReplicaSet', async t => {
  await t.apply(deployment({ spec: 'replicas: 1' }))
  await untilRolledOut(t, 1)
  await t.delete(DEPLOYMENT, { propagationPolicy: 'Orphan' })
  await t.untilGone(DEPLOYMENT)
  await t.recordAll('apps/v1 ReplicaSet')
})

scenario('a StatefulSet creates its pods in order', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3' }))
  await untilStatefulSet(t, 3)
  await t.record(STATEFUL_SET)
  await t.recordAll(REVISIONS)
  await t.recordAll('v1 Pod')
  await t.recordEvents('StatefulSet', 'web')
})

scenario('a StatefulSet creates its pods at once', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3, podManagementPolicy: Parallel' }))
  await untilStatefulSet(t, 3)
  await t.record(STATEFUL_SET)
  await recordImages(t)
})

scenario('a StatefulSet waits for a pod that does not get ready', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3', simulate: BROKEN }))
  await t.until(STATEFUL_SET, ({ status }) => status?.replicas === 1)
  await t.record(STATEFUL_SET)
  await recordImages(t)
})

scenario('a parallel StatefulSet does not wait', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3, podManagementPolicy: Parallel', simulate: BROKEN }))
  await t.until(STATEFUL_SET, ({ status }) => status?.replicas === 3)
  await t.record(STATEFUL_SET)
  await recordImages(t)
})

scenario('a StatefulSet shrinks from the last pod on', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3' }))
  await untilStatefulSet(t, 3)
  await t.scale(STATEFUL_SET, 1)
  await untilStatefulSet(t, 1)
  await t.record(STATEFUL_SET)
  await recordImages(t)
  await t.recordEvents('StatefulSet', 'web')
})

scenario('a StatefulSet replaces a deleted pod under its name', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 2' }))
  await untilStatefulSet(t, 2)
  const { metadata } = await t.get('v1 Pod web-0')
  await t.delete('v1 Pod web-0')
  await t.until('v1 Pod web-0', pod => pod.metadata.uid !== metadata.uid)
  await untilStatefulSet(t, 2)
  await t.record(STATEFUL_SET)
  await recordImages(t)
})

scenario('a StatefulSet updates its pods from the last to the first', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3' }))
  await untilStatefulSet(t, 3)
  await setImage(t, STATEFUL_SET, 'nginx:2')
  await untilStatefulSet(t, 3)
  await t.record(STATEFUL_SET)
  await t.recordAll(REVISIONS)
  await recordImages(t)
  await t.recordEvents('StatefulSet', 'web')
})

scenario('an update of a StatefulSet stops at a pod that does not get ready', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3' }))
  await untilStatefulSet(t, 3)
  await setImage(t, STATEFUL_SET, 'broken', BROKEN)
  await t.until(STATEFUL_SET, ({ status }) => status.updatedReplicas === 1 && status.replicas === 3)
  await t.record(STATEFUL_SET)
  await recordImages(t)
})

scenario('a StatefulSet updates no pods below its partition', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } }' }))
  await untilStatefulSet(t, 3)
  await setImage(t, STATEFUL_SET, 'nginx:2')
  await t.until(STATEFUL_SET, ({ status }) => status.updatedReplicas === 1 && status.readyReplicas === 3)
  const { metadata } = await t.get('v1 Pod web-0')
  await t.delete('v1 Pod web-0')
  await t.until('v1 Pod web-0', pod => pod.metadata.uid !== metadata.uid)
  await t.until(STATEFUL_SET, ({ status }) => status.updatedReplicas === 1 && status.readyReplicas === 3)
  await t.record(STATEFUL_SET)
  await recordImages(t)
})

scenario('a StatefulSet that updates on deletion', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 3, updateStrategy: { type: OnDelete }' }))
  await untilStatefulSet(t, 3)
  await setImage(t, STATEFUL_SET, 'nginx:2')
  await t.until(STATEFUL_SET, ({ status, metadata }) => status.observedGeneration === metadata.generation)
  const { metadata } = await t.get('v1 Pod web-1')
  await t.delete('v1 Pod web-1')
  await t.until('v1 Pod web-1', pod => pod.metadata.uid !== metadata.uid)
  await t.until(STATEFUL_SET, ({ status }) => status.readyReplicas === 3 && status.updatedReplicas === 1)
  await t.record(STATEFUL_SET)
  await recordImages(t)
})

scenario('a StatefulSet goes back to its former template', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 1' }))
  await untilStatefulSet(t, 1)
  await setImage(t, STATEFUL_SET, 'nginx:2')
  await untilStatefulSet(t, 1)
  await setImage(t, STATEFUL_SET, 'nginx:1')
  await untilStatefulSet(t, 1)
  await t.record(STATEFUL_SET)
  await t.recordAll(REVISIONS)
})

scenario('a StatefulSet keeps as many revisions as its limit says', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 1, revisionHistoryLimit: 1' }))
  await untilStatefulSet(t, 1)
  for (const version of [2, 3, 4]) {
    await setImage(t, STATEFUL_SET, `nginx:${version}`)
    await untilStatefulSet(t, 1)
  }
  await t.untilAll(REVISIONS, revisions => revisions.length === 2)
  await t.recordOf('revisions', REVISIONS, all => all.map(({ revision }): number => revision).sort((a, b) => a - b))
})

scenario('a StatefulSet begins at the ordinal that it is told', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 2, ordinals: { start: 3 }' }))
  await untilStatefulSet(t, 2)
  await recordImages(t)
  await t.merge(STATEFUL_SET, { spec: { ordinals: { start: 4 } } })
  await t.untilGone('v1 Pod web-3')
  await untilStatefulSet(t, 2)
  await t.record(STATEFUL_SET)
  await recordImages(t)
})

scenario('a StatefulSet counts pods as available after minReadySeconds', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 2, minReadySeconds: 1' }))
  await untilStatefulSet(t, 2)
  await t.record(STATEFUL_SET)
})

scenario('a StatefulSet that may not create pods says why', async t => {
  await t.apply(statefulSet({ spec: 'replicas: 2', pod: 'serviceAccountName: nobody' }))
  await t.untilEvent('FailedCreate')
  await t.record(STATEFUL_SET)
  await t.recordEvents('StatefulSet', 'web')
})

const CLAIMS =
  'volumeClaimTemplates: [{ metadata: { name: data, labels: { kept: yes-it-is } }, spec: { storageClassName: none, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } }]'

scenario('a StatefulSet makes a claim for each place', async t => {
  await t.apply(statefulSet({ spec: `replicas: 2, podManagementPolicy: Parallel, ${CLAIMS}` }))
  await t.until(STATEFUL_SET, ({ status }) => status?.replicas === 2)
  await t.record(STATEFUL_SET)
  await recordClaims(t)
  const { spec } = await t.get('v1 Pod web-1')
  t.note('the volume of a pod', spec.volumes[0])
  await t.recordEvents('StatefulSet', 'web')
})

scenario('claims of a StatefulSet stay when it shrinks', async t => {
  await t.apply(statefulSet({ spec: `replicas: 2, podManagementPolicy: Parallel, ${CLAIMS}` }))
  await t.until(STATEFUL_SET, ({ status }) => status?.replicas === 2)
  await t.scale(STATEFUL_SET, 1)
  await t.untilAll('v1 Pod', pods => pods.length === 1)
  await recordClaims(t)
})

scenario('claims that go with their StatefulSet belong to it', async t => {
  const policy = 'persistentVolumeClaimRetentionPolicy: { whenDeleted: Delete, whenScaled: Retain }'
  await t.apply(statefulSet({ spec: `replicas: 2, podManagementPolicy: Parallel, ${policy}, ${CLAIMS}` }))
  await t.until(STATEFUL_SET, ({ status }) => status?.replicas === 2)
  await t.untilAll('v1 PersistentVolumeClaim', claims => claims.every(({ metadata }) => metadata.ownerReferences))
  await recordClaims(t)
  await t.merge(STATEFUL_SET, { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } } })
  await t.untilAll('v1 PersistentVolumeClaim', claims => claims.every(({ metadata }) => !metadata.ownerReferences))
  await recordClaims(t)
})

scenario('claims that go with their pods are deleted when a StatefulSet shrinks', async t => {
  const policy = 'persistentVolumeClaimRetentionPolicy: { whenDeleted: Retain, whenScaled: Delete }'
  await t.apply(statefulSet({ spec: `replicas: 3, podManagementPolicy: Parallel, ${policy}, ${CLAIMS}` }))
  await t.until(STATEFUL_SET, ({ status }) => status?.replicas === 3)
  await recordClaims(t)
  await t.scale(STATEFUL_SET, 1)
  await t.untilAll('v1 PersistentVolumeClaim', claims => claims.length === 1)
  await recordClaims(t)
  await t.record(STATEFUL_SET)
})

scenario('a DaemonSet has one pod on each node', async t => {
  await t.apply(daemonSet())
  await untilDaemonSet(t, 2)
  await t.record(DAEMON_SET)
  await t.recordAll(REVISIONS)
  await t.recordAll('v1 Pod')
  await recordTold(t, 'DaemonSet')
})

scenario('a DaemonSet that no node fits', async t => {
  await t.apply(daemonSet({ pod: 'nodeSelector: { disk: none-has-it }' }))
  await t.until(DAEMON_SET, ({ status }) => status?.observedGeneration === 1)
  await t.record(DAEMON_SET)
  await t.recordAll('v1 Pod')
})

scenario('a DaemonSet with affinity to one node', async t => {
  const term = 'matchExpressions: [{ key: kubernetes.io/hostname, operator: In, values: [node-a] }]'
  const required = `requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ ${term} }] }`
  await t.apply(daemonSet({ pod: `affinity: { nodeAffinity: { ${required} } }` }))
  await untilDaemonSet(t, 1)
  await t.record(DAEMON_SET)
  const [pod] = await t.list('v1 Pod')
  t.note('the affinity of its pod', pod.spec.affinity)
})

scenario('a DaemonSet tolerates the troubles of nodes', async t => {
  const tolerations =
    'tolerations: [{ key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 5 }]'
  await t.apply(daemonSet({ pod: `hostNetwork: true, ${tolerations}` }))
  await untilDaemonSet(t, 2)
  const [pod] = await t.list('v1 Pod')
  t.note('the tolerations of a pod', pod.spec.tolerations)
})

scenario('a DaemonSet replaces a pod that was deleted', async t => {
  await t.apply(daemonSet())
  await untilDaemonSet(t, 2)
  const [pod] = await t.list('v1 Pod')
  await t.delete(`v1 Pod ${pod.metadata.name}`)
  await t.untilAll(
    'v1 Pod',
    pods => pods.length === 2 && pods.every(({ metadata }) => metadata.uid !== pod.metadata.uid),
  )
  await untilDaemonSet(t, 2)
  await t.record(DAEMON_SET)
})

scenario('a DaemonSet updates its pods', async t => {
  await t.apply(daemonSet())
  await untilDaemonSet(t, 2)
  await setImage(t, DAEMON_SET, 'nginx:2')
  await untilDaemonSet(t, 2)
  await t.record(DAEMON_SET)
  await t.recordAll(REVISIONS)
})

scenario('an update of a DaemonSet stops at a pod that does not get ready', async t => {
  await t.apply(daemonSet())
  await untilDaemonSet(t, 2)
  await setImage(t, DAEMON_SET, 'broken', BROKEN)
  await t.until(DAEMON_SET, ({ status }) => status.updatedNumberScheduled === 1 && status.numberUnavailable === 1)
  await t.record(DAEMON_SET)
})

scenario('a DaemonSet with a surge starts the new pod beside the old one', async t => {
  const strategy = 'updateStrategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }'
  await t.apply(daemonSet({ spec: strategy }))
  await untilDaemonSet(t, 2)
  await untilNextSecond(t)
  await setImage(t, DAEMON_SET, 'broken', BROKEN)
  await t.untilAll('v1 Pod', pods => pods.length === 3)
  await t.record(DAEMON_SET)
  await setImage(t, DAEMON_SET, 'nginx:3', '{}')
  await untilDaemonSet(t, 2)
  await t.untilAll('v1 Pod', pods => pods.length === 2)
  await t.record(DAEMON_SET)
})

scenario('a DaemonSet that updates on deletion', async t => {
  await t.apply(daemonSet({ spec: 'updateStrategy: { type: OnDelete }' }))
  await untilDaemonSet(t, 2)
  await setImage(t, DAEMON_SET, 'nginx:2')
  await t.until(DAEMON_SET, ({ status, metadata }) => status.observedGeneration === metadata.generation)
  const [pod] = await t.list('v1 Pod')
  await t.delete(`v1 Pod ${pod.metadata.name}`)
  await t.until(DAEMON_SET, ({ status }) => status.updatedNumberScheduled === 1 && status.numberAvailable === 2)
  await t.record(DAEMON_SET)
  await t.recordOf('images', 'v1 Pod', pods => pods.map(({ spec }): string => spec.containers[0].image).sort())
})

scenario('a DaemonSet goes back to its former template', async t => {
  await t.apply(daemonSet({ spec: 'revisionHistoryLimit: 1' }))
  await untilDaemonSet(t, 2)
  await setImage(t, DAEMON_SET, 'nginx:2')
  await untilDaemonSet(t, 2)
  await setImage(t, DAEMON_SET, 'nginx:1')
  await untilDaemonSet(t, 2)
  await t.record(DAEMON_SET)
  await t.recordAll(REVISIONS)
})

scenario('a DaemonSet whose nodes fit no longer leaves them', async t => {
  await t.apply(daemonSet())
  await untilDaemonSet(t, 2)
  await t.merge(DAEMON_SET, { spec: { template: { spec: { nodeSelector: { disk: 'none-has-it' } } } } })
  await t.untilAll('v1 Pod', pods => pods.length === 0)
  await t.until(DAEMON_SET, ({ status }) => status.numberMisscheduled === 0)
  await t.record(DAEMON_SET)
})

scenario('a DaemonSet counts pods as available after minReadySeconds', async t => {
  await t.apply(daemonSet({ spec: 'minReadySeconds: 1' }))
  await untilDaemonSet(t, 2)
  await t.record(DAEMON_SET)
})

scenario('a DaemonSet that may not create pods says why', async t => {
  await t.apply(daemonSet({ pod: 'serviceAccountName: nobody' }))
  await t.untilEvent('FailedCreate')
  await t.record(DAEMON_SET)
  await recordTold(t, 'DaemonSet')
})
