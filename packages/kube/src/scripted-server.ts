import type { Clock, Timer } from '@tiphys/env'
import { ApiError, ConnectionFailure } from './api-error.ts'
import type { Client, ListOptions, Selection, WatchEvent, WatchOptions } from './client.ts'
import { parseLabelSelector } from './label-selector.ts'
import type { KubeList, KubeObject, Status } from './object.ts'
import { objectKey } from './object-store.ts'

interface Change {
  version: number
  before: KubeObject | undefined
  after: KubeObject | undefined
}

interface Stream {
  selection: Selection
  queue: WatchEvent[]
  wake: () => void
  /** Says nothing any more, and nobody notices. */
  isSilent: boolean
  end: 'ended' | 'broken' | undefined
  timers: Timer[]
}

function refusal(code: number, reason: string, message: string, details?: Status['details']): ApiError {
  const failure = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure' } as const
  return new ApiError({ ...failure, code, reason, message, ...(details && { details }) })
}

/** A versioned store with the list, watch and write semantics of the Kubernetes API, and with its troubles at the push of a
 *  button. For tests of what reads from a server: it holds one kind's objects, whatever kind is asked for. */
export class ScriptedServer {
  readonly requests: { verb: string; options: ListOptions | WatchOptions }[] = []
  readonly #clock: Clock
  readonly #objects = new Map<string, KubeObject>()
  readonly #history: Change[] = []
  readonly #streams = new Set<Stream>()
  #version = 1
  #uids = 0
  #compactedTo = 0
  bookmarkMs = 60_000
  /** `no`: refuses a streamed list; `ignored`: sends the objects and never ends the list, as servers before 1.27 do. */
  streamsLists: 'yes' | 'no' | 'ignored' = 'yes'
  kindExists = true
  isForbidden = false
  isUnreachable = false
  /** New streams and requests get no answer at all. */
  isBlackHole = false
  /** How versions are spelled; anything but a decimal number is opaque to clients. */
  spell = (version: number): string => String(version)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get objects(): readonly KubeObject[] {
    return [...this.#objects.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  }

  get streams(): number {
    return this.#streams.size
  }

  get version(): string {
    return this.spell(this.#version)
  }

  find(name: string, namespace?: string): KubeObject | undefined {
    return this.#objects.get(objectKey(namespace, name))
  }

  put(object: KubeObject): KubeObject {
    const before = this.#objects.get(key(object))
    const version = ++this.#version
    const after: KubeObject = structuredClone(object)
    after.metadata.uid = before?.metadata.uid ?? `uid-${++this.#uids}`
    after.metadata.resourceVersion = this.spell(version)
    this.#objects.set(key(after), after)
    this.#publish({ version, before, after })
    return structuredClone(after)
  }

  remove(name: string, namespace?: string): KubeObject | undefined {
    const before = this.#objects.get(objectKey(namespace, name))
    if (!before) return undefined
    this.#objects.delete(key(before))
    const version = ++this.#version
    this.#publish({ version, before, after: undefined })
    return { ...structuredClone(before), metadata: { ...before.metadata, resourceVersion: this.spell(version) } }
  }

  /** Forgets the history: a watch from an older version is answered 410. */
  compact(): void {
    this.#compactedTo = this.#version
    this.#history.length = 0
  }

  /** Goes back to an earlier version, as a restore from a backup does. */
  restore(version: number): void {
    const objects = this.#at(version)
    this.#objects.clear()
    for (const object of objects) this.#objects.set(key(object), object)
    this.#version = version
    this.#history.length = 0
    this.silenceStreams()
  }

  endStreams(how: 'ended' | 'broken'): void {
    for (const stream of this.#streams) {
      stream.end = how
      stream.wake()
    }
  }

  /** The streams that run stay open and deliver nothing, ever. */
  silenceStreams(): void {
    for (const stream of this.#streams) stream.isSilent = true
  }

  sendToStreams(event: WatchEvent): void {
    for (const stream of this.#streams) this.#send(stream, structuredClone(event))
  }

  /** Delivers the last change once more. */
  repeatLastChange(): void {
    const last = this.#history.at(-1)
    if (last) for (const stream of this.#streams) this.#deliver(stream, last)
  }

  client(): Client {
    const unsupported = () => {
      throw new Error('not part of the scripted server')
    }
    return {
      get: async <T extends KubeObject>(ref: { namespace?: string; name: string }) => {
        await this.#admit('get', {})
        return structuredClone(this.#existing(ref.name, ref.namespace)) as T
      },
      list: <T extends KubeObject>(selection: Selection<T>, options: ListOptions = {}) =>
        this.#list(selection, options) as Promise<KubeList<T>>,
      listAll: unsupported,
      watch: <T extends KubeObject>(selection: Selection<T>, options: WatchOptions = {}) =>
        this.#watch(selection, options) as AsyncIterable<WatchEvent<T>>,
      create: async <T extends KubeObject>(object: T) => {
        await this.#admit('create', {})
        if (this.#objects.has(key(object))) throw refusal(409, 'AlreadyExists', `${key(object)} already exists`)
        return this.put(object) as T
      },
      update: async <T extends KubeObject>(object: T) => {
        await this.#admit('update', {})
        const { name = '', namespace, resourceVersion } = object.metadata
        const current = this.#existing(name, namespace)
        const isCurrent = resourceVersion === undefined || resourceVersion === current.metadata.resourceVersion
        if (!isCurrent) throw refusal(409, 'Conflict', `the object has been modified: ${name}`)
        return this.put(object) as T
      },
      patch: unsupported,
      apply: unsupported,
      delete: async (ref: { namespace?: string; name: string }) => {
        await this.#admit('delete', {})
        this.#existing(ref.name, ref.namespace)
        this.remove(ref.name, ref.namespace)
        return { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' } satisfies Status
      },
      deleteCollection: unsupported,
      subresource: unsupported,
      resources: unsupported,
      resourceFor: unsupported,
      serverVersion: unsupported,
      logs: unsupported,
      exec: unsupported,
      portForward: unsupported,
      as: () => this.client(),
      close: async () => {},
    }
  }

  #existing(name: string, namespace?: string): KubeObject {
    const object = this.find(name, namespace)
    if (!object) throw refusal(404, 'NotFound', `"${name}" not found`)
    return object
  }

  async #admit(verb: string, options: ListOptions | WatchOptions): Promise<void> {
    this.requests.push({ verb, options })
    if (this.isBlackHole)
      await new Promise((_, reject) => onAbort(options.signal, () => reject(options.signal?.reason)))
    if (this.isUnreachable) throw new ConnectionFailure('the server', new Error('connect ECONNREFUSED'))
    if (!this.kindExists) throw refusal(404, 'NotFound', 'the server could not find the requested resource')
    if (this.isForbidden)
      throw refusal(403, 'Forbidden', 'widgets.example.com is forbidden', { group: 'example.com', kind: 'widgets' })
  }

  async #list(selection: Selection, options: ListOptions): Promise<KubeList<KubeObject>> {
    await this.#admit('list', options)
    const { limit = Number.POSITIVE_INFINITY, continue: token } = options
    const [version, start] = token === undefined ? [this.#version, ''] : (JSON.parse(token) as [number, string])
    if (version < this.#compactedTo) throw expired(version, this.#compactedTo)
    const all = this.#at(version).filter(object => isSelected(selection, object) && key(object) >= start)
    const next = all[limit]
    return {
      apiVersion: selection.apiVersion,
      kind: `${selection.kind}List`,
      metadata: {
        resourceVersion: this.spell(version),
        ...(next && { continue: JSON.stringify([version, key(next)]) }),
      },
      items: structuredClone(all.slice(0, limit)),
    }
  }

  /** The objects as they were at a version that the history still reaches. */
  #at(version: number): KubeObject[] {
    const objects = new Map(this.#objects)
    for (const change of this.#history.toReversed()) {
      if (change.version <= version) break
      const { before, after } = change
      if (before) objects.set(key(before), before)
      else if (after) objects.delete(key(after))
    }
    return [...objects.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  }

  async *#watch(selection: Selection, options: WatchOptions): AsyncGenerator<WatchEvent> {
    await this.#admit('watch', options)
    const stream = this.#open(selection, options)
    try {
      this.#start(stream, options)
      while (!options.signal?.aborted) {
        const event = stream.isSilent ? undefined : stream.queue.shift()
        if (event) yield event
        else if (stream.end === 'broken') throw new ConnectionFailure('the server', new Error('read ECONNRESET'))
        else if (stream.end === 'ended') return
        else await new Promise<void>(resolve => (stream.wake = resolve))
      }
    } finally {
      this.#streams.delete(stream)
      for (const timer of stream.timers) timer.cancel()
    }
  }

  #open(selection: Selection, options: WatchOptions): Stream {
    const stream: Stream = { selection, queue: [], wake: () => {}, isSilent: false, end: undefined, timers: [] }
    onAbort(options.signal, () => stream.wake())
    const { timeoutSeconds } = options
    if (timeoutSeconds !== undefined) {
      const end = () => {
        if (!stream.isSilent) stream.end = 'ended'
        stream.wake()
      }
      stream.timers.push(this.#clock.schedule(timeoutSeconds * 1000, end))
    }
    if (options.allowWatchBookmarks) this.#scheduleBookmark(stream)
    this.#streams.add(stream)
    return stream
  }

  #start(stream: Stream, { sendInitialEvents = false, resourceVersion }: WatchOptions): void {
    if (sendInitialEvents) {
      if (this.streamsLists === 'no')
        throw refusal(422, 'Invalid', 'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden')
      for (const object of this.objects) if (isSelected(stream.selection, object)) this.#send(stream, added(object))
      if (this.streamsLists === 'yes') this.#send(stream, this.#bookmark(true))
      return
    }
    const from = this.#parse(resourceVersion ?? '')
    if (from < this.#compactedTo) {
      this.#send(stream, { type: 'ERROR', object: expired(from, this.#compactedTo).status })
      stream.end = 'ended'
      return
    }
    if (from > this.#version) stream.isSilent = true
    for (const change of this.#history) if (change.version > from) this.#deliver(stream, change)
  }

  #parse(resourceVersion: string): number {
    return Number(resourceVersion.replaceAll(/\D/g, ''))
  }

  #scheduleBookmark(stream: Stream): void {
    const timer = this.#clock.schedule(this.bookmarkMs, () => {
      this.#send(stream, this.#bookmark(false))
      this.#scheduleBookmark(stream)
    })
    stream.timers.push(timer)
  }

  #bookmark(isEnd: boolean): WatchEvent {
    const annotations = isEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
    const metadata = { resourceVersion: this.version, ...annotations }
    return { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'Widget', metadata } }
  }

  #publish(change: Change): void {
    this.#history.push(change)
    for (const stream of this.#streams) this.#deliver(stream, change)
  }

  #deliver(stream: Stream, { version, before, after }: Change): void {
    const was = before !== undefined && isSelected(stream.selection, before)
    const is = after !== undefined && isSelected(stream.selection, after)
    if (is) this.#send(stream, { type: was ? 'MODIFIED' : 'ADDED', object: structuredClone(after) })
    else if (was) {
      const last = structuredClone(before)
      last.metadata.resourceVersion = this.spell(version)
      this.#send(stream, { type: 'DELETED', object: last })
    }
  }

  #send(stream: Stream, event: WatchEvent): void {
    stream.queue.push(event)
    stream.wake()
  }
}

function key({ metadata }: KubeObject): string {
  return objectKey(metadata.namespace, metadata.name ?? '')
}

function added(object: KubeObject): WatchEvent {
  return { type: 'ADDED', object: structuredClone(object) }
}

function expired(from: number, oldest: number): ApiError {
  return refusal(410, 'Expired', `too old resource version: ${from} (${oldest})`)
}

function isSelected({ namespace, labelSelector = '' }: Selection, { metadata }: KubeObject): boolean {
  if (namespace !== undefined && namespace !== metadata.namespace) return false
  return parseLabelSelector(labelSelector).matches(metadata.labels)
}

function onAbort(signal: AbortSignal | undefined, task: () => void): void {
  if (signal?.aborted) task()
  else signal?.addEventListener('abort', task, { once: true })
}
