import { type Caches, kindRef, type ObjectChange } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'

const POD = kindRef<Pod>('v1', 'Pod')

/** Keeps count of every pod that there ever was of a run's steps, seen from outside of any engine. Only for tests. */
export class PodLedger {
  /** The uids of pods, by run and node. */
  readonly #created = new Map<string, Set<string>>()

  /** `onChange` is told the run of every pod that changes. */
  static async follow(caches: Caches, onChange: (run: string | undefined) => void = () => {}): Promise<PodLedger> {
    const ledger = new PodLedger()
    const pods = caches.acquire(POD)
    pods.subscribe(({ type, object: { metadata } }: ObjectChange<Pod>) => {
      const { labels = {}, annotations = {}, uid = '' } = metadata
      const run = labels['workflows.argoproj.io/workflow']
      const key = `${run} ${annotations['workflows.argoproj.io/node-name']}`
      if (type === 'added') ledger.#created.set(key, (ledger.#created.get(key) ?? new Set()).add(uid))
      onChange(run)
    })
    await pods.whenSynced()
    return ledger
  }

  /** How many pods each node has had of the runs whose names begin so. */
  podsOf(runs: string): number[] {
    return [...this.#created].filter(([key]) => key.startsWith(runs)).map(([, uids]) => uids.size)
  }
}
