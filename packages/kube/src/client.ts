import type { GroupVersionKind, KubeList, KubeObject, Status } from './object.ts'

/** Names a resource. With a kind the plural is found by discovery, never guessed from the name.
 *  Typed: `kindRef<Deployment>('apps/v1', 'Deployment')` makes every call's answer a Deployment. */
export interface KindRef<T extends KubeObject = KubeObject> {
  apiVersion: string
  kind: string
  /** Only in the type system: the type of the kind's objects. */
  readonly __object?: T
}

export interface ObjectRef<T extends KubeObject = KubeObject> extends KindRef<T> {
  namespace?: string
  name: string
}

/** A subset of a kind's objects: one namespace (all, when it is left out) and selectors as the API spells them. */
export interface Selection<T extends KubeObject = KubeObject> extends KindRef<T> {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
}

export interface CallOptions {
  signal?: AbortSignal
  /** `status`, `scale`, `token`, … */
  subresource?: string
}

export interface ListOptions extends CallOptions {
  limit?: number
  continue?: string
  resourceVersion?: string
  resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  /** Objects with apiVersion, kind and metadata alone (PartialObjectMetadata). */
  metadataOnly?: boolean
}

export interface WatchOptions {
  signal?: AbortSignal
  resourceVersion?: string
  resourceVersionMatch?: 'NotOlderThan'
  sendInitialEvents?: boolean
  allowWatchBookmarks?: boolean
  timeoutSeconds?: number
  metadataOnly?: boolean
  /** The caller changes nothing of what it is given: objects may be shared with others who read. */
  readsOnly?: boolean
}

export interface WriteOptions extends CallOptions {
  dryRun?: boolean
  fieldManager?: string
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** The caller changes nothing of the answer: it may be shared with others who read. */
  readsOnly?: boolean
}

export interface ApplyOptions extends WriteOptions {
  fieldManager: string
  force?: boolean
}

export type Patch =
  | { type: 'json'; operations: JsonPatchOperation[] }
  | { type: 'merge'; patch: unknown }
  | { type: 'strategic'; patch: unknown }

export interface JsonPatchOperation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  path: string
  from?: string
  value?: unknown
}

export interface DeleteOptions extends CallOptions {
  dryRun?: boolean
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  gracePeriodSeconds?: number
  preconditions?: { uid?: string; resourceVersion?: string }
}

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: T }
  | { type: 'ERROR'; object: Status }

export interface LogOptions {
  signal?: AbortSignal
  container?: string
  follow?: boolean
  previous?: boolean
  sinceSeconds?: number
  sinceTime?: string
  tailLines?: number
  limitBytes?: number
  timestamps?: boolean
}

export interface ExecOptions {
  signal?: AbortSignal
  container?: string
  command: string[]
  tty?: boolean
  stdin?: AsyncIterable<Uint8Array>
  /** While what it returns is pending, no more is read. */
  onStdout?: (chunk: Uint8Array) => void | Promise<void>
  onStderr?: (chunk: Uint8Array) => void
}

/** What discovery says of a resource. */
export interface ResourceInfo extends GroupVersionKind {
  resource: string
  singular: string
  namespaced: boolean
  verbs: readonly string[]
  shortNames: readonly string[]
  categories: readonly string[]
  subresources: readonly string[]
}

/** One connection to one Kubernetes API, as one user. Every part of Tiphys talks to a cluster through this interface and
 *  nothing else; the two implementations are HTTP(S) and direct calls into an embedded API server.
 *
 *  - A failed call throws an `ApiError` that carries the server's Status; a call that got no answer throws a
 *    `ConnectionFailure`. The client itself never retries a write.
 *  - Objects that come back belong to the caller: changing one changes nothing else.
 *  - A kind the server does not know throws `UnknownKindFailure` after discovery has been read anew once. */
export interface Client {
  get<T extends KubeObject>(ref: ObjectRef<T>, options?: CallOptions & { metadataOnly?: boolean }): Promise<T>
  list<T extends KubeObject>(selection: Selection<T>, options?: ListOptions): Promise<KubeList<T>>
  /** All pages of a list, following `continue`, as one snapshot: a page that expired starts the list over. */
  listAll<T extends KubeObject>(selection: Selection<T>, options?: ListOptions): Promise<KubeList<T>>
  /** Ends when the server ends the stream or the signal aborts; throws when the connection fails. An expired
   *  resourceVersion arrives as an ERROR event or as an `ApiError`, both with code 410. */
  watch<T extends KubeObject>(selection: Selection<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  create<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>
  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(ref: ObjectRef<T>, patch: Patch, options?: WriteOptions): Promise<T>
  apply<T extends KubeObject>(object: T, options: ApplyOptions): Promise<T>
  /** The object that is going away (finalizers, grace period), or the Status of a deletion that is complete. */
  delete<T extends KubeObject>(ref: ObjectRef<T>, options?: DeleteOptions): Promise<T | Status>
  deleteCollection<T extends KubeObject>(
    selection: Selection<T>,
    options?: DeleteOptions,
  ): Promise<KubeList<T> | Status>
  /** Posts to a subresource of an object (`token`, `eviction`, `binding`) or updates it (`scale`, `status`). */
  subresource<T extends KubeObject>(
    verb: 'get' | 'create' | 'update',
    ref: ObjectRef,
    subresource: string,
    body?: KubeObject,
    options?: WriteOptions,
  ): Promise<T>

  resources(): Promise<readonly ResourceInfo[]>
  /** The resource of a kind, from discovery (cached; read anew once when the kind is missing). */
  resourceFor(kind: { apiVersion: string; kind: string }): Promise<ResourceInfo>
  serverVersion(): Promise<{ major: string; minor: string; gitVersion: string }>

  logs(pod: { namespace: string; name: string }, options?: LogOptions): AsyncIterable<Uint8Array>
  exec(pod: { namespace: string; name: string }, options: ExecOptions): Promise<{ exitCode: number }>
  /** One TCP-like connection to a port of a pod. */
  portForward(
    pod: { namespace: string; name: string },
    port: number,
    options?: { signal?: AbortSignal },
  ): Promise<NodeJS.ReadWriteStream>

  /** This connection as somebody else (impersonation headers); the server decides whether that is allowed. */
  as(user: {
    user: string
    groups?: readonly string[]
    uid?: string
    extra?: Record<string, readonly string[]>
  }): Client
  close(): Promise<void>
}
