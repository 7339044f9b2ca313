import { networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import { asError, type Env, systemEnv, TerminalFailure, uuid } from '@tiphys/env'
import { createDnsForwarder, nameServers } from '../../network/dns-forwarder.ts'
import { type Egress, NO_EGRESS, startEgress } from '../../network/egress.ts'
import type { PodRuntime, SandboxConfig, ServiceRoute } from '../pod-runtime.ts'
import { readAccounts } from './accounts.ts'
import { type Cgroups, createCgroups } from './cgroups.ts'
import { detectProcessRuntime, type ProcessSupport } from './detection.ts'
import { type ImageTable, readImageTable, thisMachine } from './image-table.ts'
import { joinChannel } from './join-channel.ts'
import { readToEnd } from './multiplexer.ts'
import { createProcessSandbox, dialThrough } from './process-sandbox.ts'
import { sensitivePaths } from './sensitive-paths.ts'
import { type SupervisorProcess, startSupervisor } from './supervisor-process.ts'
import type {
  RuntimeRequest,
  SandboxAnswer,
  SetUpAnswer,
  SetUpRequest,
  SupervisorRequest,
} from './supervisor-protocol.ts'

export interface ProcessRuntimeOptions {
  /** The bundled `supervisor` program. */
  supervisorProgram: string
  env?: Env
  /** What this machine allows; asked of the machine when it is left out. */
  support?: ProcessSupport
  /** Files and folders that no container may see, besides the users' keys: data, kubeconfig, sockets. */
  maskedPaths?: readonly string[]
  /** A connection to the API server, for `kubernetes.default.svc`. */
  dialApi?: () => Promise<Duplex>
  /** Pods reach what this machine can reach, where it has slirp4netns. True unless said. */
  egress?: boolean
  /** Images that the table of well-known ones does not have, or has differently. */
  images?: ImageTable
  podCidr?: string
  serviceCidr?: string
  clusterDomain?: string
  /** How much a container may write outside its volumes. */
  writableBytes?: number
  /** How many processes a container may have. */
  maxProcesses?: number
  /** Where containers have their folders when there are no namespaces. */
  workDirectory?: string
}

const DEFAULT_WRITABLE_BYTES = 2 * 1024 ** 3
const DEFAULT_MAX_PROCESSES = 2048

/** Must be called in the main thread: what it starts ends with the thread that starts it. */
export async function createProcessRuntime(options: ProcessRuntimeOptions): Promise<PodRuntime> {
  const { env = systemEnv, supervisorProgram: program } = options
  const support = options.support ?? (await detectProcessRuntime())
  const mode = support.isolation === 'none' ? 'plain' : 'isolated'
  const isRoot = support.isolation === 'root'
  const cgroups: Cgroups | undefined = createCgroups({ maxProcesses: options.maxProcesses ?? DEFAULT_MAX_PROCESSES })
  const accounts = readAccounts()
  const machine = thisMachine(name => accounts.users.some(user => user.name === name))
  const images = { ...readImageTable(), ...options.images }

  const forwardDns = createDnsForwarder({ clock: env.clock, servers: nameServers() })
  const accept = async (purpose: unknown, stream: Duplex): Promise<void> => {
    const request = purpose as RuntimeRequest
    if (request.do === 'dial api') return joinApi(stream, options.dialApi)
    stream.end(await forwardDns(await readToEnd(stream)))
  }
  const supervisor = startSupervisor({ program, mode, isRoot, log: env.log, accept })
  const ask = (request: SupervisorRequest) => supervisor.link.call(request)
  const wantsEgress = mode === 'isolated' && (options.egress ?? true)
  const wayOut: WayOut = wantsEgress ? await findWayOut(supervisor, options.podCidr) : { limitations: [] }
  const setUp: SetUpRequest = {
    mode,
    isSingleUser: !isRoot,
    maskedPaths: [...sensitivePaths(), ...(options.maskedPaths ?? [])],
    machineNetwork: supervisor.machineNetwork,
    writableBytes: options.writableBytes ?? DEFAULT_WRITABLE_BYTES,
    workDirectory: options.workDirectory,
    network: { podCidr: options.podCidr, serviceCidr: options.serviceCidr, clusterDomain: options.clusterDomain },
    forwardsDns: wayOut.egress !== undefined,
    egressDevice: wayOut.egress?.device,
  }
  const start = async (): Promise<SetUpAnswer> => {
    try {
      return (await ask({ do: 'set up', ...setUp })) as SetUpAnswer
    } catch (error) {
      wayOut.egress?.close()
      await supervisor.close()
      cgroups?.remove()
      const lastWords = await supervisor.ended
      throw new TerminalFailure('process-supervisor-failed', {
        what: 'the supervisor of the containers did not start',
        why: `${asError(error).message} (${lastWords})`,
        todo: 'Use another runtime (docker, simulated) if this machine does not allow what the message names',
        cause: error,
      })
    }
  }
  const { dnsAddress } = await start()
  let isClosed = false
  const broken = new Promise<string>(resolve => {
    void supervisor.ended.then(lastWords => {
      if (isClosed) return
      env.log.error('the supervisor of the containers has ended, and all containers with it: restart Tiphys', {
        lastWords,
      })
      resolve(`the supervisor of the containers has ended: ${lastWords}`)
    })
  })

  return {
    name: 'process',
    broken,
    limitations: [...support.limitations, ...wayOut.limitations, ...(cgroups?.limitations ?? [NO_CGROUPS])],
    network:
      dnsAddress === undefined
        ? undefined
        : {
            dnsAddress,
            dial: (ip: string, port: number) => dialThrough(supervisor.link, { do: 'dial address', ip, port }),
            setServices: (services: readonly ServiceRoute[]) => {
              ask({ do: 'set services', services }).catch(error => {
                env.log.warn('the services of the pods were not set', { error: asError(error) })
              })
            },
          },
    async createSandbox(config: SandboxConfig) {
      const name = uuid(env.random)
      const { hostname, hostNetwork, shareProcessNamespace } = config
      const created = await ask({ do: 'create sandbox', sandbox: name, hostname, hostNetwork, shareProcessNamespace })
      const { ip } = created as SandboxAnswer
      return createProcessSandbox({
        name,
        config,
        ips: [ip ?? machineAddress()],
        isOnMachineNetwork: ip === undefined,
        link: supervisor.link,
        env,
        images,
        machine,
        cgroups,
      })
    },
    async close() {
      isClosed = true
      wayOut.egress?.close()
      await supervisor.close()
      cgroups?.remove()
    },
  }
}

const NO_CGROUPS =
  'limits of memory, processors and processes are not enforced: no control group of this machine can be written to'

interface WayOut {
  egress?: Egress
  limitations: readonly string[]
}

async function findWayOut({ link, pid }: SupervisorProcess, podCidr: string | undefined): Promise<WayOut> {
  try {
    await link.call({ do: 'say hello' } satisfies SupervisorRequest)
    const egress = await startEgress({ pid, ...(podCidr === undefined ? {} : { podCidr }) })
    return { egress, limitations: [] }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return { limitations: [isMissing ? NO_EGRESS : `Pods reach nothing outside: ${asError(error).message}`] }
  }
}

async function joinApi(stream: Duplex, dialApi: ProcessRuntimeOptions['dialApi']): Promise<void> {
  if (dialApi === undefined) throw new Error('there is no API server to lead to')
  joinChannel(stream, await dialApi())
}

function machineAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap(entries => entries ?? [])
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}
