export * from './api-error.ts'
export { type Caches, type CachesOptions, createCaches, type SharedCache, type SharedCacheOptions } from './caches.ts'
export type * from './client.ts'
export {
  type Connection,
  type ConnectionOptions,
  connect,
  connectionOf,
  findConnection,
  inClusterConnection,
} from './connection.ts'
export { type Credential, type CredentialSource, fixedCredential } from './credentials.ts'
export { drained } from './drained.ts'
export { ExecPluginFailure } from './exec-plugin.ts'
export { fencedClient } from './fenced-client.ts'
export {
  escapeFieldValue,
  type FieldSelector,
  type FieldTerm,
  formatFieldSelector,
  parseFieldSelector,
} from './field-selector.ts'
export { goQuote } from './go-quote.ts'
export { createHttpTransport, type HttpTransportOptions } from './http-transport.ts'
export { parseJson, parseJsonStrict, type StrictJson, stringifyJson } from './json.ts'
export { JsonFailure, type NumberTexts, numberPath } from './json-decoder.ts'
export { type KindType, kindRef } from './kind-ref.ts'
export { type ClientOptions, createClient } from './kube-client.ts'
export {
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigContext,
  KubeconfigFailure,
  type KubeconfigUser,
  loadKubeconfig,
  parseKubeconfig,
  type ResolvedContext,
  resolveContext,
} from './kubeconfig.ts'
export { type KubeconfigContents, kubeconfigFor, writeKubeconfig } from './kubeconfig-file.ts'
export { dnsSubdomainErrors, labelKeyErrors, labelValueErrors } from './label-name.ts'
export {
  formatLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  type LabelSelectorObject,
  labelSelectorFrom,
  parseLabelSelector,
  SelectorFailure,
} from './label-selector.ts'
export {
  createLeaderElection,
  type ElectionState,
  type LeaderElection,
  type LeaderElectionOptions,
  type Leadership,
  LeadershipLost,
} from './leader-election.ts'
export { createListWatch, type ListWatch, type ListWatchOptions, type ObjectCache } from './list-watch.ts'
export * from './object.ts'
export type { IndexFunction, ObjectIndex } from './object-index.ts'
export { type CacheBudget, CacheBudgetFailure, type ObjectChange } from './object-store.ts'
export {
  LOOPBACK_RANGES,
  type OutboundAccess,
  outboundAddress,
  outboundUrl,
  PRIVATE_RANGES,
  type ResolvedAddress,
} from './outbound/outbound-address.ts'
export { type OutboundAnswer, type OutboundRequest, sendOutbound } from './outbound/outbound-request.ts'
export { PortForwardFailure } from './pod-port-forward.ts'
export type { FieldPath, Projection } from './projection.ts'
export { compareVersions } from './resource-version.ts'
export {
  createSpdyConnection,
  type SpdyConnection,
  type SpdyConnectionOptions,
  type SpdyStream,
} from './spdy-connection.ts'
export type { SpdyHeaders } from './spdy-headers.ts'
export type * from './transport.ts'
export { parseWarnings } from './warning-header.ts'
export type { WatchHealth } from './watch-health.ts'
export { DEFAULT_WATCH_TIMES, type WatchState, type WatchTimes } from './watch-state.ts'
export type { MissingPermission } from './watch-trouble.ts'
export { acceptWebSocket, openWebSocket, type WebSocketOptions } from './web-socket.ts'
export {
  createWorkQueue,
  type Work,
  type WorkClass,
  type WorkQueue,
  type WorkQueueMetrics,
  type WorkQueueOptions,
} from './work-queue.ts'
export { writeThroughClient } from './write-through-client.ts'
export { parseYaml, readYaml, type YamlDocument } from './yaml.ts'
export { YamlFailure } from './yaml-failure.ts'
export { formatYaml } from './yaml-format.ts'
