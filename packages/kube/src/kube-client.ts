import { TerminalFailure } from '@tiphys/env'
import { apiErrorFrom, isExpired } from './api-error.ts'
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  ListOptions,
  LogOptions,
  ObjectRef,
  Patch,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts'
import { createDiscovery, type Discovery } from './discovery.ts'
import type { KubeList, KubeObject, Status } from './object.ts'
import { execInPod } from './pod-exec.ts'
import { forwardPort } from './pod-port-forward.ts'
import { type ResourceTarget, resourcePath } from './resource-path.ts'
import type { Transport, TransportRequest } from './transport.ts'
import { parseWarnings } from './warning-header.ts'

export interface ClientOptions {
  /** Where objects without a namespace are looked for. Left out: such a call is a mistake of the caller. */
  namespace?: string
  /** Speak as somebody else, as `Client.as` does. */
  impersonate?: User
  /** Called with every warning of the server (deprecated versions, unknown fields, …). */
  onWarning?: (text: string) => void
}

/** The one implementation of `Client`, over any transport. Closing it closes the transport. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  return new KubeClient(
    transport,
    createDiscovery(transport),
    options,
    options.impersonate ? impersonation(options.impersonate) : {},
  )
}

type User = Parameters<Client['as']>[0]
type Headers = Readonly<Record<string, string | readonly string[]>>
type Query = NonNullable<TransportRequest['query']>

const JSON_TYPE = 'application/json'
const PATCH_TYPES: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}
const APPLY_TYPE = 'application/apply-patch+yaml'
const PAGE_SIZE = 500
const RESTARTS_OF_A_LIST = 3

class KubeClient implements Client {
  readonly #transport: Transport
  readonly #discovery: Discovery
  readonly #options: ClientOptions
  /** The impersonation headers; none when this client speaks for itself. */
  readonly #identity: Headers

  constructor(transport: Transport, discovery: Discovery, options: ClientOptions, identity: Headers) {
    this.#transport = transport
    this.#discovery = discovery
    this.#options = options
    this.#identity = identity
  }

  async get<T extends KubeObject>(ref: ObjectRef<T>, options: CallOptions & { metadataOnly?: boolean } = {}) {
    const path = await this.#objectPath(ref, options.subresource)
    const accept = options.metadataOnly ? metadataType('PartialObjectMetadata') : JSON_TYPE
    const object = await this.#send<T>({ method: 'GET', path, headers: { accept }, ...signalOf(options) })
    return options.metadataOnly ? metadataOf(object, ref) : object
  }

  async list<T extends KubeObject>(selection: Selection<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    const path = await this.#collectionPath(selection, options.subresource)
    const accept = options.metadataOnly ? metadataType('PartialObjectMetadataList') : JSON_TYPE
    const query = {
      ...selectorsOf(selection),
      limit: numberText(options.limit),
      continue: options.continue,
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
    }
    const list = await this.#send<KubeList<T>>({
      method: 'GET',
      path,
      query,
      headers: { accept },
      ...signalOf(options),
    })
    list.items = (list.items ?? []).map(item =>
      options.metadataOnly ? metadataOf(item, selection) : named(item, selection),
    )
    return list
  }

  async listAll<T extends KubeObject>(selection: Selection<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    const limit = options.limit ?? PAGE_SIZE
    for (let restarts = 0; restarts < RESTARTS_OF_A_LIST; restarts++) {
      try {
        return await this.#listPages(selection, { ...options, limit })
      } catch (error) {
        if (!isExpired(error)) throw error
      }
    }
    // The server forgets snapshots faster than pages are read; one answer cannot expire.
    const { limit: _, ...unlimited } = options
    return this.list(selection, unlimited)
  }

  async #listPages<T extends KubeObject>(selection: Selection<T>, options: ListOptions): Promise<KubeList<T>> {
    const list = await this.list(selection, options)
    // A later page of the same snapshot is named by its token alone.
    const { resourceVersion: _, resourceVersionMatch: __, ...later } = options
    for (let token = list.metadata.continue; token; ) {
      const page = await this.list(selection, { ...later, continue: token })
      for (const item of page.items) list.items.push(item)
      list.metadata = page.metadata
      token = page.metadata.continue
    }
    const { continue: _token, remainingItemCount: _count, ...metadata } = list.metadata
    list.metadata = metadata
    return list
  }

  async *watch<T extends KubeObject>(
    selection: Selection<T>,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>> {
    const accept = options.metadataOnly ? metadataType('PartialObjectMetadata') : JSON_TYPE
    const query = {
      ...selectorsOf(selection),
      watch: 'true',
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
      sendInitialEvents: booleanText(options.sendInitialEvents),
      allowWatchBookmarks: booleanText(options.allowWatchBookmarks),
      timeoutSeconds: numberText(options.timeoutSeconds),
    }
    try {
      const path = await this.#collectionPath(selection)
      const { readsOnly = false } = options
      const request = this.#asUser({ method: 'GET', path, query, headers: { accept }, readsOnly, ...signalOf(options) })
      for await (const value of this.#transport.stream(request)) {
        const event = value as WatchEvent<T>
        if (options.metadataOnly && event.type !== 'ERROR') event.object = metadataOf(event.object, selection)
        yield event
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error
    }
  }

  async create<T extends KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata
    const info = await this.#discovery.resourceFor(object)
    const target =
      options.subresource === undefined ? { namespace } : { namespace, name, subresource: options.subresource }
    return this.#write('POST', this.#path(info, target), object, options)
  }

  async update<T extends KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write('PUT', await this.#objectPath(refOf(object), options.subresource), object, options)
  }

  async patch<T extends KubeObject>(ref: ObjectRef<T>, patch: Patch, options: WriteOptions = {}): Promise<T> {
    const body = patch.type === 'json' ? patch.operations : patch.patch
    const path = await this.#objectPath(ref, options.subresource)
    return this.#write('PATCH', path, body, options, PATCH_TYPES[patch.type])
  }

  async apply<T extends KubeObject>(object: T, options: ApplyOptions): Promise<T> {
    const path = await this.#objectPath(refOf(object), options.subresource)
    return this.#write('PATCH', path, object, options, APPLY_TYPE, { force: booleanText(options.force) })
  }

  async delete<T extends KubeObject>(ref: ObjectRef<T>, options: DeleteOptions = {}): Promise<T | Status> {
    const path = await this.#objectPath(ref, options.subresource)
    return this.#send<T | Status>({ method: 'DELETE', path, ...deletion(options), ...signalOf(options) })
  }

  async deleteCollection<T extends KubeObject>(selection: Selection<T>, options: DeleteOptions = {}) {
    const path = await this.#collectionPath(selection, options.subresource)
    const query = selectorsOf(selection)
    const answer = await this.#send<KubeList<T> | Status>({
      method: 'DELETE',
      path,
      query,
      ...deletion(options),
      ...signalOf(options),
    })
    if ('items' in answer) answer.items = (answer.items ?? []).map(item => named(item, selection))
    return answer
  }

  async subresource<T extends KubeObject>(
    verb: 'get' | 'create' | 'update',
    ref: ObjectRef,
    subresource: string,
    body?: KubeObject,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = await this.#objectPath(ref, subresource)
    if (verb === 'get') return this.#send<T>({ method: 'GET', path, ...signalOf(options) })
    return this.#write(verb === 'create' ? 'POST' : 'PUT', path, body, options) as Promise<T>
  }

  resources() {
    return this.#discovery.resources()
  }

  resourceFor(kind: { apiVersion: string; kind: string }) {
    return this.#discovery.resourceFor(kind)
  }

  serverVersion() {
    return this.#send<{ major: string; minor: string; gitVersion: string }>({ method: 'GET', path: '/version' })
  }

  async *logs(pod: { namespace: string; name: string }, options: LogOptions = {}): AsyncGenerator<Uint8Array> {
    const { signal, ...asked } = options
    const query = Object.fromEntries(
      Object.entries(asked).map(([key, value]) => [key, value === undefined ? undefined : String(value)]),
    )
    const path = await this.#objectPath({ apiVersion: 'v1', kind: 'Pod', ...pod }, 'log')
    try {
      yield* this.#transport.bytes(this.#asUser({ method: 'GET', path, query, ...signalOf(options) }))
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  }

  async exec(pod: { namespace: string; name: string }, options: Parameters<Client['exec']>[1]) {
    const path = await this.#objectPath({ apiVersion: 'v1', kind: 'Pod', ...pod }, 'exec')
    return execInPod(this.#transport, this.#asUser({ method: 'GET', path, ...signalOf(options) }), options)
  }

  async portForward(pod: { namespace: string; name: string }, port: number, options: { signal?: AbortSignal } = {}) {
    const path = await this.#objectPath({ apiVersion: 'v1', kind: 'Pod', ...pod }, 'portforward')
    return forwardPort(this.#transport, this.#asUser({ method: 'GET', path, ...signalOf(options) }), port)
  }

  as(user: User): Client {
    return new BorrowedClient(this.#transport, this.#discovery, this.#options, impersonation(user))
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  #write<T>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    options: WriteOptions,
    contentType = JSON_TYPE,
    more: Query = {},
  ): Promise<T> {
    const { dryRun, fieldManager, fieldValidation, readsOnly = false } = options
    const query = { ...more, dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation }
    const headers = { 'content-type': contentType }
    return this.#send<T>({ method, path, query, body, headers, readsOnly, ...signalOf(options) })
  }

  async #send<T>(request: TransportRequest): Promise<T> {
    const answer = await this.#transport.request(this.#asUser(request))
    const { onWarning } = this.#options
    if (onWarning) for (const text of parseWarnings(answer.headers.warning)) onWarning(text)
    if (answer.status < 200 || answer.status >= 300) throw apiErrorFrom(answer)
    return answer.body as T
  }

  #asUser(request: TransportRequest): TransportRequest {
    return { ...request, headers: { accept: JSON_TYPE, ...request.headers, ...this.#identity } }
  }

  async #objectPath(ref: ObjectRef, subresource?: string): Promise<string> {
    const info = await this.#discovery.resourceFor(ref)
    return this.#path(info, { namespace: ref.namespace, name: ref.name, subresource })
  }

  /** The path of one object, or of the collection that a new one goes into: a namespace is needed where there are any. */
  #path(info: Awaited<ReturnType<Discovery['resourceFor']>>, target: ResourceTarget): string {
    const namespace = target.namespace ?? this.#options.namespace
    if (info.namespaced && namespace === undefined) {
      throw new TerminalFailure('kube-namespace-missing', {
        what: `${info.kind}${target.name === undefined ? '' : ` ${target.name}`} has no namespace`,
        todo: `Set the namespace: objects of this kind live in one`,
      })
    }
    return resourcePath(info, { ...target, namespace })
  }

  async #collectionPath(selection: Selection, subresource?: string): Promise<string> {
    const info = await this.#discovery.resourceFor(selection)
    return resourcePath(info, { namespace: selection.namespace, subresource })
  }
}

/** Speaks as somebody else over a connection that is not its own. */
class BorrowedClient extends KubeClient {
  override close(): Promise<void> {
    return Promise.resolve()
  }
}

const metadataType = (as: 'PartialObjectMetadata' | 'PartialObjectMetadataList') =>
  `${JSON_TYPE};as=${as};g=meta.k8s.io;v=v1,${JSON_TYPE}`

/** Metadata under the name of the kind that was asked for; the server calls every kind PartialObjectMetadata. */
function metadataOf<T extends KubeObject>(object: T, { apiVersion, kind }: { apiVersion: string; kind: string }): T {
  return { apiVersion, kind, metadata: object.metadata } as T
}

/** The server leaves out what the list's kind already tells. */
function named<T extends KubeObject>(item: T, { apiVersion, kind }: { apiVersion: string; kind: string }): T {
  return item.kind && item.apiVersion ? item : Object.assign({ apiVersion, kind }, item)
}

function refOf(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata
  const { apiVersion, kind } = object
  return { apiVersion, kind, name: name ?? '', ...(namespace !== undefined && { namespace }) }
}

function selectorsOf({ labelSelector, fieldSelector }: Selection): Query {
  return { labelSelector, fieldSelector }
}

/** The options of a deletion go into its body: the server does not look at the query of a request that has one. */
function deletion({ dryRun, propagationPolicy, gracePeriodSeconds, preconditions }: DeleteOptions) {
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(dryRun && { dryRun: ['All'] }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
  }
  return { body, headers: { 'content-type': JSON_TYPE } }
}

function impersonation({ user, groups, uid, extra = {} }: User): Headers {
  return {
    'impersonate-user': user,
    ...(groups && { 'impersonate-group': groups }),
    ...(uid !== undefined && { 'impersonate-uid': uid }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        values,
      ]),
    ),
  }
}

const signalOf = ({ signal }: { signal?: AbortSignal }) => (signal ? { signal } : {})
const numberText = (value: number | undefined) => (value === undefined ? undefined : String(value))
const booleanText = (value: boolean | undefined) => (value === undefined ? undefined : String(value))
