import { Readable } from 'node:stream'
import { systemEnv } from '@tiphys/env'
import type { Client, ExecOptions } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { expect, it } from 'vitest'
import type { WorkflowEngineOptions } from '../engine/engine-context.ts'
import { createStatusKeeper } from '../engine/status-keeper.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { createPodArtifacts } from './pod-artifacts.ts'
import { writeTar } from './tar.ts'

const SIZE = 16 * 2 ** 20
const PIECE = Buffer.alloc(2 ** 16)
/** Streams read ahead a little. */
const A_LITTLE = 2 ** 20

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

it('fetches an artifact no faster than it is stored', async () => {
  let sent = 0
  let stored = 0
  let most = 0
  const content = Readable.from(Array.from({ length: SIZE / PIECE.length }, () => PIECE))
  const file = { path: 'big', type: 'file', mode: 0o644, size: SIZE, content } as const
  const client = {
    async exec(_pod: unknown, { command, onStdout }: ExecOptions) {
      if (!command.includes('/big')) return { exitCode: 0 } // it is released
      for await (const bytes of writeTar(Readable.from([file]))) {
        sent += bytes.length
        await onStdout?.(bytes)
      }
      return { exitCode: 0 }
    },
  } as unknown as Client
  const store = {
    async put(_key, pieces) {
      for await (const piece of pieces) {
        await turn()
        stored += piece.length
        most = Math.max(most, sent - stored)
      }
      return { bytes: stored }
    },
  } as Partial<ArtifactStore> as ArtifactStore
  const options = {
    env: systemEnv,
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
  const wanted = { name: 'big', path: '/big', archive: { none: {} } }
  const fetched = await artifacts.fetch(pod, [wanted], '1', new AbortController().signal)
  expect(fetched).toMatchObject({ artifacts: [{ name: 'big' }], troubles: {} })
  expect(stored).toBe(SIZE)
  expect(most).toBeLessThan(A_LITTLE)
})
