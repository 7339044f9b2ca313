import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiServer, DialPod, Listening, PodAddress } from '@tiphys/apiserver'
import type { ImageTable, RuntimeName } from '@tiphys/cluster'
import { asError, type Env, TerminalFailure } from '@tiphys/env'
import { UsageFailure } from '../arguments.ts'
import { type Flags, textOf } from '../command.ts'
import { writePrivateFile } from '../private-file.ts'
import type { KeptCluster } from './cluster-server.ts'
import { openDataFolder } from './data-folder.ts'
import { openJournalEarly } from './opening-journal.ts'
import type { RunningPods } from './pods.ts'
import { listenOnPort } from './port.ts'

const DEFAULT_PORT = 6443
const MOST_NODES = 1000

export interface EmbeddedOptions {
  env: Env
  /** Where the cluster is kept; undefined keeps it in memory. */
  data: string | undefined
  /** What no container may see. */
  secretPaths: readonly string[]
  kubeconfig: string
  /** The port that was asked for; undefined for the usual one or the next. */
  port: number | undefined
  say: (line: string) => void
}

/** An embedded cluster that answers. What runs pods comes after, so that clients connect meanwhile. */
export interface EmbeddedCluster {
  readonly server: ApiServer
  readonly listening: Listening
  /** Gives it controllers, a scheduler and nodes. */
  startPods(options: PodsChoice): Promise<RunningPods>
  stop(): Promise<void>
}

export interface PodsChoice {
  nodes: number
  runtime: RuntimeName
  images: ImageTable
}

export async function startEmbeddedCluster(options: EmbeddedOptions): Promise<EmbeddedCluster> {
  const { env, data, kubeconfig, port, say, secretPaths } = options
  const dial: { pod: DialPod } = { pod: () => Promise.reject(new Error('nothing runs pods yet')) }
  const serverOptions = { env, clusterDefaults: true, dialPod: (address: PodAddress) => dial.pod(address) }
  const kept = data === undefined ? undefined : openKept(data, env)
  // Loading it takes longer than the disk does: both go on at the same time.
  const { adminKubeconfig, createServer } = await import('./cluster-server.ts')
  const server = await createServer(serverOptions, kept)
  let pods: RunningPods | undefined
  const stop = async () => {
    await pods?.stop()
    await server.close()
  }
  try {
    const [listening] = await Promise.all([
      listenOnPort({ flag: 'port', asked: port, usual: DEFAULT_PORT, say }, port => server.listen({ port })),
      server.stored,
    ])
    // Made anew at every start: it need not outlive a power cut, which the server does not either.
    await writePrivateFile(kubeconfig, adminKubeconfig(server, listening.url), { isLasting: false })
    return {
      server,
      listening,
      async startPods(choice) {
        const { startPods } = await import('./pods.ts')
        pods = await startPods({ ...choice, server, env, listening, directory: data, secretPaths })
        dial.pod = pods.dialPod
        return pods
      },
      stop,
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

function openKept(data: string, env: Env): KeptCluster {
  openDataFolder(data)
  return { journal: openJournalEarly(join(data, 'cluster'), env), identityFile: join(data, 'identity.json') }
}

/** What the flags say of nodes and pods. */
export async function podsChoiceOf(flags: Flags): Promise<PodsChoice> {
  const images = textOf(flags, 'images')
  return {
    nodes: nodeCountOf(flags),
    runtime: (textOf(flags, 'runtime') ?? 'auto') as RuntimeName,
    images: images === undefined ? {} : await readImages(images),
  }
}

function nodeCountOf({ nodes = '1' }: Flags): number {
  const count = Number(nodes)
  if (!Number.isInteger(count) || count < 0 || count > MOST_NODES)
    throw new UsageFailure(`--nodes cannot be ${JSON.stringify(nodes)}`, `It is a number from 0 to ${MOST_NODES}`)
  return count
}

async function readImages(path: string): Promise<ImageTable> {
  const refuse = (why: string, cause?: unknown) =>
    new TerminalFailure('cli-images-unreadable', {
      what: `the table of images in ${path} cannot be read`,
      why,
      todo: 'docs/cluster.md shows what it looks like',
      cause,
    })
  const { parseImageTable } = await import('@tiphys/cluster')
  const text = await readFile(path, 'utf8').catch(thrown => {
    throw refuse(asError(thrown).message, thrown)
  })
  try {
    return await parseImageTable(text)
  } catch (thrown) {
    throw refuse(asError(thrown).message, thrown)
  }
}
