import { readFileSync } from 'node:fs'
import { asError, type Env, systemEnv, uuid } from '@tiphys/env'
import { dial } from '../../network/dial.ts'
import type { PodRuntime, Sandbox, SandboxConfig } from '../pod-runtime.ts'
import { sandboxSpec } from './container-spec.ts'
import { removeContainer, startContainer } from './docker-container.ts'
import { createEngineClient, type EngineClient } from './engine-client.ts'
import { type Environment, findEngineSocket } from './engine-socket.ts'
import { resolveImage } from './image-store.ts'
import { sandboxImageArchive } from './sandbox-image.ts'

export interface DockerRuntimeOptions {
  /** The engine's Unix socket; found by `environment` and the usual places unless given. */
  socketPath?: string
  environment?: Environment
  env?: Env
  /** The engine's network for pods; `host` gives them the engine's own. */
  network?: string
}

interface Version {
  Arch?: string
  Components?: readonly { Name: string }[]
}

interface ContainerSummary {
  Id: string
  Labels?: Record<string, string> | null
}

interface Inspection {
  NetworkSettings: { IPAddress?: string; Networks?: Record<string, { IPAddress?: string }> | null }
}

const SANDBOX_IMAGE = 'localhost/tiphys/sandbox'
const RUN = 'tiphys.dev/run'
const POD = 'tiphys.dev/pod-uid'
const OWNER = 'tiphys.dev/owner'

const LIMITATIONS = [
  'Services have no addresses and no names in the docker runtime: pods reach each other by their own addresses alone, and not the API server. Use the process runtime where it is available.',
  'If this process is killed, its containers run on until the next start with the docker runtime, which removes them.',
]

/** Runs pods in a Docker- or Podman-compatible engine. Removes at the start what processes that have ended left there. */
export async function createDockerRuntime(options: DockerRuntimeOptions): Promise<PodRuntime> {
  const { env = systemEnv, network = 'bridge', environment = process.env } = options
  const engine = createEngineClient(options.socketPath ?? findEngineSocket(environment))
  const { Arch = '', Components = [] } = await engine.json<Version>('/version')
  const isPodman = Components.some(({ Name }) => Name === 'Podman Engine')
  await removeLeftovers(engine)
  await importSandboxImage(engine, Arch)
  const run = uuid(env.random)
  const runLabels = { [RUN]: run, [OWNER]: identityOf(process.pid) ?? `${process.pid}` }

  const createSandbox = async (config: SandboxConfig): Promise<Sandbox> => {
    const labels = { ...runLabels, [POD]: config.uid, 'tiphys.dev/pod': `${config.namespace}/${config.name}` }
    const prefix = `tiphys_${config.namespace}_${config.name}_${config.uid.slice(0, 8)}_${run.slice(0, 8)}`
    const isHostNetwork = config.hostNetwork || network === 'host'
    const { Id: sandbox } = await engine.json<{ Id: string }>('/containers/create', {
      method: 'POST',
      query: { name: `${prefix}_sandbox` },
      body: sandboxSpec(config, SANDBOX_IMAGE, network, labels),
    })
    const remove = () => removeAll(engine, `${POD}=${config.uid}`, ({ Labels }) => Labels?.[RUN] === run)
    try {
      await engine.json(`/containers/${sandbox}/start`, { method: 'POST' })
      const ip = isHostNetwork ? '127.0.0.1' : addressOf(await engine.json<Inspection>(`/containers/${sandbox}/json`))
      /** The image that each container asked for, because what it resolves to is no name. */
      const images = new Map<string, string>()
      return {
        ips: ip === undefined ? [] : [ip],
        async resolveImage(request) {
          const image = await resolveImage(engine, request)
          images.set(request.container, request.image)
          return image
        },
        start(container) {
          const image = images.get(container.name)
          if (image === undefined) throw new Error(`the image of the container ${container.name} was never resolved`)
          const { shareProcessNamespace } = config
          const shared = { sandbox, image, labels, shareProcessNamespace, isHostNetwork }
          const place = isPodman && !isHostNetwork ? { ...shared, hostname: config.hostname } : shared
          return startContainer(
            engine,
            env.clock,
            `${prefix}_${container.name}_${container.restartCount}`,
            container,
            place,
          )
        },
        dial(port, host = ip) {
          if (host === undefined) throw new Error('the pod has no address')
          return dial({ host, port }, { clock: env.clock })
        },
        remove,
      }
    } catch (thrown) {
      await remove()
      throw thrown
    }
  }

  return {
    name: 'docker',
    limitations: LIMITATIONS,
    network: undefined,
    createSandbox,
    close: () => removeAll(engine, `${RUN}=${run}`),
  }
}

async function importSandboxImage(engine: EngineClient, architecture: string): Promise<void> {
  const archive = sandboxImageArchive(architecture)
  if (!archive) throw new Error(`the engine's processor is ${architecture}; pods need amd64 or arm64`)
  const query = { fromSrc: '-', repo: SANDBOX_IMAGE, tag: 'latest' }
  const progress = await engine.stream('/images/create', { method: 'POST', query, body: archive })
  progress.resume()
  await new Promise<void>((resolve, reject) => progress.once('end', resolve).once('error', reject))
}

/** What processes that no longer exist have left. */
async function removeLeftovers(engine: EngineClient): Promise<void> {
  await removeAll(engine, OWNER, ({ Labels }) => {
    const owner = Labels?.[OWNER] ?? ''
    return identityOf(Number.parseInt(owner, 10)) !== owner
  })
}

async function removeAll(
  engine: EngineClient,
  label: string,
  isWanted: (container: ContainerSummary) => boolean = () => true,
): Promise<void> {
  const query = { all: '1', filters: JSON.stringify({ label: [label] }) }
  const containers = await engine.json<ContainerSummary[]>('/containers/json', { query })
  const problems: Error[] = []
  // The sandbox last: others live in its network.
  const order = containers.filter(isWanted).toReversed()
  await Promise.all(order.map(({ Id }) => removeContainer(engine, Id).catch(thrown => problems.push(asError(thrown)))))
  if (problems[0]) throw problems[0]
}

function addressOf({ NetworkSettings }: Inspection): string | undefined {
  const addresses = Object.values(NetworkSettings.Networks ?? {}).map(({ IPAddress }) => IPAddress)
  return [NetworkSettings.IPAddress, ...addresses].find(address => address !== undefined && address !== '')
}

/** A process, such that a later one with the same number is another; undefined when there is none. */
function identityOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The fields after the name, which may hold anything in its parentheses; the start time is the twentieth of them.
    return `${pid}:${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return isAlive(pid) ? `${pid}` : undefined
  }
}

/** For systems without /proc. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}
