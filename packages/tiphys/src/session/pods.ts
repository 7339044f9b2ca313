import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiServer, DialPod, Listening } from '@tiphys/apiserver'
import { createRuntime, type ImageTable, type RuntimeName, startCluster } from '@tiphys/cluster'
import type { Env } from '@tiphys/env'
import { programPath } from './programs.ts'

export interface PodsOptions {
  server: ApiServer
  env: Env
  listening: Listening
  nodes: number
  runtime: RuntimeName
  /** What images run, besides those that are known. */
  images: ImageTable
  /** Where volumes and logs live; undefined for a folder that goes with the cluster. */
  directory: string | undefined
  /** What no container may see. */
  secretPaths: readonly string[]
}

export interface RunningPods {
  readonly runtime: string
  /** How pods run, in words. */
  readonly description: string
  readonly limitations: readonly string[]
  readonly dialPod: DialPod
  /** Nothing is being done or ready to be done; what containers do does not count. */
  isIdle(): boolean
  stop(): Promise<void>
}

/** Gives an API server what runs pods: controllers, a scheduler and nodes. */
export async function startPods(options: PodsOptions): Promise<RunningPods> {
  const { server, env, listening, nodes, secretPaths } = options
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'tiphys-')))
  const runtime = await createRuntime(options.runtime, {
    env,
    supervisorProgram: programPath('supervisor.js'),
    maskedPaths: secretPaths,
    images: options.images,
    workDirectory: join(directory, 'work'),
    dialApi: () => dial(listening),
  })
  const nodeNames = Array.from({ length: nodes }, (_, index) => `node-${index + 1}`)
  const cluster = await startCluster({ server, env, runtime, nodeNames, directory, servesNodes: true })
  await cluster.ready
  return {
    runtime: runtime.name,
    description: DESCRIPTIONS[runtime.name],
    limitations: runtime.limitations,
    dialPod: ({ namespace, pod, port }) => cluster.pods.dial({ namespace, pod }, port),
    isIdle: () => cluster.isIdle(),
    async stop() {
      await cluster.stop()
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

const DESCRIPTIONS = {
  process: 'run as processes of this machine',
  docker: 'run in the container engine of this machine',
  simulated: 'are simulated: no program runs',
} as const

const dial = ({ host, port }: Listening): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
