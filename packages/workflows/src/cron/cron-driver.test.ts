import { systemEnv, VirtualClock } from '@tiphys/env'
import { ApiError, type Client, type KubeObject } from '@tiphys/kube'
import { expect, test } from 'vitest'
import type { ServedObjects } from '../engine/served-objects.ts'
import type { CronWorkflow, Workflow } from '../spec/workflow.ts'
import { createCronDriver } from './cron-driver.ts'

const MINUTE = 60_000
const START = Date.parse('2026-03-02T10:00:30Z')

/** Objects as an engine sees them, which tests change. */
function served<T extends KubeObject>(...objects: T[]): ServedObjects<T> & { put(object: T): void } {
  const all = new Map(objects.map(object => [object.metadata.name ?? '', object]))
  const handlers: Parameters<ServedObjects<T>['subscribe']>[0][] = []
  return {
    get: name => all.get(name),
    list: () => [...all.values()],
    ownedBy: () => [],
    having: (valuesOf, value) => [...all.values()].filter(object => valuesOf(object).includes(value)),
    subscribe(handler) {
      handlers.push(handler)
      for (const object of all.values()) handler({ type: 'added', object } as Parameters<typeof handler>[0])
    },
    whenSynced: () => Promise.resolve(),
    release: () => undefined,
    put(object) {
      all.set(object.metadata.name ?? '', object)
      for (const handler of handlers) handler({ type: 'updated', object } as Parameters<typeof handler>[0])
    },
  }
}

function setUp() {
  const clock = new VirtualClock(START)
  const cronWorkflows = served<CronWorkflow>({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'CronWorkflow',
    metadata: { name: 'tick', namespace: 'default', uid: 'u', creationTimestamp: new Date(START).toISOString() },
    spec: { schedules: ['* * * * *'], workflowSpec: {} },
  })
  const workflows = served<Workflow>()
  const cluster = { refusal: undefined as Error | undefined, asked: 0, stored: 0 }
  const client = {
    create(workflow: Workflow) {
      cluster.asked++
      if (cluster.refusal !== undefined) return Promise.reject(cluster.refusal)
      workflows.put({ ...workflow, metadata: { ...workflow.metadata, uid: workflow.metadata.name ?? '' } })
      return Promise.resolve(workflows.get(workflow.metadata.name ?? ''))
    },
    update(cron: CronWorkflow) {
      cluster.stored++
      cronWorkflows.put(cron)
      return Promise.resolve(cron)
    },
  } as unknown as Client
  const env = { ...systemEnv, clock }
  createCronDriver({ env, client, cronWorkflows, workflows, instanceId: undefined }).begin()
  return { clock, cluster, workflows, status: () => cronWorkflows.get('tick')?.status }
}

const refusalOf = (code: number, message: string) =>
  new ApiError({ apiVersion: 'v1', kind: 'Status', metadata: {}, code, message })

test('a CronWorkflow says why its run was refused, tries it again, and forgets it with the next one', async () => {
  const { clock, cluster, workflows, status } = setUp()
  cluster.refusal = refusalOf(403, 'exceeded quota: runs')
  await clock.advance(MINUTE)
  const told = { type: 'SubmissionError', status: 'True', message: 'Failed to submit Workflow: exceeded quota: runs' }
  expect(status()).toMatchObject({ conditions: [told], active: [] })
  expect(status(), 'nothing ran').not.toHaveProperty('lastScheduledTime')
  expect(cluster.asked).toBeGreaterThan(1)
  const { stored } = cluster
  await clock.advance(2 * MINUTE)
  expect(cluster.stored, 'the same is not stored again').toBe(stored)
  cluster.refusal = undefined
  await clock.advance(6 * MINUTE)
  expect(workflows.list().length).toBeGreaterThan(0)
  expect(status()).toMatchObject({ conditions: [] })
  expect(status()).toHaveProperty('lastScheduledTime')
})

test('a CronWorkflow says nothing of what passes by itself', async () => {
  const { clock, cluster, workflows, status } = setUp()
  cluster.refusal = refusalOf(503, 'the server is starting')
  await clock.advance(MINUTE)
  expect(cluster.asked).toBeGreaterThan(0)
  expect(status()?.conditions ?? []).toEqual([])
  cluster.refusal = undefined
  await clock.advance(6 * MINUTE)
  expect(workflows.list().length).toBeGreaterThan(0)
})
