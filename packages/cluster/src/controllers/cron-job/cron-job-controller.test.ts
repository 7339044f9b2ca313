import { kindRef } from '@tiphys/kube'
import type { CronJob, CronJobSpec, Job } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatTime } from '../../timestamp.ts'
import { createJobController } from '../job/job-controller.ts'
import { createWorkloadStage, type WorkloadStage } from '../workload-stage.ts'
import { createCronJobController } from './cron-job-controller.ts'

let stage: WorkloadStage

const startWithin = async (...create: Parameters<typeof createWorkloadStage>[0]) => {
  stage = await createWorkloadStage(create)
  // Well within a minute: the controller allows for clocks that differ by a tenth of a second.
  await stage.clock.advance(60_500 - (stage.clock.now() % 60_000))
}

beforeEach(() => startWithin(createJobController, createCronJobController))
afterEach(() => stage.stop())

async function createCronJob(spec: Partial<CronJobSpec>): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } }
  await stage.client.create({
    ...kindRef<CronJob>('batch/v1', 'CronJob'),
    metadata: { namespace: 'default', name: 'tick' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec },
  } as CronJob)
  await stage.settle()
}

const cronJob = () =>
  stage.client.get<CronJob>({ ...kindRef<CronJob>('batch/v1', 'CronJob'), namespace: 'default', name: 'tick' })
const jobs = async () => {
  const { items } = await stage.client.list<Job>({ ...kindRef<Job>('batch/v1', 'Job'), namespace: 'default' })
  return items
}
const minute = () => Math.floor(stage.clock.now() / 60_000)

async function succeedAll(): Promise<void> {
  for (const pod of await stage.pods()) if (pod.status?.phase === 'Pending') await stage.setPhase(pod, 'Succeeded')
  await stage.settle()
}

test('starts a Job every minute, named by the minute', async () => {
  await createCronJob({})
  expect(await jobs()).toHaveLength(0)
  await stage.pass(60)
  const [job] = await jobs()
  expect(job?.metadata.name).toBe(`tick-${minute()}`)
  const scheduled = formatTime(minute() * 60_000)
  expect(job?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toBe(scheduled)
  expect((await cronJob()).status).toMatchObject({
    lastScheduleTime: scheduled,
    active: [{ apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: job?.metadata.name }],
  })
  await succeedAll()
  const { status } = await cronJob()
  expect(status?.active).toBe(undefined)
  expect(status?.lastSuccessfulTime).toBe((await jobs())[0]?.status?.completionTime)
  expect(await stage.events('tick')).toEqual([
    `SuccessfulCreate Created job ${job?.metadata.name}`,
    `SawCompletedJob Saw completed job: ${job?.metadata.name}, condition: Complete`,
  ])
})

test('keeps as many finished Jobs as its history may have', async () => {
  await createCronJob({ successfulJobsHistoryLimit: 2 })
  for (let passed = 0; passed < 4; passed++) {
    await stage.pass(60)
    await succeedAll()
  }
  expect(await jobs()).toHaveLength(2)
  expect((await stage.events('tick')).filter(text => text.startsWith('SuccessfulDelete'))).toHaveLength(2)
})

test('starts a Job for every minute of an hour that passes at once', async () => {
  await stage.stop()
  await startWithin(createCronJobController)
  await createCronJob({})
  await stage.pass(3600)
  expect(await jobs()).toHaveLength(60)
  expect((await cronJob()).status?.active).toHaveLength(60)
})

test('leaves a running Job alone when it forbids concurrency', async () => {
  await createCronJob({ concurrencyPolicy: 'Forbid' })
  await stage.pass(60)
  await stage.pass(60)
  expect(await jobs()).toHaveLength(1)
  expect(await stage.events('tick')).toContain(
    'JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid',
  )
  await succeedAll()
  expect(await jobs()).toHaveLength(2)
})

test('replaces a running Job', async () => {
  await createCronJob({ concurrencyPolicy: 'Replace' })
  await stage.pass(60)
  const [first] = await jobs()
  await stage.pass(60)
  const after = await jobs()
  expect(after).toHaveLength(1)
  expect(after[0]?.metadata.name).not.toBe(first?.metadata.name)
  expect((await cronJob()).status?.active).toHaveLength(1)
  expect(await stage.events('tick')).toContain(`SuccessfulDelete Deleted job ${first?.metadata.name}`)
})

test('starts once for all the times it missed while it was suspended', async () => {
  await createCronJob({ suspend: true })
  await stage.pass(7200)
  expect(await jobs()).toHaveLength(0)
  const patch = { spec: { suspend: false } }
  await stage.client.patch(
    { ...kindRef('batch/v1', 'CronJob'), namespace: 'default', name: 'tick' },
    { type: 'merge', patch },
  )
  await stage.settle()
  expect((await jobs()).map(({ metadata }) => metadata.name)).toEqual([`tick-${minute()}`])
  expect(await stage.events('tick')).toContain(
    'TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
  )
})

test('follows a time zone', async () => {
  await createCronJob({ schedule: '30 5 * * *', timeZone: 'Asia/Kolkata' })
  for (let hour = 0; hour < 24; hour++) await stage.pass(3600)
  const [job] = await jobs()
  expect(job?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toMatch(/T05:30:00\+05:30$/)
})

test('counts a changed schedule from its next time on', async () => {
  await createCronJob({ schedule: '0 0 1 1 *' })
  await stage.pass(1800)
  const patch = { spec: { schedule: '* * * * *' } }
  await stage.client.patch(
    { ...kindRef('batch/v1', 'CronJob'), namespace: 'default', name: 'tick' },
    { type: 'merge', patch },
  )
  await stage.settle()
  expect(await jobs()).toHaveLength(0)
  await stage.pass(61)
  expect(await jobs()).toHaveLength(1)
})

test('says what is wrong with a schedule that never comes', async () => {
  await createCronJob({ schedule: '0 0 31 2 *' })
  expect(await stage.events('tick')).toEqual([
    'InvalidSchedule invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second',
  ])
})
