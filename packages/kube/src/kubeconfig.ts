import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { asError, TerminalFailure } from '@tiphys/env'
import { readYaml } from './yaml.ts'

/** What kubeconfig files say, merged. Paths inside are absolute. */
export interface Kubeconfig {
  clusters: ReadonlyMap<string, KubeconfigCluster>
  users: ReadonlyMap<string, KubeconfigUser>
  contexts: ReadonlyMap<string, KubeconfigContext>
  currentContext: string | undefined
  /** The files that were read, for messages. */
  files: readonly string[]
}

export interface KubeconfigCluster {
  server?: string
  'tls-server-name'?: string
  'insecure-skip-tls-verify'?: boolean
  'certificate-authority'?: string
  'certificate-authority-data'?: string
  'proxy-url'?: string
  [field: string]: unknown
}

export interface KubeconfigUser {
  'client-certificate'?: string
  'client-certificate-data'?: string
  'client-key'?: string
  'client-key-data'?: string
  token?: string
  tokenFile?: string
  as?: string
  'as-uid'?: string
  'as-groups'?: string[]
  'as-user-extra'?: Record<string, string[]>
  username?: string
  password?: string
  'auth-provider'?: { name?: string }
  exec?: ExecConfig
  [field: string]: unknown
}

export interface ExecConfig {
  apiVersion?: string
  command: string
  args?: string[] | null
  env?: { name: string; value: string }[] | null
  installHint?: string
  provideClusterInfo?: boolean
  interactiveMode?: 'Never' | 'IfAvailable' | 'Always'
}

export interface KubeconfigContext {
  cluster: string
  user: string
  namespace?: string
}

/** A context with all that it names. */
export interface ResolvedContext {
  name: string
  cluster: KubeconfigCluster & { server: string }
  user: KubeconfigUser
  namespace: string | undefined
}

/** A kubeconfig that is missing, or does not say what is needed of it. */
export class KubeconfigFailure extends TerminalFailure {
  constructor(options: { what: string; why?: string; todo?: string; cause?: unknown }) {
    super('kube-kubeconfig-invalid', options)
  }
}

/** Reads and merges kubeconfig files: of every name and value the first file that has it decides. A file that is not
 *  there is left out as long as another one is. */
export async function loadKubeconfig(files: readonly string[]): Promise<Kubeconfig> {
  const parts: Kubeconfig[] = []
  for (const file of files) {
    const text = await readIfPresent(file)
    if (text !== undefined) parts.push(await parseKubeconfig(text, file))
  }
  if (parts.length === 0) {
    throw new KubeconfigFailure({
      what: `there is no kubeconfig at ${files.join(', ')}`,
      todo: 'Give the path of one, set KUBECONFIG, or start a cluster with: tiphys cluster',
    })
  }
  return {
    clusters: mergeFirst(parts.map(part => part.clusters)),
    users: mergeFirst(parts.map(part => part.users)),
    contexts: mergeFirst(parts.map(part => part.contexts)),
    currentContext: parts.find(part => part.currentContext !== undefined)?.currentContext,
    files: parts.flatMap(part => part.files),
  }
}

/** Reads one kubeconfig. `file` is where the text came from: relative paths in it start there. */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const content = await readContent(text, file)
  const directory = path.dirname(path.resolve(file))
  const absolute = (value: unknown) =>
    typeof value === 'string' && value !== '' ? path.resolve(directory, value) : undefined
  return {
    clusters: byName<KubeconfigCluster>(content.clusters, 'cluster', file, cluster =>
      withPaths(cluster, ['certificate-authority'], absolute),
    ),
    users: byName<KubeconfigUser>(content.users, 'user', file, user => {
      const located = withPaths(user, ['client-certificate', 'client-key', 'tokenFile'], absolute)
      // A plugin is looked up in PATH unless its name says where it is.
      const command = user.exec?.command
      if (!user.exec || !command?.includes('/')) return located
      return { ...located, exec: { ...user.exec, command: path.resolve(directory, command) } }
    }),
    contexts: byName<KubeconfigContext>(content.contexts, 'context', file, context => context),
    currentContext: content['current-context'] || undefined,
    files: [file],
  }
}

/** A context (the current one, unless another is named) with its cluster and user. */
export function resolveContext(kubeconfig: Kubeconfig, contextName?: string): ResolvedContext {
  const { contexts, clusters, users, currentContext } = kubeconfig
  const from = kubeconfig.files.join(', ')
  const name = contextName ?? currentContext
  if (name === undefined) {
    throw new KubeconfigFailure({ what: `${from} has no current context`, todo: `Name one: ${choices(contexts)}` })
  }
  const context = contexts.get(name)
  if (!context) {
    throw new KubeconfigFailure({
      what: `there is no context ${name} in ${from}`,
      todo: `Choose one: ${choices(contexts)}`,
    })
  }
  const cluster = clusters.get(context.cluster)
  const missing = !cluster
    ? `cluster ${context.cluster}`
    : context.user && !users.has(context.user)
      ? `user ${context.user}`
      : ''
  if (!cluster || missing !== '') {
    throw new KubeconfigFailure({
      what: `the context ${name} names the ${missing}, which ${from} does not have`,
      todo: `Add it, or choose another context: ${choices(contexts)}`,
    })
  }
  if (!cluster.server) {
    throw new KubeconfigFailure({
      what: `the cluster ${context.cluster} in ${from} has no server`,
      todo: 'Set its server to a URL',
    })
  }
  return {
    name,
    cluster: { ...cluster, server: cluster.server },
    user: users.get(context.user) ?? {},
    namespace: context.namespace || undefined,
  }
}

const choices = (named: ReadonlyMap<string, unknown>) =>
  named.size === 0 ? '(there are none)' : [...named.keys()].join(', ')

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new KubeconfigFailure({
      what: `the kubeconfig ${file} cannot be read`,
      why: asError(thrown).message,
      cause: thrown,
    })
  }
}

interface KubeconfigContent {
  clusters?: unknown
  users?: unknown
  contexts?: unknown
  'current-context'?: string
}

async function readContent(text: string, file: string): Promise<KubeconfigContent> {
  try {
    const [document] = await readYaml(text)
    const content = document?.value ?? {}
    if (typeof content !== 'object' || Array.isArray(content)) throw new Error('it is no mapping')
    return content
  } catch (thrown) {
    throw new KubeconfigFailure({ what: `${file} is no kubeconfig`, why: asError(thrown).message, cause: thrown })
  }
}

function byName<T>(list: unknown, field: string, file: string, adjust: (value: T) => T): Map<string, T> {
  const named = new Map<string, T>()
  if (list === undefined || list === null) return named
  if (!Array.isArray(list))
    throw new KubeconfigFailure({ what: `${file} is no kubeconfig`, why: `its ${field}s are no list` })
  for (const entry of list as { name?: unknown; [field: string]: unknown }[]) {
    const name = entry?.name
    if (typeof name !== 'string') {
      throw new KubeconfigFailure({ what: `${file} is no kubeconfig`, why: `one of its ${field}s has no name` })
    }
    if (!named.has(name)) named.set(name, adjust((entry[field] ?? {}) as T))
  }
  return named
}

function withPaths<T extends Record<string, unknown>>(
  value: T,
  fields: string[],
  absolute: (path: unknown) => string | undefined,
): T {
  const paths = fields.map(field => [field, absolute(value[field])]).filter(([, located]) => located !== undefined)
  return { ...value, ...Object.fromEntries(paths) }
}

function mergeFirst<T>(maps: ReadonlyMap<string, T>[]): Map<string, T> {
  return new Map(maps.toReversed().flatMap(map => [...map]))
}
