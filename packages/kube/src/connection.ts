import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { type Clock, systemClock } from '@tiphys/env'
import type { Client } from './client.ts'
import { type Credential, type CredentialSource, fixedCredential } from './credentials.ts'
import { execPlugin } from './exec-plugin.ts'
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts'
import { createClient } from './kube-client.ts'
import {
  type KubeconfigCluster,
  KubeconfigFailure,
  type KubeconfigUser,
  loadKubeconfig,
  type ResolvedContext,
  resolveContext,
} from './kubeconfig.ts'
import { WatchedFile } from './watched-file.ts'

/** All it takes to reach a cluster as somebody. */
export interface Connection {
  transport: HttpTransportOptions
  /** The namespace of what names none. */
  namespace: string
  impersonate?: Parameters<Client['as']>[0]
}

export interface ConnectionOptions {
  /** The path of a kubeconfig. Left out: KUBECONFIG, then the service account of the pod this runs in, then ~/.kube/config. */
  kubeconfig?: string
  context?: string
  namespace?: string
  environment?: Readonly<Record<string, string | undefined>>
  clock?: Clock
  onWarning?: (text: string) => void
  /** What a credential plugin says to the person in front of it. Left out: it goes to the standard error stream. */
  onPluginOutput?: (text: string) => void
}

/** A client for the cluster that the options, the environment or the home directory name. */
export async function connect(options: ConnectionOptions = {}): Promise<Client> {
  const { transport, namespace, impersonate } = await findConnection(options)
  const { onWarning } = options
  return createClient(createHttpTransport(transport), {
    namespace,
    ...(impersonate && { impersonate }),
    ...(onWarning && { onWarning }),
  })
}

export async function findConnection(options: ConnectionOptions = {}): Promise<Connection> {
  const environment = options.environment ?? process.env
  const chosen = options.kubeconfig ?? environment.KUBECONFIG
  const home = path.join(environment.HOME ?? homedir(), '.kube', 'config')
  if (!chosen && isInCluster(environment) && !options.context) return inClusterConnection(options)
  const files = (chosen || home).split(path.delimiter).filter(file => file !== '')
  const context = resolveContext(await loadKubeconfig(files), options.context)
  return connectionOf(context, options)
}

/** What a context of a kubeconfig means. */
export async function connectionOf(context: ResolvedContext, options: ConnectionOptions = {}): Promise<Connection> {
  const { cluster, user } = context
  refuseUnsupported(context)
  const ca = await pemOf(cluster['certificate-authority-data'], cluster['certificate-authority'])
  const impersonate = impersonationOf(user)
  return {
    transport: {
      server: cluster.server,
      ...(ca !== undefined && !cluster['insecure-skip-tls-verify'] && { ca }),
      ...(cluster['tls-server-name'] && { serverName: cluster['tls-server-name'] }),
      ...(cluster['insecure-skip-tls-verify'] && { insecureSkipTlsVerify: true }),
      credentials: credentialsOf(context, ca, options),
      clock: options.clock ?? systemClock,
    },
    namespace: options.namespace ?? context.namespace ?? 'default',
    ...(impersonate && { impersonate }),
  }
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

function isInCluster(environment: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(environment.KUBERNETES_SERVICE_HOST) && existsSync(`${SERVICE_ACCOUNT}/token`)
}

/** The pod's own service account. */
export async function inClusterConnection(
  options: ConnectionOptions = {},
  directory = SERVICE_ACCOUNT,
): Promise<Connection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = options.environment ?? process.env
  if (!host || !port || !existsSync(`${directory}/token`)) {
    throw new KubeconfigFailure({
      what: 'this process does not run in a pod with a service account',
      todo: 'Give a kubeconfig, or let the pod mount its service account token',
    })
  }
  const clock = options.clock ?? systemClock
  const tokens = tokenFileSource(new WatchedFile(`${directory}/token`, clock))
  const namespace = existsSync(`${directory}/namespace`)
    ? (await readFile(`${directory}/namespace`, 'utf8')).trim()
    : ''
  return {
    transport: {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      ca: await readFile(`${directory}/ca.crt`, 'utf8'),
      credentials: tokens,
      clock,
    },
    namespace: options.namespace ?? (namespace || 'default'),
  }
}

function refuseUnsupported({ name, cluster, user }: ResolvedContext): void {
  const provider = user['auth-provider']?.name
  if (provider !== undefined) {
    const successor = LEGACY_PROVIDERS[provider]
    throw new KubeconfigFailure({
      what: `the context ${name} uses the auth provider ${provider}, which Kubernetes removed`,
      todo: successor ? `Use the credential plugin ${successor} instead` : 'Use a credential plugin (exec) instead',
    })
  }
  if (cluster['proxy-url']) {
    throw new KubeconfigFailure({
      what: `the context ${name} goes through the proxy ${cluster['proxy-url']}`,
      why: 'proxies are not supported',
      todo: 'Reach the server directly, for example through an SSH tunnel and tls-server-name',
    })
  }
}

const LEGACY_PROVIDERS: Readonly<Record<string, string>> = {
  gcp: 'gke-gcloud-auth-plugin',
  azure: 'kubelogin',
  oidc: 'kubectl oidc-login',
}

function credentialsOf(context: ResolvedContext, ca: string | undefined, options: ConnectionOptions): CredentialSource {
  const clock = options.clock ?? systemClock
  const { user, cluster } = context
  const { exec, token, tokenFile, username, password } = user
  const sources: CredentialSource[] = [certificateSource(user, context.name, clock)]
  if (tokenFile) sources.push(tokenFileSource(new WatchedFile(tokenFile, clock)))
  else if (token) sources.push(fixedCredential({ authorization: `Bearer ${token}` }))
  else if (username)
    sources.push(
      fixedCredential({ authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` }),
    )
  else if (exec) {
    sources.push(
      execPlugin({
        config: exec,
        cluster: clusterInfo(cluster, ca),
        environment: options.environment ?? process.env,
        clock,
        onOutput: options.onPluginOutput ?? (text => process.stderr.write(text)),
      }),
    )
  }
  return combine(sources)
}

function clusterInfo(cluster: KubeconfigCluster & { server: string }, ca: string | undefined) {
  return {
    server: cluster.server,
    ...(ca !== undefined && { caData: Buffer.from(ca).toString('base64') }),
    ...(cluster['tls-server-name'] && { serverName: cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { insecure: true }),
  }
}

function tokenFileSource(file: WatchedFile): CredentialSource {
  return {
    current: async () => ({ authorization: `Bearer ${await file.content()}` }),
    refused: () => file.expire(),
  }
}

function certificateSource(user: KubeconfigUser, context: string, clock: Clock): CredentialSource {
  const cert = pemSource(user['client-certificate-data'], user['client-certificate'], clock)
  const key = pemSource(user['client-key-data'], user['client-key'], clock)
  if (!cert && !key) return fixedCredential({})
  if (!cert || !key) {
    throw new KubeconfigFailure({
      what: `the user of the context ${context} has ${cert ? 'a client certificate without its key' : 'a client key without its certificate'}`,
      todo: 'Give both client-certificate(-data) and client-key(-data)',
    })
  }
  return {
    current: async () => ({ certificate: { cert: await cert.content(), key: await key.content() } }),
    refused() {
      cert.expire()
      key.expire()
    },
  }
}

type PemSource = Pick<WatchedFile, 'content' | 'expire'>

/** Certificates change slowly, and every change costs new connections. */
const CERTIFICATE_FRESH_MS = 60_000

function pemSource(data: string | undefined, file: string | undefined, clock: Clock): PemSource | undefined {
  if (data) {
    const pem = decodeData(data)
    return { content: async () => pem, expire: () => {} }
  }
  return file ? new WatchedFile(file, clock, CERTIFICATE_FRESH_MS) : undefined
}

async function pemOf(data: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (data) return decodeData(data)
  if (!file) return undefined
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    throw new KubeconfigFailure({ what: `the certificate authority ${file} cannot be read`, cause: thrown })
  }
}

const decodeData = (data: string) => Buffer.from(data, 'base64').toString('utf8')

/** One credential of several parts. */
function combine(sources: readonly CredentialSource[]): CredentialSource {
  return {
    async current() {
      const parts = await Promise.all(sources.map(source => source.current()))
      return Object.assign({}, ...parts) as Credential
    },
    refused(credential) {
      for (const source of sources) source.refused(credential)
    },
  }
}

function impersonationOf(user: KubeconfigUser): Connection['impersonate'] {
  if (!user.as) return undefined
  return {
    user: user.as,
    ...(user['as-groups'] && { groups: user['as-groups'] }),
    ...(user['as-uid'] && { uid: user['as-uid'] }),
    ...(user['as-user-extra'] && { extra: user['as-user-extra'] }),
  }
}
