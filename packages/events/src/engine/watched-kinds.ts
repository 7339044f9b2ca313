import type { Env } from '@tiphys/env'
import { type Client, createListWatch, type KubeObject, type ListWatch, type ObjectChange } from '@tiphys/kube'
import { WATCH_TIMES } from '../watch-times.ts'

export const ARGO = 'argoproj.io/v1alpha1'
const OWN = 'tiphys.dev/v1alpha1'
export const KINDS = { EventBus: ARGO, Sensor: ARGO, EventSource: ARGO, Replay: OWN, Retry: OWN, Discard: OWN } as const
export type Kind = keyof typeof KINDS
export const ALL_KINDS = Object.keys(KINDS) as readonly Kind[]

export interface WatchedKindsOptions {
  client: Client
  env: Env
  /** All, when they are left out. */
  namespaces: readonly string[] | undefined
  /** Called for what is there and for every change, but not for what the engine itself writes about an object. */
  onChange(kind: Kind, change: ObjectChange): void
}

/** The objects that say what the engine is to do. */
export class WatchedKinds {
  readonly #watches: ReadonlyMap<Kind, readonly ListWatch[]>
  /** Objects as they were when they were last told of, but for what the engine itself writes. */
  readonly #told = new Map<string, string>()

  constructor({ client, env, namespaces, onChange }: WatchedKindsOptions) {
    const places = (namespaces ?? [undefined]).map(namespace => (namespace === undefined ? {} : { namespace }))
    this.#watches = new Map(
      ALL_KINDS.map(kind => [
        kind,
        places.map(place =>
          createListWatch(client, { apiVersion: KINDS[kind], kind, ...place }, { env, times: WATCH_TIMES }),
        ),
      ]),
    )
    for (const [kind, watches] of this.#watches)
      for (const watch of watches)
        watch.subscribe(change => {
          if (this.#isNews(kind, change)) onChange(kind, change)
        })
  }

  list(kind: Kind): readonly KubeObject[] {
    return this.#of(kind).flatMap(watch => watch.list())
  }

  find(kind: Kind, namespace: string, name: string): KubeObject | undefined {
    for (const watch of this.#of(kind)) {
      const found = watch.get(name, namespace)
      if (found) return found
    }
    return undefined
  }

  /** The first list of a kind is in, or the kind does not exist or may not be read. */
  async whenListed(kind: Kind): Promise<void> {
    await Promise.all(this.#of(kind).map(listed))
  }

  /** All of a kind that there are were listed. */
  areListed(kind: Kind): boolean {
    return this.#of(kind).every(watch => watch.hasSynced())
  }

  stop(): void {
    for (const watches of this.#watches.values()) for (const watch of watches) watch.stop()
  }

  #of(kind: Kind): readonly ListWatch[] {
    return this.#watches.get(kind) ?? []
  }

  #isNews(kind: Kind, { type, object }: ObjectChange): boolean {
    const key = `${kind}/${object.metadata.namespace}/${object.metadata.name}`
    if (type === 'deleted') {
      this.#told.delete(key)
      return true
    }
    const essence = essenceOf(object)
    if (this.#told.get(key) === essence) return false
    this.#told.set(key, essence)
    return true
  }
}

/** All of an object that decides what is done about it. */
function essenceOf({ metadata, spec, status }: KubeObject): string {
  const { uid, annotations, deletionTimestamp } = metadata
  const { phase } = (status ?? {}) as { phase?: unknown }
  return JSON.stringify([uid, annotations, deletionTimestamp, spec, phase === undefined ? 'new' : 'begun'])
}

function listed(watch: ListWatch): Promise<void> {
  return new Promise(resolve => {
    let unsubscribe = () => {}
    const look = () => {
      const { state } = watch.health().state
      if (!watch.hasSynced() && !['dormant', 'forbidden', 'failed', 'stopped'].includes(state)) return
      unsubscribe()
      resolve()
    }
    watch.whenSynced().then(look, look)
    unsubscribe = watch.onState(look)
    look()
  })
}
