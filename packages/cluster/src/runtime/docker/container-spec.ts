import type { ContainerConfig, ImageRequest, ResolvedImage, SandboxConfig } from '../pod-runtime.ts'

/** The parts of an engine's answer about an image that decide what runs. */
export interface ImageDescription {
  Id: string
  RepoDigests?: readonly string[] | null
  Config?: {
    Entrypoint?: readonly string[] | null
    Cmd?: readonly string[] | null
    Env?: readonly string[] | null
    WorkingDir?: string
    User?: string
  } | null
}

/** As Kubernetes has it: `command` replaces the image's entrypoint together with its arguments, `args` its arguments. */
export function resolve({ command, args }: ImageRequest, { Id, RepoDigests, Config }: ImageDescription): ResolvedImage {
  const entrypoint = command?.length ? command : (Config?.Entrypoint ?? [])
  const replaced = command?.length ? [] : (Config?.Cmd ?? [])
  return {
    imageId: RepoDigests?.[0] ?? Id,
    argv: [...entrypoint, ...(args?.length ? args : replaced)],
    env: Object.fromEntries((Config?.Env ?? []).map(splitVariable)),
    workingDir: Config?.WorkingDir || undefined,
    user: Config?.User || undefined,
  }
}

function splitVariable(line: string): [string, string] {
  const at = line.indexOf('=')
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}

export interface SandboxPlace {
  /** The container that holds the pod's network. */
  sandbox: string
  image: string
  labels: Readonly<Record<string, string>>
  shareProcessNamespace: boolean
  isHostNetwork: boolean
  /** Set where containers in one network do not have one name by themselves: in Podman, but not in Docker. */
  hostname?: string
}

/** The container as the engine's API wants it. */
export function containerSpec(config: ContainerConfig, place: SandboxPlace) {
  const variables = new Map([
    ...Object.entries(config.image.env),
    ...config.env.map(({ name, value }) => [name, value] as const),
  ])
  const shared = `container:${place.sandbox}`
  return {
    Image: place.image,
    ...(place.hostname !== undefined && { Hostname: place.hostname }),
    Entrypoint: config.image.argv,
    Cmd: [],
    Env: [...variables].map(([name, value]) => `${name}=${value}`),
    WorkingDir: config.workingDir ?? config.image.workingDir ?? '',
    User: userOf(config),
    Labels: place.labels,
    Tty: config.tty,
    OpenStdin: config.stdin,
    // One connection feeds it for as long as it runs, and the end of that is the end of its input.
    StdinOnce: config.stdin,
    AttachStdin: config.stdin,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: place.isHostNetwork ? 'host' : shared,
      IpcMode: shared,
      ...(place.shareProcessNamespace && { PidMode: shared }),
      Mounts: config.mounts.map(({ source, target, readOnly }) => {
        return { Type: 'bind', Source: source, Target: target, ReadOnly: readOnly }
      }),
      Privileged: config.privileged,
      ReadonlyRootfs: config.readOnlyRootFilesystem,
      CapAdd: config.capabilities.add,
      CapDrop: config.capabilities.drop,
      GroupAdd: config.supplementalGroups.map(String),
      SecurityOpt: config.allowPrivilegeEscalation ? [] : ['no-new-privileges'],
      ...(config.limits.memoryBytes !== undefined && {
        Memory: config.limits.memoryBytes,
        // The same as without swap: a pod's memory limit is a limit of memory.
        MemorySwap: config.limits.memoryBytes,
      }),
      ...(config.limits.cpuMillis !== undefined && { NanoCpus: config.limits.cpuMillis * 1_000_000 }),
    },
  }
}

function userOf({ runAsUser, runAsGroup, image }: ContainerConfig): string {
  const [imageUser = '', imageGroup] = (image.user ?? '').split(':')
  const user = runAsUser === undefined ? imageUser : String(runAsUser)
  const group = runAsGroup === undefined ? (runAsUser === undefined ? imageGroup : undefined) : String(runAsGroup)
  if (group === undefined) return user
  return `${user === '' ? '0' : user}:${group}`
}

/** The container that holds a pod's network. */
export function sandboxSpec(config: SandboxConfig, image: string, network: string, labels: Record<string, string>) {
  const isHostNetwork = config.hostNetwork || network === 'host'
  return {
    Image: image,
    Entrypoint: ['/pause'],
    Cmd: [],
    ...(!isHostNetwork && { Hostname: config.hostname }),
    Labels: labels,
    HostConfig: { NetworkMode: isHostNetwork ? 'host' : network, IpcMode: 'shareable' },
  }
}
