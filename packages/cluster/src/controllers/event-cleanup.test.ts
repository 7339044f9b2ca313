import { kindRef } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatTime } from '../timestamp.ts'
import { createEventCleanupController } from './event-cleanup.ts'
import { createStage, type Stage } from './stage.ts'

describe('Events', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await createStage(createEventCleanupController)
  })
  afterEach(() => stage.stop())

  const EVENT = { ...kindRef('v1', 'Event'), namespace: 'default', name: 'e' }
  const create = () =>
    stage.client.create({
      ...kindRef('v1', 'Event'),
      metadata: { namespace: 'default', name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      lastTimestamp: formatTime(stage.clock.now()),
    })

  test('are removed after an hour', async () => {
    await create()
    await stage.pass(3590)
    expect(await stage.exists(EVENT)).toBe(true)
    await stage.pass(15)
    expect(await stage.exists(EVENT)).toBe(false)
  })

  test('that happen again get another hour', async () => {
    await create()
    await stage.pass(3000)
    const lastTimestamp = formatTime(stage.clock.now())
    await stage.client.patch(EVENT, { type: 'merge', patch: { count: 2, lastTimestamp } })
    await stage.pass(3000)
    expect(await stage.exists(EVENT)).toBe(true)
    await stage.pass(605)
    expect(await stage.exists(EVENT)).toBe(false)
  })
})
