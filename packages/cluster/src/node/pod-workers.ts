import type { PodWorker } from './pod-worker.ts'

/** The workers of a node's pods, by uid and by name. */
export class PodWorkers {
  readonly #byUid = new Map<string, PodWorker>()
  /** The one that came last: a pod may have its name again while what was before it is still being removed. */
  readonly #byName = new Map<string, PodWorker>()

  get(uid: string): PodWorker | undefined {
    return this.#byUid.get(uid)
  }

  named(namespace: string, name: string): PodWorker | undefined {
    return this.#byName.get(`${namespace}/${name}`)
  }

  all(): Iterable<PodWorker> {
    return this.#byUid.values()
  }

  add(worker: PodWorker): void {
    this.#byUid.set(worker.pod.metadata.uid ?? '', worker)
    this.#byName.set(nameOf(worker), worker)
  }

  remove(worker: PodWorker): void {
    this.#byUid.delete(worker.pod.metadata.uid ?? '')
    if (this.#byName.get(nameOf(worker)) === worker) this.#byName.delete(nameOf(worker))
  }
}

const nameOf = ({ pod: { metadata } }: PodWorker): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
