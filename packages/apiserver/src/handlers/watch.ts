import type { Timer } from '@tiphys/env'
import { type KubeObject, stringifyJson } from '@tiphys/kube'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import type { ApiResponse, SentEvent, WatchSink, WatchStream } from '../request/api-response.ts'
import { type ListOptions, listOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import { expired, resourceVersionTooLarge, StatusError } from '../status-error.ts'
import { RevisionExpired } from '../storage/collection.ts'
import type { Change, Stored } from '../storage/stored.ts'
import { storedText, withType } from './answer.ts'
import { readRevision } from './revision.ts'
import { selectorOf } from './selector.ts'

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** How a watch shows an object when not as it is: as a table row, or as its metadata alone. */
export interface EventView {
  value(stored: Stored): unknown
  bookmark(object: KubeObject): unknown
}

const BOOKMARK_INTERVAL_MS = 60_000
const SHORTEST_WATCH_MS = 30 * 60_000

export function serveWatch(context: RequestContext, view?: EventView): ApiResponse {
  const options = { ...listOptions(withWatch(context.request.query)), watch: true }
  const watch = new Watch(context, options, view)
  return { status: 200, headers: {}, body: { type: 'watch', start: sink => watch.start(sink) } }
}

/** The deprecated /watch/ paths mean watch=true. */
function withWatch(query: URLSearchParams): URLSearchParams {
  if (query.has('watch')) return query
  const copy = new URLSearchParams(query)
  copy.set('watch', 'true')
  return copy
}

/** An object as it is, for every watcher of its version. */
class PlainEvent implements SentEvent {
  readonly #type: EventType
  readonly #resource: Resource
  readonly #stored: Stored
  #line: string | undefined

  constructor(type: EventType, resource: Resource, stored: Stored) {
    this.#type = type
    this.#resource = resource
    this.#stored = stored
  }

  line(): string {
    this.#line ??= `{"type":"${this.#type}","object":${storedText(this.#resource, this.#stored)}}\n`
    return this.#line
  }

  value(): { type: string; object: unknown } {
    return { type: this.#type, object: withType(this.#resource, this.#resource.fromStorage(this.#stored.object)) }
  }
}

const sentValue = (event: { type: string; object: unknown }): SentEvent => ({
  line: () => `${stringifyJson(event)}\n`,
  value: () => event,
})

class Watch {
  readonly #context: RequestContext
  readonly #options: ListOptions
  /** Undefined for objects as they are: those events are shared between all watchers, others are made for each. */
  readonly #view: EventView | undefined
  readonly #accept: ((stored: Stored) => boolean) | undefined
  readonly #prefix: string
  /** The name that a watch of a single object is bound to. */
  readonly #key: string | undefined
  readonly #from: number | undefined
  /** Under what events of a change are shared. */
  readonly #eventKeys: Readonly<Record<EventType, string>>

  constructor(context: RequestContext, options: ListOptions, view: EventView | undefined) {
    const { resource, info } = context
    this.#context = context
    this.#options = options
    this.#view = view
    this.#accept = selectorOf(resource, options.labelSelector, options.fieldSelector).accept
    this.#prefix = resource.namespaced && info.namespace !== '' ? `${info.namespace}/` : ''
    this.#key = info.name === '' ? undefined : this.#prefix + info.name
    this.#from = options.resourceVersion === '' ? undefined : readRevision(options.resourceVersion)
    const { version } = resource
    this.#eventKeys = { ADDED: `ADDED ${version}`, MODIFIED: `MODIFIED ${version}`, DELETED: `DELETED ${version}` }
    const { revision } = context.registry.storage
    if (this.#from !== undefined && this.#from > revision && options.sendInitialEvents !== undefined) {
      throw resourceVersionTooLarge(this.#from, revision)
    }
  }

  start(sink: WatchSink): WatchStream {
    const { registry, env, resource } = this.#context
    const timers = new Set<Timer>()
    let unsubscribe = () => {}
    const stop = () => {
      unsubscribe()
      for (const timer of timers) timer.cancel()
    }
    const end = () => {
      stop()
      sink.end()
    }
    const { sendInitialEvents, allowWatchBookmarks } = this.#options
    const wantsInitial = sendInitialEvents ?? (this.#from === undefined || this.#from === 0)
    const since =
      wantsInitial || this.#from === undefined || this.#from === 0 ? registry.storage.committedRevision : this.#from
    try {
      const subscription = resource.collection.subscribe(since, change => this.#send(sink, change, end))
      unsubscribe = subscription.unsubscribe
      if (wantsInitial) for (const stored of this.#initial()) this.#emit(sink, 'ADDED', stored, undefined)
      for (const change of subscription.backlog) this.#send(sink, change, end)
    } catch (thrown) {
      if (!(thrown instanceof RevisionExpired)) throw thrown
      this.#fail(sink, expired(thrown.message))
      end()
      return { stop }
    }
    if (sendInitialEvents === true && allowWatchBookmarks)
      this.#bookmark(sink, since, { 'k8s.io/initial-events-end': 'true' })
    if (allowWatchBookmarks) this.#scheduleBookmarks(sink, timers)
    const lasting = (this.#options.timeoutSeconds ?? 0) * 1000 || SHORTEST_WATCH_MS * (1 + env.random.next())
    timers.add(
      env.clock.schedule(lasting, () => {
        if (allowWatchBookmarks) this.#bookmark(sink, registry.storage.committedRevision)
        end()
      }),
    )
    return { stop }
  }

  *#initial(): Iterable<Stored> {
    const namespace = this.#prefix === '' ? undefined : this.#prefix.slice(0, -1)
    for (const stored of this.#context.resource.collection.committedValues(namespace))
      if (this.#wants(stored)) yield stored
  }

  #isInScope(key: string): boolean {
    return this.#key === undefined ? key.startsWith(this.#prefix) : key === this.#key
  }

  #wants(stored: Stored): boolean {
    return this.#isInScope(stored.key) && (!this.#accept || this.#accept(stored))
  }

  /** A change as this watcher sees it: an object that starts to match appears, one that ceases to match disappears. */
  #send(sink: WatchSink, change: Change, end: () => void): void {
    if (!this.#isInScope(change.key)) return
    if (sink.isBehind()) return end()
    const { current, previous, last } = change
    const was = previous !== undefined && (!this.#accept || this.#accept(previous))
    const is = current !== undefined && (!this.#accept || this.#accept(current))
    if (is) this.#emit(sink, was ? 'MODIFIED' : 'ADDED', current, change)
    else if (was) this.#emit(sink, 'DELETED', last ?? asLeft(previous, change.revision), change)
  }

  #emit(sink: WatchSink, type: EventType, stored: Stored, change: Change | undefined): void {
    if (this.#view) return sink.send(sentValue({ type, object: this.#view.value(stored) }))
    const { resource } = this.#context
    if (!change) return sink.send(new PlainEvent(type, resource, stored))
    const key = this.#eventKeys[type]
    let event = change.events?.get(key)
    if (!event) {
      event = new PlainEvent(type, resource, stored)
      change.events ??= new Map()
      change.events.set(key, event)
    }
    sink.send(event)
  }

  #bookmark(sink: WatchSink, revision: number, annotations?: Record<string, string>): void {
    const { resource } = this.#context
    const object = {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(revision), ...(annotations ? { annotations } : {}) },
    }
    sink.send(sentValue({ type: 'BOOKMARK', object: this.#view ? this.#view.bookmark(object) : object }))
  }

  #scheduleBookmarks(sink: WatchSink, timers: Set<Timer>): void {
    const { registry, env } = this.#context
    const timer = env.clock.schedule(BOOKMARK_INTERVAL_MS, () => {
      timers.delete(timer)
      this.#bookmark(sink, registry.storage.committedRevision)
      this.#scheduleBookmarks(sink, timers)
    })
    timers.add(timer)
  }

  #fail(sink: WatchSink, error: StatusError): void {
    sink.send(sentValue({ type: 'ERROR', object: error.toStatus() }))
  }
}

/** An object that left the selection, shown with its last matching content under the revision at which it left. */
function asLeft(previous: Stored, revision: number): Stored {
  const { object } = previous
  const metadata = { ...object.metadata, resourceVersion: String(revision) }
  return { key: previous.key, revision, object: { ...object, metadata } }
}
