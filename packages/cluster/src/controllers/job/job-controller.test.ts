import { kindRef } from '@tiphys/kube'
import type { Job, JobSpec, Pod } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatTime } from '../../timestamp.ts'
import { createWorkloadStage, type WorkloadStage } from '../workload-stage.ts'
import { createJobController } from './job-controller.ts'
import { TRACKING } from './job-pods.ts'

let stage: WorkloadStage

beforeEach(async () => {
  stage = await createWorkloadStage([createJobController])
})
afterEach(() => stage.stop())

const container = { name: 'main', image: 'busybox' }

async function createJob(spec: Partial<JobSpec>, name = 'work'): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers: [container] } }
  await stage.client.create({
    ...kindRef<Job>('batch/v1', 'Job'),
    metadata: { namespace: 'default', name },
    spec: { template, ...spec },
  } as Job)
  await stage.settle()
}

const job = (name = 'work') => stage.client.get<Job>({ ...kindRef<Job>('batch/v1', 'Job'), namespace: 'default', name })
const patch = async (change: object, name = 'work') => {
  await stage.client.patch(
    { ...kindRef('batch/v1', 'Job'), namespace: 'default', name },
    { type: 'merge', patch: change },
  )
  await stage.settle()
}
const running = async () => (await stage.pods()).filter(({ status }) => !isEnded(status?.phase))
const isEnded = (phase = '') => phase === 'Succeeded' || phase === 'Failed'
const conditions = async () =>
  ((await job()).status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`)

async function end(pod: Pod | undefined, exitCode: number): Promise<void> {
  const { namespace = '', name = '' } = pod?.metadata ?? {}
  const finishedAt = formatTime(stage.clock.now())
  const state = { terminated: { exitCode, finishedAt, startedAt: finishedAt } }
  const status = {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: [{ name: 'main', image: 'busybox', imageID: '', ready: false, restartCount: 0, state }],
  }
  const change = { type: 'merge', patch: { status } } as const
  await stage.client.patch({ ...kindRef('v1', 'Pod'), namespace, name }, change, { subresource: 'status' })
  await stage.settle()
}

describe('a Job', () => {
  test('counts its pods by the finalizer and completes', async () => {
    await createJob({})
    const [pod] = await stage.pods()
    expect(pod?.metadata.finalizers).toEqual([TRACKING])
    expect((await job()).status).toMatchObject({ active: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} })
    await stage.setReady(pod as Pod)
    await stage.settle()
    expect((await job()).status?.ready).toBe(1)
    await end(pod, 0)
    const { status } = await job()
    expect(status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} })
    expect(status?.active).toBe(undefined)
    expect(status?.completionTime).toBe(status?.conditions?.[1]?.lastTransitionTime)
    expect(await conditions()).toEqual([
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ])
    expect((await stage.pods())[0]?.metadata.finalizers).toBe(undefined)
    expect(await stage.events('work')).toEqual([
      `SuccessfulCreate Created pod: ${pod?.metadata.name}`,
      'Completed Job completed',
    ])
  })

  test('runs as many pods at once as it may', async () => {
    await createJob({ completions: 3, parallelism: 2 })
    expect(await running()).toHaveLength(2)
    await end((await running())[0], 0)
    expect(await running()).toHaveLength(2)
    await end((await running())[0], 0)
    expect(await running()).toHaveLength(1)
    await end((await running())[0], 0)
    expect((await job()).status).toMatchObject({ succeeded: 3 })
  })

  test('as a work queue waits for the pods that run when the first has succeeded', async () => {
    await createJob({ parallelism: 2 })
    await end((await running())[0], 0)
    expect(await running()).toHaveLength(1)
    expect(await conditions()).toEqual([])
    await end((await running())[0], 0)
    expect((await conditions())[1]).toBe('Complete=True CompletionsReached')
  })

  test('waits longer after every failure, then gives up', async () => {
    await createJob({ backoffLimit: 2 })
    await end((await running())[0], 1)
    expect(await running()).toHaveLength(0)
    await stage.pass(8)
    expect(await running()).toHaveLength(0)
    await stage.pass(2)
    expect(await running()).toHaveLength(1)
    await end((await running())[0], 1)
    await stage.pass(18)
    expect(await running()).toHaveLength(0)
    await stage.pass(2)
    await end((await running())[0], 1)
    expect((await job()).status).toMatchObject({ failed: 3 })
    expect(await conditions()).toEqual(['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded'])
    expect((await stage.events('work')).at(-1)).toBe('BackoffLimitExceeded Job has reached the specified backoff limit')
  })

  test('is ended by its deadline', async () => {
    await createJob({ activeDeadlineSeconds: 30 })
    await stage.pass(29)
    expect(await running()).toHaveLength(1)
    await stage.pass(2)
    expect(await conditions()).toEqual(['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded'])
    expect(await stage.pods()).toHaveLength(0)
    expect((await job()).status).toMatchObject({ failed: 1 })
  })

  test('gives its pods up while it is suspended', async () => {
    await createJob({ suspend: true, parallelism: 2, completions: 2 })
    expect(await stage.pods()).toHaveLength(0)
    expect(await conditions()).toEqual(['Suspended=True JobSuspended'])
    expect((await job()).status?.startTime).toBe(undefined)
    await patch({ spec: { suspend: false } })
    expect(await running()).toHaveLength(2)
    expect(await conditions()).toEqual(['Suspended=False JobResumed'])
    await patch({ spec: { suspend: true } })
    expect(await running()).toHaveLength(0)
    expect(await stage.events('work')).toEqual(
      expect.arrayContaining(['Suspended Job suspended', 'Resumed Job resumed']),
    )
  })

  test('leaves itself alone when another controller manages it', async () => {
    await createJob({ managedBy: 'example.com/queue' })
    expect(await stage.pods()).toHaveLength(0)
    expect((await job()).status?.startTime).toBe(undefined)
  })

  test('lets its pods go when it is deleted', async () => {
    await createJob({})
    await stage.client.delete({ ...kindRef('batch/v1', 'Job'), namespace: 'default', name: 'work' })
    await stage.settle()
    expect((await stage.pods())[0]?.metadata.finalizers).toBe(undefined)
  })
})

describe('an Indexed Job', () => {
  test('gives every pod its index and remembers which are done', async () => {
    await createJob({ completionMode: 'Indexed', completions: 4, parallelism: 4 })
    const pods = await running()
    const third = pods.find(({ metadata }) => metadata.generateName === 'work-2-')
    expect(third?.spec?.hostname).toBe('work-2')
    expect(third?.metadata.labels?.['batch.kubernetes.io/job-completion-index']).toBe('2')
    expect(third?.metadata.annotations?.['batch.kubernetes.io/job-completion-index']).toBe('2')
    expect(third?.spec?.containers[0]?.env?.map(({ name }) => name)).toEqual(['JOB_COMPLETION_INDEX'])
    for (const index of [0, 2, 3]) await end(pods[index], 0)
    expect((await job()).status).toMatchObject({ succeeded: 3, completedIndexes: '0,2,3' })
    await end(pods[1], 0)
    expect((await job()).status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' })
    expect((await conditions())[1]).toBe('Complete=True CompletionsReached')
  })

  test('fails an index alone with a limit per index', async () => {
    await createJob({ completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 1 })
    const [first, second] = await running()
    await end(first, 1)
    await stage.pass(10)
    const again = (await running()).find(({ metadata }) => metadata.generateName === 'work-0-')
    expect(again?.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count']).toBe('1')
    await end(again, 1)
    expect((await job()).status).toMatchObject({ failedIndexes: '0', failed: 2 })
    await end(second, 0)
    expect(await conditions()).toEqual(['FailureTarget=True FailedIndexes', 'Failed=True FailedIndexes'])
  })

  test('succeeds early by its success policy', async () => {
    const successPolicy = { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] }
    await createJob({ completionMode: 'Indexed', completions: 3, parallelism: 3, successPolicy })
    await end((await running())[1], 0)
    expect(await conditions()).toEqual(['SuccessCriteriaMet=True SuccessPolicy', 'Complete=True SuccessPolicy'])
    expect(await running()).toHaveLength(0)
    expect((await job()).status).toMatchObject({ succeeded: 1, completedIndexes: '1' })
  })
})

describe('a pod failure policy', () => {
  const rule = (action: string, values: number[]) => ({ action, onExitCodes: { operator: 'In', values } })

  test('ignores a failure, or fails the Job at once', async () => {
    await createJob({ backoffLimit: 0, podFailurePolicy: { rules: [rule('Ignore', [3]), rule('FailJob', [42])] } })
    await end((await running())[0], 3)
    await stage.pass(10)
    const [second] = await running()
    await end(second, 42)
    expect(await conditions()).toEqual(['FailureTarget=True PodFailurePolicy', 'Failed=True PodFailurePolicy'])
    expect((await job()).status?.conditions?.[1]?.message).toBe(
      `Container main for pod default/${second?.metadata.name} failed with exit code 42 matching FailJob rule at index 1`,
    )
    expect((await job()).status?.failed).toBe(1)
  })

  test('fails an index', async () => {
    const podFailurePolicy = { rules: [rule('FailIndex', [7])] }
    const indexed = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 5 }
    await createJob({ ...indexed, podFailurePolicy, maxFailedIndexes: 0 })
    await end((await running())[1], 7)
    expect((await conditions())[1]).toBe('Failed=True MaxFailedIndexesExceeded')
    expect((await job()).status).toMatchObject({ failedIndexes: '1' })
  })
})
