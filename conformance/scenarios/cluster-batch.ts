import { clusterArea } from '../src/cluster/cluster-scenario.ts'
import type { ClusterSession } from '../src/cluster/cluster-session.ts'

/** Jobs, CronJobs and autoscaling. */
export const clusterBatch = clusterArea('cluster-batch')
const { scenario } = clusterBatch

interface Given {
  simulate?: object
  template?: object
  metadata?: object
}

const runsLong = { runFor: '1h' }
const fails = { exitCode: 1 }

function template({ simulate, template = {}, metadata = {} }: Given) {
  const annotations = simulate ? { 'tiphys.dev/simulate': JSON.stringify(simulate) } : {}
  return {
    metadata: { annotations, ...metadata },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }], ...template },
  }
}

const apply = (t: ClusterSession, object: object) => t.apply(JSON.stringify(object))

const applyJob = (t: ClusterSession, spec: object, given: Given = {}) =>
  apply(t, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work' },
    spec: { template: template(given), ...spec },
  })

const applyCronJob = (t: ClusterSession, spec: object, given: Given = {}, name = 'tick') =>
  apply(t, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '@every 2s', jobTemplate: { spec: { template: template(given) } }, ...spec },
  })

type Conditioned = { status?: { conditions?: { type: string; status: string }[] } }
const hasCondition =
  (...types: string[]) =>
  ({ status }: Conditioned) =>
    types.some(type => status?.conditions?.some(each => each.type === type && each.status === 'True'))
const isFinished = hasCondition('Complete', 'Failed')

interface Told {
  involvedObject: { kind: string }
  type: string
  reason: string
  message: string
  source?: { component?: string }
}

/** Records who said what about the objects of a kind, without what is drawn of the pods' names, and each once: Go's recorder names an Event
 *  by the nanosecond, and drops the second of two that are told in the same one. */
async function recordTold(t: ClusterSession, kind: string, isOf: (event: Told) => boolean = () => true): Promise<void> {
  const tell = ({ type, reason, message, source }: Told) => {
    const text = message.replaceAll(t.namespace, 'NS').replace(/(pod: work-(\d+-)?)[a-z0-9]{5}$/, '$1<drawn>')
    return `${source?.component}: ${type} ${reason} ${text.replace(/-\d{8}\b/, '-<minute>')}`
  }
  await t.recordOf(`told of every ${kind}`, 'v1 Event', (events: Told[]) =>
    [...new Set(events.filter(event => event.involvedObject.kind === kind && isOf(event)).map(tell))].sort(),
  )
}

async function recordFinish(t: ClusterSession): Promise<void> {
  await t.until('batch/v1 Job work', isFinished)
  await t.record('batch/v1 Job work')
  await recordTold(t, 'Job')
}

const untilRunning = (t: ClusterSession, count: number) =>
  t.untilAll('v1 Pod', pods => pods.filter(({ status }) => status?.phase === 'Running').length === count)

scenario('a Job runs a pod to completion', async t => {
  await applyJob(t, {})
  await recordFinish(t)
  await t.recordAll('v1 Pod')
})

scenario('a Job runs no more pods at once than it may', async t => {
  await applyJob(t, { completions: 3, parallelism: 2 })
  await recordFinish(t)
  await t.recordAll('v1 Pod')
})

scenario('a Job without parallelism waits', async t => {
  await applyJob(t, { parallelism: 0 })
  await t.until('batch/v1 Job work', ({ status }) => status?.startTime)
  await t.record('batch/v1 Job work')
  await t.recordAll('v1 Pod')
})

scenario('a work queue is done when one of its pods has succeeded and all have ended', async t => {
  await applyJob(t, { parallelism: 2 })
  await recordFinish(t)
})

scenario('a running Job counts active and ready pods', async t => {
  await applyJob(t, { completions: 2, parallelism: 2 }, { simulate: runsLong })
  await t.until('batch/v1 Job work', ({ status }) => status?.ready === 2)
  await t.record('batch/v1 Job work')
  await t.recordAll('v1 Pod')
})

scenario('a Job fails with its first pod when it has no retries', async t => {
  await applyJob(t, { backoffLimit: 0 }, { simulate: fails })
  await recordFinish(t)
  await t.recordAll('v1 Pod')
})

scenario('a Job tries again after a while', async t => {
  await applyJob(t, { backoffLimit: 1 }, { simulate: fails })
  await recordFinish(t)
  await t.recordAll('v1 Pod')
})

scenario('a failed Job takes its running pods along', async t => {
  await applyJob(t, { backoffLimit: 0, completions: 2, parallelism: 1 }, { simulate: fails })
  await recordFinish(t)
})

scenario('restarts of containers count towards the limit', async t => {
  await applyJob(t, { backoffLimit: 1 }, { simulate: fails, template: { restartPolicy: 'OnFailure' } })
  await recordFinish(t)
})

scenario('a container that recovers completes the Job', async t => {
  await applyJob(t, {}, { simulate: { failures: 1 }, template: { restartPolicy: 'OnFailure' } })
  await recordFinish(t)
})

scenario('a deadline ends a Job', async t => {
  await applyJob(t, { activeDeadlineSeconds: 2 }, { simulate: runsLong })
  await recordFinish(t)
  await t.recordAll('v1 Pod')
})

scenario('a deadline ends a Job of several pods', async t => {
  await applyJob(t, { activeDeadlineSeconds: 2, completions: 4, parallelism: 3 }, { simulate: runsLong })
  await recordFinish(t)
})

scenario('a Job is created suspended', async t => {
  await applyJob(t, { suspend: true })
  await t.until('batch/v1 Job work', hasCondition('Suspended'))
  await t.record('batch/v1 Job work')
  await recordTold(t, 'Job')
  await t.recordAll('v1 Pod')
})

scenario('a suspended Job is resumed', async t => {
  await applyJob(t, { suspend: true })
  await t.until('batch/v1 Job work', hasCondition('Suspended'))
  await t.merge('batch/v1 Job work', { spec: { suspend: false } })
  await recordFinish(t)
})

scenario('a running Job is suspended', async t => {
  await applyJob(t, { completions: 2, parallelism: 2 }, { simulate: runsLong })
  await t.until('batch/v1 Job work', ({ status }) => status?.ready === 2)
  await t.merge('batch/v1 Job work', { spec: { suspend: true } })
  await t.until('batch/v1 Job work', hasCondition('Suspended'))
  await t.untilAll('v1 Pod', pods => pods.length === 0)
  await t.until('batch/v1 Job work', ({ status }) => status?.terminating === 0)
  await t.record('batch/v1 Job work')
  await recordTold(t, 'Job')
})

scenario('an Indexed Job completes its indexes', async t => {
  await applyJob(t, { completionMode: 'Indexed', completions: 4, parallelism: 2 })
  await recordFinish(t)
  await t.recordAll('v1 Pod')
})

scenario('pods of an Indexed Job keep what their template says', async t => {
  const env = [{ name: 'JOB_COMPLETION_INDEX', value: 'mine' }]
  await applyJob(
    t,
    { completionMode: 'Indexed', completions: 1 },
    {
      metadata: { labels: { app: 'work' }, annotations: { note: 'kept' }, finalizers: ['example.com/kept'] },
      template: {
        initContainers: [{ name: 'before', image: 'busybox' }],
        containers: [{ name: 'main', image: 'busybox', env }],
      },
    },
  )
  await recordFinish(t)
  await t.recordAll('v1 Pod')
  const [pod] = await t.list('v1 Pod')
  await t.merge(`v1 Pod ${pod.metadata.name}`, { metadata: { finalizers: [] } })
})

scenario('an index fails for itself', async t => {
  const indexed = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 0 }
  await applyJob(t, indexed, { simulate: fails })
  await recordFinish(t)
  await t.recordAll('v1 Pod')
})

scenario('an index is tried again', async t => {
  const indexed = { completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 1 }
  await applyJob(t, indexed, { simulate: fails })
  await recordFinish(t)
  await t.recordAll('v1 Pod')
})

scenario('too many failed indexes end the Job', async t => {
  const limits = { backoffLimitPerIndex: 0, maxFailedIndexes: 0 }
  await applyJob(t, { completionMode: 'Indexed', completions: 3, parallelism: 1, ...limits }, { simulate: fails })
  await recordFinish(t)
})

scenario('a success policy of a count', async t => {
  const successPolicy = { rules: [{ succeededCount: 1 }] }
  await applyJob(t, { completionMode: 'Indexed', completions: 3, parallelism: 1, successPolicy })
  await recordFinish(t)
})

scenario('a success policy of indexes', async t => {
  const successPolicy = { rules: [{ succeededIndexes: '2' }, { succeededIndexes: '0-1' }] }
  await applyJob(t, { completionMode: 'Indexed', completions: 4, parallelism: 1, successPolicy })
  await recordFinish(t)
})

const onExitCode = (action: string, ...values: number[]) => ({
  rules: [{ action, onExitCodes: { containerName: 'main', operator: 'In', values } }],
})

scenario('a pod failure policy fails the Job', async t => {
  await applyJob(t, { backoffLimit: 6, podFailurePolicy: onExitCode('FailJob', 42) }, { simulate: { exitCode: 42 } })
  await t.until('batch/v1 Job work', isFinished)
  const [pod] = await t.list('v1 Pod')
  const { status } = await t.get('batch/v1 Job work')
  t.note('message', status.conditions[1].message.replaceAll(pod.metadata.name, 'POD').replaceAll(t.namespace, 'NS'))
  t.note(
    'conditions',
    status.conditions.map(({ type, reason }: { type: string; reason: string }) => `${type} ${reason}`),
  )
  t.note('failed', status.failed)
})

scenario('a pod failure policy ignores a failure', async t => {
  await applyJob(t, { backoffLimit: 0, podFailurePolicy: onExitCode('Ignore', 3) }, { simulate: { exitCode: 3 } })
  await t.untilAll('v1 Pod', pods => pods.length === 2)
  await t.recordOf('status', 'batch/v1 Job', ([{ status }]) => ({
    failed: status.failed ?? 0,
    conditions: status.conditions ?? [],
  }))
})

scenario('a pod failure policy counts a failure', async t => {
  await applyJob(t, { backoffLimit: 0, podFailurePolicy: onExitCode('Count', 5) }, { simulate: { exitCode: 5 } })
  await recordFinish(t)
})

scenario('a pod failure policy fails an index', async t => {
  await applyJob(
    t,
    {
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 3,
      podFailurePolicy: onExitCode('FailIndex', 7),
    },
    { simulate: { exitCode: 7 } },
  )
  await recordFinish(t)
})

scenario('a Job that is managed elsewhere is left alone', async t => {
  await applyJob(t, { managedBy: 'example.com/queue' })
  await t.record('batch/v1 Job work')
  await t.recordAll('v1 Pod')
})

scenario('a deleted pod is replaced at once', async t => {
  await applyJob(t, {}, { simulate: { ...runsLong, stopAfter: '3s' } })
  const [pod] = await untilRunning(t, 1)
  await t.delete(`v1 Pod ${pod.metadata.name}`)
  await t.until('batch/v1 Job work', ({ status }) => status?.failed === 1 && status.active === 1 && status.ready === 1)
  await t.untilGone(`v1 Pod ${pod.metadata.name}`)
  await t.until('batch/v1 Job work', ({ status }) => status?.terminating === 0)
  await t.record('batch/v1 Job work')
})

scenario('a pod that ends well after its deletion counts as done', async t => {
  await applyJob(t, { podReplacementPolicy: 'Failed' }, { simulate: { ...runsLong, stopAfter: '3s' } })
  const [pod] = await untilRunning(t, 1)
  await t.delete(`v1 Pod ${pod.metadata.name}`)
  await recordFinish(t)
})

scenario('less parallelism takes pods away', async t => {
  await applyJob(t, { completions: 3, parallelism: 3 }, { simulate: runsLong })
  await t.until('batch/v1 Job work', ({ status }) => status?.ready === 3)
  await t.merge('batch/v1 Job work', { spec: { parallelism: 1 } })
  await t.untilAll('v1 Pod', pods => pods.length === 1)
  await t.until('batch/v1 Job work', ({ status }) => status?.ready === 1 && status.terminating === 0)
  await t.record('batch/v1 Job work')
})

scenario('more parallelism adds pods', async t => {
  await applyJob(t, { completions: 5, parallelism: 1 }, { simulate: runsLong })
  await t.until('batch/v1 Job work', ({ status }) => status?.ready === 1)
  await t.merge('batch/v1 Job work', { spec: { parallelism: 3 } })
  await t.until('batch/v1 Job work', ({ status }) => status?.ready === 3)
  await t.record('batch/v1 Job work')
})

scenario('an Indexed Job is made smaller', async t => {
  await applyJob(t, { completionMode: 'Indexed', completions: 3, parallelism: 3 }, { simulate: runsLong })
  await t.until('batch/v1 Job work', ({ status }) => status?.ready === 3)
  await t.merge('batch/v1 Job work', { spec: { completions: 1, parallelism: 1 } })
  await t.untilAll('v1 Pod', pods => pods.length === 1)
  await t.until('batch/v1 Job work', ({ status }) => status?.ready === 1 && status.terminating === 0)
  await t.record('batch/v1 Job work')
  await t.recordAll('v1 Pod')
})

scenario('a deleted Job takes its pods along', async t => {
  await applyJob(t, { completions: 2, parallelism: 2 }, { simulate: runsLong })
  await untilRunning(t, 2)
  await t.delete('batch/v1 Job work', { propagationPolicy: 'Background' })
  await t.untilAll('v1 Pod', pods => pods.length === 0)
  await t.record('batch/v1 Job work')
})

scenario('a Job that is deleted in the foreground goes after its pods', async t => {
  await applyJob(t, { completions: 2, parallelism: 2 }, { simulate: runsLong })
  await untilRunning(t, 2)
  await t.delete('batch/v1 Job work', { propagationPolicy: 'Foreground' })
  await t.untilGone('batch/v1 Job work')
  await t.recordAll('v1 Pod')
})

scenario('orphaned pods lose their finalizer', async t => {
  await applyJob(t, {}, { simulate: runsLong })
  await untilRunning(t, 1)
  await t.delete('batch/v1 Job work', { propagationPolicy: 'Orphan' })
  await t.untilAll('v1 Pod', pods =>
    pods.every(({ metadata }) => metadata.finalizers === undefined && metadata.ownerReferences === undefined),
  )
  await t.recordAll('v1 Pod')
})

scenario('a Job adopts a pod that it selects', async t => {
  const given = { simulate: runsLong, metadata: { labels: { app: 'mine' } } }
  await apply(t, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'orphan', labels: { app: 'mine' } },
    spec: template({}).spec,
  })
  await applyJob(t, { manualSelector: true, selector: { matchLabels: { app: 'mine' } }, completions: 2 }, given)
  await t.until('v1 Pod orphan', ({ metadata }) => metadata.ownerReferences?.length === 1)
  await t.until('batch/v1 Job work', ({ status }) => status?.succeeded === 1 && status.ready === 1)
  await t.record('batch/v1 Job work')
  await t.record('v1 Pod orphan')
})

scenario('a pod that cannot be created is told of', async t => {
  await applyJob(t, {}, { template: { serviceAccountName: 'nobody' } })
  await t.untilEvent('FailedCreate')
  await t.record('batch/v1 Job work')
  await recordTold(t, 'Job')
})

scenario('a CronJob starts a Job and sees it complete', async t => {
  await applyCronJob(t, {}, { simulate: { runFor: '3s' } })
  await t.until('batch/v1 CronJob tick', ({ status }) => status?.active?.length === 1)
  await t.merge('batch/v1 CronJob tick', { spec: { suspend: true } })
  await t.untilAll('batch/v1 Job', jobs => jobs.every(isFinished))
  await t.until('batch/v1 CronJob tick', ({ status }) => status?.lastSuccessfulTime && !status.active)
  await t.record('batch/v1 CronJob tick')
  await t.recordAll('batch/v1 Job')
})

scenario('a suspended CronJob starts nothing', async t => {
  const schedule = '@every 1s'
  await applyCronJob(t, { suspend: true, schedule })
  await applyCronJob(t, { schedule }, {}, 'witness')
  // Not more than one a minute is started: a Job is named after the minute.
  const started = (name: string) => (jobs: { metadata: { ownerReferences: { name: string }[] } }[]) =>
    jobs.filter(({ metadata }) => metadata.ownerReferences.some(owner => owner.name === name)).length
  await t.untilAll('batch/v1 Job', jobs => started('witness')(jobs) > 0)
  await t.record('batch/v1 CronJob tick')
  await t.recordOf('Jobs that it started', 'batch/v1 Job', started('tick'))
})

scenario('a CronJob keeps a running Job in its status', async t => {
  await applyCronJob(t, {}, { simulate: runsLong })
  await t.until('batch/v1 CronJob tick', ({ status }) => status?.active?.length === 1)
  await t.merge('batch/v1 CronJob tick', { spec: { suspend: true } })
  await t.record('batch/v1 CronJob tick')
  await recordTold(t, 'CronJob')
})

scenario('a CronJob without history deletes finished Jobs', async t => {
  await applyCronJob(t, { successfulJobsHistoryLimit: 0 }, { simulate: { runFor: '3s' } })
  await t.until('batch/v1 CronJob tick', ({ status }) => status?.active?.length === 1)
  await t.merge('batch/v1 CronJob tick', { spec: { suspend: true } })
  await t.untilAll('batch/v1 Job', jobs => jobs.length === 0)
  await t.until('batch/v1 CronJob tick', ({ status }) => !status?.active)
  // After a conflict about its status the real controller does not know any more that it was it who deleted the Job.
  await recordTold(t, 'CronJob', ({ reason }) => reason !== 'MissingJob' && reason !== 'UnexpectedJob')
})

scenario('a CronJob misses a Job that was deleted', async t => {
  await applyCronJob(t, {}, { simulate: runsLong })
  const { status: started } = await t.until('batch/v1 CronJob tick', ({ status }) => status?.active?.length === 1)
  await t.merge('batch/v1 CronJob tick', { spec: { suspend: true } })
  await t.delete(`batch/v1 Job ${started.active[0].name}`, { propagationPolicy: 'Background' })
  await t.until('batch/v1 CronJob tick', ({ status }) => !status?.active)
  await t.record('batch/v1 CronJob tick')
  await recordTold(t, 'CronJob')
})

scenario('a CronJob tells of a Job that it did not create', async t => {
  await applyCronJob(t, { suspend: true })
  const { metadata } = await t.get('batch/v1 CronJob tick')
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: metadata.uid, controller: true }
  await apply(t, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'stranger', ownerReferences: [owner] },
    spec: { template: template({ simulate: runsLong }) },
  })
  await t.untilEvent('UnexpectedJob')
  await recordTold(t, 'CronJob')
})

scenario('a schedule that never comes is told of', async t => {
  await applyCronJob(t, { schedule: '0 0 31 2 *' })
  await t.untilEvent('InvalidSchedule')
  await recordTold(t, 'CronJob')
})

scenario('a deleted CronJob takes its Jobs along', async t => {
  await applyCronJob(t, {}, { simulate: runsLong })
  await untilRunning(t, 1)
  await t.delete('batch/v1 CronJob tick', { propagationPolicy: 'Background' })
  await t.untilAll('batch/v1 Job', jobs => jobs.length === 0)
  await t.untilAll('v1 Pod', pods => pods.length === 0)
  await t.recordAll('v1 Pod')
})

const applyAutoscaler = (t: ClusterSession, spec: object) =>
  apply(t, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3, ...spec },
  })

const applyDeployment = (t: ClusterSession, replicas: number) =>
  apply(t, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '100m' } } }] },
      },
    },
  })

const conditionOf =
  (type: string) =>
  ({ status }: Conditioned) =>
    status?.conditions?.some(each => each.type === type)

scenario('an autoscaler without metrics says so', async t => {
  await applyDeployment(t, 1)
  await t.until('apps/v1 Deployment web', ({ status }) => status?.readyReplicas === 1)
  await applyAutoscaler(t, {})
  await t.until('autoscaling/v2 HorizontalPodAutoscaler web', conditionOf('ScalingActive'))
  await t.record('autoscaling/v2 HorizontalPodAutoscaler web')
  await recordTold(t, 'HorizontalPodAutoscaler')
})

scenario('an autoscaler brings its target up to the minimum', async t => {
  await applyDeployment(t, 1)
  await applyAutoscaler(t, { minReplicas: 2 })
  await t.until('apps/v1 Deployment web', ({ status }) => status?.readyReplicas === 2)
  await t.untilEvent('SuccessfulRescale')
  await recordTold(t, 'HorizontalPodAutoscaler')
  await t.recordOf('desired', 'autoscaling/v2 HorizontalPodAutoscaler', ([{ status }]) => status.desiredReplicas)
})

scenario('an autoscaler brings its target down to the maximum', async t => {
  await applyDeployment(t, 4)
  await applyAutoscaler(t, { maxReplicas: 2 })
  await t.until('apps/v1 Deployment web', ({ spec, status }) => spec.replicas === 2 && status?.readyReplicas === 2)
  await t.untilEvent('SuccessfulRescale')
  await recordTold(t, 'HorizontalPodAutoscaler')
})

scenario('an autoscaler without its target says so', async t => {
  await applyAutoscaler(t, {})
  await t.until('autoscaling/v2 HorizontalPodAutoscaler web', conditionOf('AbleToScale'))
  await t.record('autoscaling/v2 HorizontalPodAutoscaler web')
  await recordTold(t, 'HorizontalPodAutoscaler')
})

scenario('an autoscaler leaves a target without replicas alone', async t => {
  await applyDeployment(t, 0)
  await applyAutoscaler(t, {})
  await t.until('autoscaling/v2 HorizontalPodAutoscaler web', conditionOf('ScalingActive'))
  await t.record('autoscaling/v2 HorizontalPodAutoscaler web')
})
