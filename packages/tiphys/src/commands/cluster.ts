import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  type DialPod,
  type Identity,
  type Listening,
  openDurableStorage,
  type PodAddress,
} from '@tiphys/apiserver'
import type { ImageTable, RuntimeName } from '@tiphys/cluster'
import {
  asError,
  createLog,
  type Env,
  formatJson,
  formatPretty,
  systemClock,
  systemRandom,
  TerminalFailure,
} from '@tiphys/env'
import { kubeconfigFor } from '@tiphys/kube'
import { UsageFailure } from '../arguments.ts'
import type { Flags, Invocation, RunCommand } from '../command.ts'
import { writePrivateFile } from '../private-file.ts'
import type { RunningCluster } from './cluster-pods.ts'

const DEFAULT_PORT = 6443
const PORTS_TRIED = 100
const MOST_NODES = 1000

/** `tiphys cluster`: the embedded cluster alone, until it is interrupted. */
export const run: RunCommand = async invocation => {
  const { flags, terminal, interrupted } = invocation
  const port = portOf(flags)
  const nodes = nodeCountOf(flags)
  const data = resolve(typeof flags.data === 'string' ? flags.data : '.tiphys')
  const kubeconfig =
    typeof flags['kubeconfig-out'] === 'string' ? resolve(flags['kubeconfig-out']) : join(data, 'kubeconfig')
  const env = environment(invocation)
  const images = typeof flags.images === 'string' ? await readImages(resolve(flags.images)) : {}
  // The API answers first; what runs pods is loaded while clients connect already.
  const pods: { dial: DialPod } = { dial: () => Promise.reject(new Error('nothing runs pods yet')) }
  const options = { env, clusterDefaults: true, dialPod: (address: PodAddress) => pods.dial(address) }
  const server = flags.memory === true ? await createApiServer(options) : await durableServer(options, data)
  let cluster: RunningCluster | undefined
  try {
    const listening =
      port === undefined
        ? await listenOnUsualPort(server, line => terminal.err.print(line))
        : await listenOn(server, port)
    await writePrivateFile(kubeconfig, adminKubeconfig(server, listening.url))
    if (flags['api-only'] !== true) {
      const { startPods } = await import('./cluster-pods.ts')
      cluster = await startPods({
        server,
        env,
        listening,
        nodes,
        runtime: (flags.runtime ?? 'auto') as RuntimeName,
        images,
        directory: flags.memory === true ? undefined : data,
        secretPaths: [data, kubeconfig],
      })
      pods.dial = cluster.dialPod
    }
    const { runtime, description, limitations = [] } = cluster ?? {}
    if (flags.json === true)
      terminal.out.print(JSON.stringify({ url: listening.url, kubeconfig, runtime, pid: process.pid }))
    else {
      terminal.out.print(`API         ${listening.url}`)
      terminal.out.print(`kubeconfig  ${kubeconfig}`)
      if (description !== undefined) terminal.out.print(`pods        ${description}`)
      for (const limitation of limitations) terminal.err.print(`note: ${limitation}`)
      terminal.out.print('tiphys is ready')
    }
    await until(interrupted)
    return 0
  } finally {
    await cluster?.stop()
    await server.close()
  }
}

function environment({ flags, terminal: { err } }: Invocation): Env {
  const log = createLog({
    now: () => systemClock.now(),
    level: flags.verbose === true ? 'debug' : 'info',
    write: line => err.print(err.isInteractive ? formatPretty(line, err.hasColours) : formatJson(line)),
  })
  return { clock: systemClock, random: systemRandom, log }
}

/** The port that was asked for; undefined means the usual one or the next. */
function portOf({ port }: Flags): number | undefined {
  if (port === undefined) return undefined
  const number = Number(port)
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new UsageFailure(`--port cannot be ${JSON.stringify(port)}`, 'It is a number from 0 to 65535')
  return number
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

async function listenOnUsualPort(server: ApiServer, say: (line: string) => void): Promise<Listening> {
  for (let port = DEFAULT_PORT; ; port++) {
    try {
      const listening = await server.listen({ port })
      if (port !== DEFAULT_PORT) say(`port ${DEFAULT_PORT} is taken: using ${port}`)
      return listening
    } catch (thrown) {
      const isTaken = (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || port >= DEFAULT_PORT + PORTS_TRIED) throw portUnavailable(port, thrown)
    }
  }
}

async function listenOn(server: ApiServer, port: number): Promise<Listening> {
  try {
    return await server.listen({ port })
  } catch (thrown) {
    throw portUnavailable(port, thrown)
  }
}

function portUnavailable(port: number, cause: unknown): TerminalFailure {
  const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
  return new TerminalFailure('cli-port-unavailable', {
    what: `port ${port} cannot be used`,
    why: isTaken ? 'it is taken' : asError(cause).message,
    todo: 'Choose another with --port, or --port 0 for any free one',
    cause,
  })
}

async function durableServer(options: ApiServerOptions & { env: Env }, data: string): Promise<ApiServer> {
  // Secrets are kept there. Why a folder cannot be made is what opening the storage says in full.
  await mkdir(data, { recursive: true, mode: 0o700 }).catch(() => {})
  const storage = await openDurableStorage({ directory: join(data, 'cluster'), env: options.env })
  try {
    const path = join(data, 'identity.json')
    const identity = await readIdentity(path)
    const server = await createApiServer({ ...options, storage, ...(identity ? { identity } : {}) })
    if (!identity) await writePrivateFile(path, JSON.stringify(server.identity))
    return server
  } catch (thrown) {
    await storage.close()
    throw thrown
  }
}

/** The keys of an earlier run; undefined in a new folder. */
async function readIdentity(path: string): Promise<Identity | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Identity
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new TerminalFailure('cli-identity-unreadable', {
      what: `the keys of this cluster in ${path} cannot be read`,
      why: asError(thrown).message,
      todo: 'Restore the file from a backup, or remove it: certificates and tokens given out before then stop working',
      cause: thrown,
    })
  }
}

function adminKubeconfig(server: ApiServer, url: string): string {
  const { certificate, key } = server.issueClientCertificate({ name: 'tiphys-admin', groups: ['system:masters'] })
  return kubeconfigFor({ name: 'tiphys', server: url, ca: server.caCertificate, user: { cert: certificate, key } })
}

const until = (signal: AbortSignal) =>
  new Promise<void>(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
