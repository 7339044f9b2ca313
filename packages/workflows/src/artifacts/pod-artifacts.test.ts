import { Readable } from 'node:stream'
import { type Clock, systemClock, systemEnv } from '@tiphys/env'
import { ApiError, type Client, type ExecOptions } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { expect, it } from 'vitest'
import type { WorkflowEngineOptions } from '../engine/engine-context.ts'
import { createStatusKeeper } from '../engine/status-keeper.ts'
import type { Workflow } from '../spec/workflow.ts'
import { missingArtifact, refusedArtifact } from './artifact-failures.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { createPodArtifacts } from './pod-artifacts.ts'
import { type ArchiveEntry, writeTar } from './tar.ts'

const SIZE = 16 * 2 ** 20
const PIECE = Buffer.alloc(2 ** 16)
/** Streams read ahead a little. */
const A_LITTLE = 2 ** 20

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Nothing that is waited for takes long. */
const impatient: Clock = { ...systemClock, schedule: (_ms, act) => systemClock.schedule(0, act) }

/** Fetches `/out` of a pod, where these files are, into a store. */
async function fetchFrom(
  files: readonly ArchiveEntry[],
  put: ArtifactStore['put'],
  { onSent = (_bytes: number) => {}, onRelease = () => {}, over = new AbortController().signal } = {},
) {
  const client = {
    async exec(_pod: unknown, { command, onStdout }: ExecOptions) {
      if (!command.includes('/out')) {
        onRelease()
        return { exitCode: 0 }
      }
      for await (const bytes of writeTar(Readable.from(files))) {
        onSent(bytes.length)
        await onStdout?.(bytes)
      }
      return { exitCode: 0 }
    },
  } as unknown as Client
  const store = { put } as Partial<ArtifactStore> as ArtifactStore
  const options = {
    env: { ...systemEnv, clock: impatient },
    client,
    actAs: () => client,
  } as Partial<WorkflowEngineOptions> as WorkflowEngineOptions
  const artifacts = createPodArtifacts({
    options,
    client,
    store,
    statuses: createStatusKeeper(store),
    workflowOf: () => undefined,
  })
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'team' } }
  const wanted = { name: 'out', path: '/out', archive: { none: {} } }
  return artifacts.fetch(pod, [wanted], { pid: '1', over }, new AbortController().signal)
}

const file = (path: string, content: Readable, size: number): ArchiveEntry => ({
  path,
  type: 'file',
  mode: 0o644,
  size,
  content,
})

it('fetches an artifact no faster than it is stored', async () => {
  let sent = 0
  let stored = 0
  let most = 0
  const content = Readable.from(Array.from({ length: SIZE / PIECE.length }, () => PIECE))
  const put: ArtifactStore['put'] = async (_key, pieces) => {
    for await (const piece of pieces) {
      await turn()
      stored += piece.length
      most = Math.max(most, sent - stored)
    }
    return { bytes: stored }
  }
  const fetched = await fetchFrom([file('out', content, SIZE)], put, {
    onSent(bytes) {
      sent += bytes
    },
  })
  expect(fetched).toMatchObject({ artifacts: [{ name: 'out' }], troubles: {} })
  expect(stored).toBe(SIZE)
  expect(most).toBeLessThan(A_LITTLE)
})

const numbered = (count: number): ArchiveEntry[] =>
  Array.from({ length: count }, (_, number) => file(`out/${number}`, Readable.from([Buffer.from('text')]), 4))

it('stores the small files of a folder side by side: one after the other, a thousand took a minute on a slow disk', async () => {
  const stored = new Set<string>()
  let underWay = 0
  let most = 0
  const put: ArtifactStore['put'] = async (key, pieces) => {
    most = Math.max(most, ++underWay)
    let text = ''
    for await (const piece of pieces) text += Buffer.from(piece).toString()
    for (let waited = 0; waited < 20; waited++) await turn()
    underWay--
    expect(text).toBe('text')
    stored.add(key)
    return { bytes: text.length }
  }
  expect(await fetchFrom(numbered(100), put)).toMatchObject({ artifacts: [{ name: 'out' }], troubles: {} })
  expect(stored.size).toBe(100)
  expect(underWay).toBe(0)
  expect(most).toBeGreaterThan(8)
  expect(most).toBeLessThanOrEqual(32)
})

it('says why a file of a folder could not be stored, after all others are done with', async () => {
  let underWay = 0
  const put: ArtifactStore['put'] = async key => {
    underWay++
    await turn()
    underWay--
    if (key.endsWith('/7')) throw refusedArtifact('The disk is full')
    return { bytes: 4 }
  }
  const { artifacts, troubles } = await fetchFrom(numbered(20), put)
  expect(artifacts).toEqual([])
  expect(troubles.out).toContain('The disk is full')
  expect(underWay).toBe(0)
})

const refusal = { apiVersion: 'v1', kind: 'Status', metadata: {} } as const
const away = () => new ApiError({ ...refusal, code: 500, message: 'dial tcp: connection refused' })

it('releases a container for as long as that is held: one whose node was away for half a minute waited for ever', async () => {
  let asked = 0
  const onRelease = () => {
    if (++asked < 30) throw away()
  }
  const put: ArtifactStore['put'] = async () => ({ bytes: 4 })
  expect(await fetchFrom(numbered(1), put, { onRelease })).toMatchObject({ artifacts: [{ name: 'out' }] })
  expect(asked).toBe(30)
  const over = new AbortController()
  const whenAskedTwice = () => {
    if (++asked === 32) over.abort()
    throw away()
  }
  const left = await fetchFrom(numbered(1), put, { onRelease: whenAskedTwice, over: over.signal })
  expect(left).toMatchObject({ artifacts: [{ name: 'out' }] })
  expect(asked).toBe(32)
})

it('tells a container that nothing comes, and comes again where it cannot be told now', async () => {
  const told: string[] = []
  const client = {
    get: () => Promise.reject(new ApiError({ ...refusal, reason: 'NotFound', code: 404 })),
    async exec(_pod: unknown, { command, stdin }: ExecOptions) {
      if (!stdin) told.push(command.at(-1) ?? '')
      for await (const _ of stdin ?? []);
      if (!stdin && told.length === 1) throw away()
      return { exitCode: 0 }
    },
  } as unknown as Client
  const store = { get: () => Promise.reject(missingArtifact('k')), list: async () => [] as string[] }
  const artifact = { name: 'in', path: '/in', s3: { key: 'k' } }
  const nodes = { n: { id: 'n', inputs: { artifacts: [artifact] } } }
  const env = { ...systemEnv, clock: impatient }
  const options: Partial<WorkflowEngineOptions> = { env, client, actAs: () => client }
  const artifacts = createPodArtifacts({
    options: options as WorkflowEngineOptions,
    client,
    store: store as Partial<ArtifactStore> as ArtifactStore,
    statuses: createStatusKeeper(undefined),
    workflowOf: () => ({ metadata: { name: 'run' }, spec: {}, status: { nodes } }) as unknown as Workflow,
  })
  const annotations = { 'workflows.argoproj.io/node-id': 'n' }
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'team', annotations } }
  const bring = () => artifacts.bring(pod, new AbortController().signal)
  await expect(bring()).rejects.toThrow('connection refused')
  await expect(bring()).rejects.toMatchObject({ code: 'artifact-missing' })
  expect(told).toEqual(Array(2).fill('input artifact in could not be read: There is no artifact under k'))
})
