import type { Timer } from '@tiphys/env'
import { type KubeObject, stringifyJson } from '@tiphys/kube'
import { apiVersionOf, type Resource } from '../registry/resource.ts'
import type { ApiResponse, WatchSink, WatchStream } from '../request/api-response.ts'
import { type ListOptions, listOptions } from '../request/options.ts'
import type { RequestContext } from '../request/request-context.ts'
import { expired, resourceVersionTooLarge, StatusError } from '../status-error.ts'
import { RevisionExpired } from '../storage/collection.ts'
import type { Change, Stored } from '../storage/stored.ts'
import { storedText, withType } from './answer.ts'
import { readRevision } from './revision.ts'
import { selectorOf } from './selector.ts'

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** How a watch shows an object: as it is, as a table row, or as its metadata alone. */
export interface EventView {
  /** Lines of the plain view are shared between all watchers of the resource; others are made for each. */
  isPlain: boolean
  value(stored: Stored): unknown
  bookmark(object: KubeObject): unknown
}

const plainView = (resource: Resource): EventView => ({
  isPlain: true,
  value: stored => withType(resource, resource.fromStorage(stored.object)),
  bookmark: object => object,
})

const BOOKMARK_INTERVAL_MS = 60_000
const SHORTEST_WATCH_MS = 30 * 60_000

export function serveWatch(context: RequestContext, view: EventView = plainView(context.resource)): ApiResponse {
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

class Watch {
  readonly #context: RequestContext
  readonly #options: ListOptions
  readonly #view: EventView
  readonly #accept: ((stored: Stored) => boolean) | undefined
  readonly #prefix: string
  /** The name that a watch of a single object is bound to. */
  readonly #key: string | undefined
  readonly #from: number | undefined

  constructor(context: RequestContext, options: ListOptions, view: EventView) {
    const { resource, info } = context
    this.#context = context
    this.#options = options
    this.#view = view
    this.#accept = selectorOf(resource, options.labelSelector, options.fieldSelector).accept
    this.#prefix = resource.namespaced && info.namespace !== '' ? `${info.namespace}/` : ''
    this.#key = info.name === '' ? undefined : this.#prefix + info.name
    this.#from = options.resourceVersion === '' ? undefined : readRevision(options.resourceVersion)
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
    const { resource } = this.#context
    const event = () => ({ type, object: this.#view.value(stored) })
    if (!this.#view.isPlain) return sink.send(() => `${stringifyJson(event())}\n`, event)
    sink.send(() => {
      const key = `${type} ${resource.version}`
      let line = change?.lines?.get(key)
      if (line === undefined) {
        line = `{"type":"${type}","object":${storedText(resource, stored)}}\n`
        if (change) {
          change.lines ??= new Map()
          change.lines.set(key, line)
        }
      }
      return line
    }, event)
  }

  #bookmark(sink: WatchSink, revision: number, annotations?: Record<string, string>): void {
    const { resource } = this.#context
    const object = this.#view.bookmark({
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(revision), ...(annotations ? { annotations } : {}) },
    })
    const event = { type: 'BOOKMARK', object }
    sink.send(
      () => `${stringifyJson(event)}\n`,
      () => event,
    )
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
    const event = { type: 'ERROR', object: error.toStatus() }
    sink.send(
      () => `${stringifyJson(event)}\n`,
      () => event,
    )
  }
}

/** An object that left the selection, shown with its last matching content under the revision at which it left. */
function asLeft(previous: Stored, revision: number): Stored {
  const { object } = previous
  const metadata = { ...object.metadata, resourceVersion: String(revision) }
  return { key: previous.key, revision, object: { ...object, metadata } }
}
