import { systemEnv, VirtualClock } from '@tiphys/env'
import type { Client } from '@tiphys/kube'
import type { Event, Pod } from '@tiphys/kube/kinds'
import { beforeEach, expect, it } from 'vitest'
import { createPendingWords, type PendingWords } from './pending-words.ts'

let clock: VirtualClock
let words: PendingWords
let events: Partial<Event>[]
let asked: string[]
let changed: string[]
beforeEach(() => {
  clock = new VirtualClock()
  events = []
  asked = []
  changed = []
  const list = async ({ fieldSelector = '' }) => {
    asked.push(fieldSelector.replace('involvedObject.uid=', ''))
    return { items: events }
  }
  words = createPendingWords({
    env: { ...systemEnv, clock },
    client: { list } as unknown as Client,
    onChange: ({ metadata }) => changed.push(metadata.uid ?? ''),
  })
})

const pod = (uid: string, status: Pod['status'] = { phase: 'Pending' }) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: uid, uid }, status }) as Pod
const waitingFor = (reason: string, message?: string): Pod['status'] => ({
  phase: 'Pending',
  containerStatuses: [
    {
      name: 'main',
      image: 'alpine',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason, ...(message !== undefined && { message }) } },
    },
  ],
})
const event = (type: string, reason: string, second: number): Partial<Event> => ({
  type,
  reason,
  message: 'so it is',
  metadata: {},
  lastTimestamp: new Date(Date.UTC(2024, 0, 1, 0, 0, second)).toISOString(),
})

it('asks nothing about pods that start in time, or that say themselves why they do not', async () => {
  words.see(pod('quick'))
  words.see(pod('wordy', waitingFor('ImagePullBackOff', 'no such image')))
  await clock.advance(4000)
  words.see(pod('quick', { phase: 'Running' }))
  await clock.advance(60_000)
  expect(asked).toEqual([])
  expect(clock.waiting).toBe(0)
})

it('has the newest warning of one that waits, and nothing when something went well since or it starts', async () => {
  const creating = pod('stuck', waitingFor('ContainerCreating'))
  words.see(creating)
  events = [
    event('Warning', 'FailedScheduling', 0),
    event('Normal', 'Scheduled', 1),
    event('Warning', 'FailedMount', 1),
  ]
  await clock.advance(6000)
  expect(words.of(creating)).toBe('FailedMount: so it is')
  expect(changed).toEqual(['stuck'])
  await clock.advance(30_000)
  expect(changed).toEqual(['stuck'])
  events = [...events, event('Normal', 'Pulling', 30)]
  await clock.advance(30_000)
  expect(words.of(creating)).toBeUndefined()
  expect(changed).toEqual(['stuck', 'stuck'])
  events = [event('Warning', 'FailedMount', 40)]
  await clock.advance(30_000)
  expect(words.of(creating)).toBe('FailedMount: so it is')
  expect(words.of(pod('stuck', { phase: 'Running' }))).toBeUndefined()
})

it('asks about a few at a time, each in its turn', async () => {
  for (let index = 0; index < 100; index++) words.see(pod(`pod-${index}`))
  await clock.advance(60_000)
  expect(asked.length).toBeLessThanOrEqual(60)
  expect(new Set(asked).size).toBe(asked.length)
  await clock.advance(60_000)
  expect(new Set(asked).size).toBe(100)
  for (let index = 0; index < 100; index++) words.forget(`pod-${index}`)
  await clock.advance(10_000)
  expect(clock.waiting).toBe(0)
})
