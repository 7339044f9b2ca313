import { kindRef } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatTime } from '../timestamp.ts'
import { createStage, type Stage } from './stage.ts'
import { createTtlAfterFinishedController } from './ttl-after-finished.ts'

const JOB = { ...kindRef('batch/v1', 'Job'), namespace: 'default', name: 'job' }

describe('the time to live of finished Jobs', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await createStage(createTtlAfterFinishedController)
  })
  afterEach(() => stage.stop())

  const create = (ttlSecondsAfterFinished?: number) =>
    stage.client.create({
      ...kindRef('batch/v1', 'Job'),
      metadata: { namespace: 'default', name: 'job' },
      spec: {
        ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'c' }] } },
      },
    })
  const finish = (type: 'Complete' | 'Failed') => {
    const now = formatTime(stage.clock.now())
    const conditions = [
      { type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', status: 'True', lastTransitionTime: now },
      { type, status: 'True', lastTransitionTime: now },
    ]
    const status = { startTime: now, conditions, ...(type === 'Complete' && { completionTime: now, succeeded: 1 }) }
    return stage.client.patch(JOB, { type: 'merge', patch: { status } }, { subresource: 'status' })
  }
  /** Foreground deletion: it waits for its pods, which nobody collects here. */
  const isGoing = async () => (await stage.client.get(JOB)).metadata.deletionTimestamp !== undefined

  for (const type of ['Complete', 'Failed'] as const) {
    test(`begins when the Job is ${type}`, async () => {
      await create(60)
      await stage.pass(120)
      await finish(type)
      await stage.pass(58)
      expect(await isGoing()).toBe(false)
      await stage.pass(2)
      const { metadata } = await stage.client.get(JOB)
      expect(metadata.finalizers).toEqual(['foregroundDeletion'])
    })
  }

  test('of zero ends at once', async () => {
    await create(0)
    await finish('Complete')
    await stage.settle()
    expect(await isGoing()).toBe(true)
  })

  test('none: the Job stays', async () => {
    await create()
    await finish('Complete')
    await stage.pass(100_000)
    expect(await isGoing()).toBe(false)
  })

  test('that is made longer in time counts', async () => {
    await create(60)
    await finish('Complete')
    await stage.pass(30)
    await stage.client.patch(JOB, { type: 'merge', patch: { spec: { ttlSecondsAfterFinished: 600 } } })
    await stage.pass(100)
    expect(await isGoing()).toBe(false)
    await stage.pass(500)
    expect(await isGoing()).toBe(true)
  })

  test('that is made shorter counts too', async () => {
    await create(600)
    await finish('Complete')
    await stage.pass(30)
    await stage.client.patch(JOB, { type: 'merge', patch: { spec: { ttlSecondsAfterFinished: 10 } } })
    await stage.settle()
    expect(await isGoing()).toBe(true)
  })
})
