import { chmod, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { asError, type Env, type Timer } from '@tiphys/env'
import { type Client, goQuote, type ObjectCache } from '@tiphys/kube'
import type { Container, Pod, Service } from '@tiphys/kube/kinds'
import type { EventRecorder } from '../event-recorder.ts'
import type { ContainerConfig, ContainerExit, Mount, PodRuntime } from '../runtime/pod-runtime.ts'
import { createConfigurationSource } from './configuration-source.ts'
import { securityConfig } from './container-security.ts'
import {
  bareConfig,
  type ContainerContext,
  type ContainerRequest,
  type ContainerSetup,
  SetupFailure,
} from './container-setup.ts'
import { containerEnvironment } from './environment/container-environment.ts'
import { expand } from './environment/expansion.ts'
import type { PodPlace } from './environment/pod-fields.ts'
import { serviceVariables } from './environment/service-variables.ts'
import { type LogStore, logRunOf } from './logs/log-store.ts'
import { fieldPathOf } from './pod-containers.ts'
import { hostNetworkHostsFile, hostsFile, machineResolver, podHostname, resolverFile } from './pod-files.ts'
import { runHook } from './probes/lifecycle-hook.ts'
import { runProbes } from './probes/prober.ts'
import { createPodTokens } from './volumes/pod-tokens.ts'
import { PodVolumes } from './volumes/pod-volumes.ts'
import { resolveSubPath } from './volumes/sub-path.ts'

export interface FileSetupOptions {
  client: Client
  env: Env
  recorder: EventRecorder
  runtime: PodRuntime
  logs: LogStore
  /** Pods live in folders of it. */
  directory: string
  services: ObjectCache<Service>
  nodeName: string
  hostIps: readonly string[]
  allocatable: Readonly<Record<string, string>>
  /** Where pods ask for names; the runtime's own unless given. */
  clusterDns?: readonly string[]
}

/** How often volumes are compared with the objects they come from. */
const REFRESH_MS = 60_000

const LONGEST_MESSAGE = 4096
const LONGEST_LOG_MESSAGE = 2048
const MOST_LOG_MESSAGE_LINES = 80

interface KnownPod {
  pod: Pod
  ips: readonly string[]
  timer?: Timer
}

/** Gives containers everything that they see of the cluster: volumes, files, environment, probes and hooks. */
export function createFileSetup(options: FileSetupOptions): ContainerSetup {
  const { client, env, recorder, runtime, logs, services, directory } = options
  const root = join(directory, 'pods')
  const configurations = createConfigurationSource(client)
  const tokens = createPodTokens(client, env)
  const volumes = new PodVolumes(client, root)
  const known = new Map<string, KnownPod>()

  const place = ({ spec }: Pod, ips: readonly string[]): PodPlace => ({
    nodeName: options.nodeName,
    hostIps: options.hostIps,
    podIps: spec?.hostNetwork ? options.hostIps : ips,
    allocatable: options.allocatable,
  })
  const sources = (pod: Pod, ips: readonly string[]) => ({ configurations, tokens, place: place(pod, ips) })

  const refreshLater = (uid: string) => {
    const current = known.get(uid)
    if (!current || !hasChangingVolumes(current.pod)) return
    current.timer?.cancel()
    current.timer = env.clock.schedule(REFRESH_MS * (0.9 + env.random.next() * 0.2), () => {
      void volumes
        .refresh(current.pod, sources(current.pod, current.ips))
        .catch(thrown => recorder.warning(current.pod, 'FailedMount', asError(thrown).message))
        .finally(() => refreshLater(uid))
    })
  }

  const containerDirectory = ({ metadata }: Pod, { name }: Container, restartCount: number) =>
    join(root, metadata.uid ?? '', 'containers', name, String(restartCount))

  return {
    async preparePod(pod) {
      const { uid = '' } = pod.metadata
      await mkdir(root, { recursive: true, mode: 0o700 })
      await mkdir(join(root, uid), { recursive: true })
      known.set(uid, { pod, ips: known.get(uid)?.ips ?? [] })
      await volumes.prepare(pod, sources(pod, []))
      refreshLater(uid)
    },
    updatePod(pod) {
      const current = known.get(pod.metadata.uid ?? '')
      if (current) current.pod = pod
    },
    async environment({ pod, container, ips }) {
      const current = known.get(pod.metadata.uid ?? '')
      if (current) current.ips = ips
      await services.whenSynced()
      const variables = serviceVariables(
        services.list(),
        pod.metadata.namespace ?? '',
        pod.spec?.enableServiceLinks ?? true,
      )
      return containerEnvironment({
        pod,
        container,
        place: place(pod, ips),
        services: variables,
        source: configurations,
      })
    },
    async configure(request) {
      const { pod, container, image, environment } = request
      const own = containerDirectory(pod, container, request.restartCount)
      await mkdir(own, { recursive: true })
      const files = await writePodFiles(request, join(root, pod.metadata.uid ?? ''), options)
      const message = await makeMessageFile(container, own)
      const chosen = await volumeMounts(request, volumes)
      const isTaken = ({ target }: Mount) => chosen.some(mount => mount.target === target)
      const mounts = [...files, ...message].filter(mount => !isTaken(mount)).concat(chosen)
      const config: ContainerConfig = {
        ...bareConfig(request),
        ...securityConfig(pod, container, image),
        env: [['HOSTNAME', podHostname(pod).hostname] as const, ...environment].map(([name, value]) => ({
          name,
          value,
        })),
        mounts: mounts.toSorted((one, other) => depthOf(one) - depthOf(other)),
        stdin: container.stdin ?? false,
        tty: container.tty ?? false,
      }
      return config
    },
    afterStart(context, report, signal) {
      const { pod, container } = context
      const warn = (reason: string, message: string) =>
        recorder.warning(pod, reason, message, fieldPathOf(pod, container.name))
      const run = async () => {
        const { postStart } = container.lifecycle ?? {}
        if (postStart && !(await runHook(env, context, postStart, signal))) {
          if (signal.aborted) return
          warn('FailedPostStartHook', 'PostStartHook failed')
          return report({ unhealthy: 'postStart' })
        }
        await runProbes({ env, target: context, report, onFailure: text => warn('Unhealthy', text), signal })
      }
      run().catch(thrown => env.log.error(`the probes of ${container.name} ended`, { error: asError(thrown) }))
    },
    async beforeStop(context, signal) {
      const { pod, container } = context
      const { preStop } = container.lifecycle ?? {}
      if (!preStop || (await runHook(env, context, preStop, signal))) return
      recorder.warning(pod, 'FailedPreStopHook', 'PreStopHook failed', fieldPathOf(pod, container.name))
    },
    terminationMessage: async (context, exit) => readMessage(context, exit, logs, containerDirectory),
    async removePod({ metadata: { uid = '' } }) {
      known.get(uid)?.timer?.cancel()
      known.delete(uid)
      tokens.forget(uid)
      await volumes.remove(uid)
      await rm(join(root, uid), { recursive: true, force: true })
    },
    async removeOthers(isKnown) {
      for (const uid of await readdir(root).catch(() => [])) {
        if (!isKnown(uid)) await rm(join(root, uid), { recursive: true, force: true })
      }
    },
    stop() {
      for (const { timer } of known.values()) timer?.cancel()
      known.clear()
    },
  }

  async function writePodFiles(
    { pod, ips }: ContainerRequest,
    own: string,
    { clusterDns = runtime.network ? [runtime.network.dnsAddress] : [] }: FileSetupOptions,
  ): Promise<Mount[]> {
    const isHost = pod.spec?.hostNetwork ?? false
    const hosts = isHost
      ? hostNetworkHostsFile(pod, await readFile('/etc/hosts', 'utf8').catch(() => ''))
      : hostsFile(pod, ips)
    const texts: Record<string, string> = {
      hosts,
      hostname: `${podHostname(pod).hostname}\n`,
      'resolv.conf': resolverFile(pod, clusterDns, await machineResolver()),
    }
    const mounts: Mount[] = []
    for (const [name, text] of Object.entries(texts)) {
      const source = join(own, `etc-${name}`)
      await writeFile(source, text, { mode: 0o644 })
      mounts.push({ source, target: `/etc/${name}`, readOnly: false })
    }
    return mounts
  }
}

const depthOf = ({ target }: Mount) => target.split('/').filter(Boolean).length

const hasChangingVolumes = ({ spec }: Pod) =>
  (spec?.volumes ?? []).some(
    ({ configMap, secret, projected, downwardAPI }) => configMap ?? secret ?? projected ?? downwardAPI,
  )

async function makeMessageFile({ terminationMessagePath }: Container, own: string): Promise<Mount[]> {
  if (!terminationMessagePath) return []
  const source = join(own, 'termination-log')
  await (await open(source, 'a')).close()
  // Whoever the container runs as may write it.
  await chmod(source, 0o666)
  return [{ source, target: posix.resolve('/', terminationMessagePath), readOnly: false }]
}

async function readMessage(
  { pod, container, restartCount }: ContainerContext,
  { exitCode }: ContainerExit,
  logs: LogStore,
  directoryOf: (pod: Pod, container: Container, restartCount: number) => string,
): Promise<string | undefined> {
  const source = join(directoryOf(pod, container, restartCount), 'termination-log')
  const written = container.terminationMessagePath ? await readEnd(source, LONGEST_MESSAGE) : ''
  if (written !== '' || exitCode === 0 || container.terminationMessagePolicy !== 'FallbackToLogsOnError') return written
  return logs.tail(logRunOf(pod, container.name, restartCount), MOST_LOG_MESSAGE_LINES, LONGEST_LOG_MESSAGE)
}

/** The last bytes of a file, however large it is. */
async function readEnd(path: string, most: number): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, most)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}

async function volumeMounts(request: ContainerRequest, volumes: PodVolumes): Promise<Mount[]> {
  const { pod, container, environment } = request
  const mounts: Mount[] = []
  for (const { name, mountPath, readOnly = false, subPath, subPathExpr } of container.volumeMounts ?? []) {
    const volume = volumes.find(pod, name)
    if (!volume) throw new SetupFailure(`cannot find volume "${name}" to mount into container "${container.name}"`)
    const inside = subPathExpr ? expandAll(subPathExpr, environment) : subPath
    const source = inside ? await resolveSubPath(volume.path, inside, volume.isOurs) : volume.path
    mounts.push({
      source,
      target: posix.resolve('/', mountPath),
      readOnly: readOnly || volume.isOurs,
      ...(inside && !volume.isOurs && { beneath: volume.path }),
    })
  }
  return mounts
}

/** A path with a variable that nobody set would lead somewhere else than was meant. */
function expandAll(expression: string, environment: ReadonlyMap<string, string>): string {
  return expand(expression, name => {
    const value = environment.get(name)
    if (value === undefined) throw new SetupFailure(`missing value for ${goQuote(name)}`)
    return value
  })
}
