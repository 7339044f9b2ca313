import { type Env, systemEnv } from '@tiphys/env'
import { type Client, createClient } from '@tiphys/kube'
import { CertificateAuthority, type KeyPair } from '../authentication/certificate-authority.ts'
import { CredentialsAuthenticator, type StaticToken } from '../authentication/credentials-authenticator.ts'
import { serveIssuerMetadata } from '../authentication/issuer-metadata.ts'
import { ServiceAccountTokens } from '../authentication/service-account-tokens.ts'
import { certificateApprovalAdmission } from '../authorization/certificate-approval.ts'
import { RbacAuthorizer } from '../authorization/rbac-authorizer.ts'
import { fillAggregatedRoles, keepAggregatedRoles } from '../authorization/role-aggregation.ts'
import { roleEscalationAdmission } from '../authorization/role-escalation.ts'
import { builtinAdmission, type ClusterLookup, resourceQuotaAdmission } from '../builtin/admission/index.ts'
import type { LocalNodes } from '../nodes/local-nodes.ts'
import { NodeConnections } from '../nodes/node-connections.ts'
import { type DialPod, Proxy } from '../nodes/proxy.ts'
import { admissionChain } from '../registry/admission-chain.ts'
import { builtinResources } from '../registry/builtin-resources.ts'
import { namespaceLifecycle } from '../registry/namespace-lifecycle.ts'
import type { Registry } from '../registry/registry.ts'
import { keyOf, type Resource } from '../registry/resource.ts'
import { Resources } from '../registry/resources.ts'
import { serviceAllocation } from '../registry/service-allocation.ts'
import type { ApiRequest, User } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { builtinReview } from '../reviews/reviews.ts'
import { Storage } from '../storage/storage.ts'
import { builtinSubresource } from '../subresources/subresources.ts'
import { bootstrap, publishPort } from './bootstrap.ts'
import { type Listening, listen } from './http-listener.ts'
import { inProcessTransport } from './in-process-transport.ts'
import { keepNamespaceDefaults } from './namespace-defaults.ts'
import { Pipeline } from './pipeline.ts'
import { TurnGate } from './turn-gate.ts'

export interface ApiServerOptions {
  env?: Env
  /** Where objects live; in memory unless given. `close` closes it. */
  storage?: Storage
  /** Bearer tokens of users, beside client certificates and ServiceAccount tokens. */
  tokens?: readonly StaticToken[]
  /** Keys of an earlier run, so that its certificates and tokens stay valid. */
  identity?: Identity
  /** Keeps the keys of a server that has none of an earlier run; `stored` waits for it. */
  keepIdentity?: (identity: Identity) => Promise<void>
  /** Does what a cluster's controllers do before anybody can use it: gives every namespace its default ServiceAccount and
   *  the server's certificate, and fills aggregated roles (`admin`, `edit`, `view`). */
  clusterDefaults?: boolean
  /** Reaches the ports of pods, for requests that are proxied to them; by their address unless given. */
  dialPod?: DialPod
}

/** The keys a server signs with. */
export interface Identity {
  authority: KeyPair
  serviceAccountKey: string
}

/** An address, and the certificate to verify what answers there. */
export interface SecureListening extends Listening {
  caCertificate: string
}

export interface ApiServer {
  readonly storage: Storage
  /** Resolves when what a new cluster has, its keys included, would be there after a crash; rejects when it cannot be kept. */
  readonly stored: Promise<void>
  readonly identity: Identity
  /** The certificate that clients verify this server with. */
  readonly caCertificate: string
  /** A connection inside this process, as cluster administrator unless another user is named. */
  client(user?: User): Client
  /** A certificate for a user of this server. */
  issueClientCertificate(user: { name: string; groups?: readonly string[] }): KeyPair
  /** A certificate for a server that this one connects to: a node's endpoints. */
  issueServingCertificate(server: { name: string; groups?: readonly string[]; hosts: readonly string[] }): KeyPair
  /** The nodes that run in this process, or none any more. */
  attachNodes(nodes: LocalNodes | undefined): void
  handle(request: ApiRequest): Promise<ApiResponse>
  listen(options?: { host?: string; port?: number; hosts?: readonly string[] }): Promise<SecureListening>
  close(): Promise<void>
}

const ADMINISTRATOR: User = { name: 'tiphys-admin', groups: ['system:masters', 'system:authenticated'] }
/** As what this server shows itself to nodes. */
const KUBELET_CLIENT = {
  commonName: 'kube-apiserver-kubelet-client',
  organizations: ['system:masters'],
  usage: 'client',
} as const
const SERVER_HOSTS = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '10.96.0.1',
]

/** A Kubernetes API server in this process. It answers as soon as the promise resolves. */
export async function createApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { env = systemEnv, storage = new Storage(), tokens = [], identity } = options
  const resources = new Resources()
  const lookup = clusterLookup(resources)
  const accounts = new ServiceAccountTokens(
    env,
    (resource, namespace, name) => lookup.get({ group: '', resource }, namespace, name),
    identity?.serviceAccountKey,
  )
  const authenticator = new CredentialsAuthenticator(tokens, accounts)
  // Keys are made when somebody first asks for them: a server that is only used in this process needs none.
  let authority: CertificateAuthority | undefined
  const certificates = () => {
    authority ??= identity ? CertificateAuthority.restore(env, identity.authority) : CertificateAuthority.create(env)
    return authority
  }
  const nodes = new NodeConnections(
    name => lookup.get({ group: '', resource: 'nodes' }, '', name),
    () => ({ caCertificate: certificates().certificate, client: certificates().issue(KUBELET_CLIENT) }),
  )
  const subresource = builtinSubresource({ tokens: accounts, nodes, proxy: new Proxy(nodes, options.dialPod) })
  const review = builtinReview(authenticator)
  for (const resource of builtinResources(storage, subresource)) {
    const answer = review(resource)
    if (answer) resource.review = answer
    if (resource.kind === 'Service') resource.allocate = serviceAllocation(resource.collection, env.random)
    resources.add(resource)
  }
  const rbac = (name: string) => storage.collection(`rbac.authorization.k8s.io/${name}`)
  const authorizer = new RbacAuthorizer({
    roles: rbac('roles'),
    clusterRoles: rbac('clusterroles'),
    roleBindings: rbac('rolebindings'),
    clusterRoleBindings: rbac('clusterrolebindings'),
  })
  const admission = admissionChain([
    { name: 'NamespaceLifecycle', mutate: request => namespaceLifecycle({ resources }, request) },
    ...builtinAdmission(lookup, env.random),
    certificateApprovalAdmission(authorizer, env.clock),
    roleEscalationAdmission(authorizer, (reference, namespace) => authorizer.rulesOf(reference, namespace)),
    // The last word: what another plugin refuses uses nothing up.
    resourceQuotaAdmission(lookup, env.clock),
  ])
  const registry: Registry = { env, storage, resources, admission, authorizer }
  bootstrap(storage, env)
  await followDefinitions(registry)
  const pipeline = new Pipeline(registry, authenticator, (request, path) =>
    serveIssuerMetadata(accounts, request, path),
  )
  const handle = (request: ApiRequest) => pipeline.handle(request)

  const gate = new TurnGate()
  const client = (user = ADMINISTRATOR): Client => createClient(inProcessTransport(env, handle, user, gate))
  if (options.clusterDefaults) {
    keepNamespaceDefaults(storage, env, () => certificates().certificate)
    fillAggregatedRoles(storage, rbac('clusterroles'))
    keepAggregatedRoles(rbac('clusterroles'), client(), error =>
      env.log.error('an aggregated role could not be filled', { error }),
    )
  }
  const identityNow = () => ({ authority: certificates().export(), serviceAccountKey: accounts.exportKey() })
  // Everything that a new cluster has goes to the disk at once, and its keys beside it.
  const keysKept = identity ? undefined : options.keepIdentity?.(identityNow())
  const stored = Promise.all([storage.settled(), keysKept]).then(() => {})
  // Whoever needs it asks for it, and every answer waits for what is stored.
  stored.catch(() => {})
  const listeners = new Set<Listening>()
  return {
    storage,
    stored,
    get identity() {
      return identityNow()
    },
    get caCertificate() {
      return certificates().certificate
    },
    client,
    issueClientCertificate: ({ name, groups = [] }) =>
      certificates().issue({ commonName: name, organizations: groups, usage: 'client' }),
    issueServingCertificate: ({ name, groups = [], hosts }) =>
      certificates().issue({ commonName: name, organizations: groups, hosts, usage: 'server' }),
    attachNodes(local) {
      nodes.local = local
    },
    handle,
    async listen({ host = '127.0.0.1', port = 0, hosts = [] } = {}) {
      const { certificate, key } = certificates().issue({
        commonName: 'kube-apiserver',
        hosts: [...SERVER_HOSTS, ...hosts],
        usage: 'server',
      })
      const tls = { key, cert: certificate, ca: certificates().certificate }
      const listening = await listen({ host, port, env, handle, tls })
      listeners.add(listening)
      publishPort(storage, listening.port)
      return { ...listening, caCertificate: tls.ca }
    },
    async close() {
      await Promise.all([...listeners].map(listening => listening.stop()))
      nodes.close()
      await storage.close()
    },
  }
}

/** Definitions and all that they need (CEL, patterns, schemas) are loaded when the first one is made: most servers in
 *  tests have none, and a new cluster answers sooner. */
async function followDefinitions(registry: Registry): Promise<void> {
  const resource = registry.resources.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions') as Resource
  let loading: Promise<void> | undefined
  const load = async () => {
    const { crdStrategy, Definitions } = await import('../crd/definitions.ts')
    Object.assign(resource.strategy, crdStrategy)
    new Definitions(registry).start()
    resource.load = undefined
  }
  resource.load = () => (loading ??= load())
  if (resource.collection.size > 0) await resource.load()
}

const clusterLookup = (resources: Resources): ClusterLookup => {
  const collection = ({ group, resource }: { group: string; resource: string }) =>
    resources.findAnyVersion(group, resource)?.collection
  return {
    get: (resource, namespace, name) => collection(resource)?.get(keyOf(namespace, name))?.object,
    list: function* (resource, namespace) {
      for (const { object } of collection(resource)?.values(namespace === '' ? undefined : namespace) ?? [])
        yield object
    },
  }
}
