import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { asError, type Env, type Timer } from '@tiphys/env'
import type { Pod } from '@tiphys/kube/kinds'
import { amountOf } from '../scheduler/resource-amounts.ts'
import type { Verdict } from './observed-pod.ts'

/** What a pod keeps on this machine's disk, in bytes. */
export interface StorageUse {
  pod: Pod
  /** By the name of the emptyDir. */
  volumes: ReadonlyMap<string, number>
  logs: number
}

export interface FreeSpace {
  available: number
  size: number
}

/** A disk fills fast. */
const LOOK_MS = 5_000
/** As the kubelet: how long an evicted pod has to end. */
const EVICTION_GRACE_MS = 1_000

const MOST_RESERVED = 100 * 1024 ** 2
const RESERVED_SHARE = 0.05

/** Less than this free is too little: the API's own data is on the same disk. */
export const reservedSpace = ({ size }: FreeSpace): number => Math.min(MOST_RESERVED, Math.floor(size * RESERVED_SHARE))

export const isLow = (space: FreeSpace): boolean => space.available < reservedSpace(space)

/** Which pods have to go, and why: those that keep more than their volumes may hold, and where the disk is full the one that
 *  keeps the most. */
export function judgeStorage(space: FreeSpace, uses: readonly StorageUse[]): { pod: Pod; verdict: Verdict }[] {
  const judged = uses.flatMap(({ pod, volumes }) => {
    const over = (pod.spec?.volumes ?? []).find(({ name, emptyDir }) => {
      const limit = emptyDir?.sizeLimit === undefined ? 0 : amountOf('storage', emptyDir.sizeLimit)
      return limit > 0 && (volumes.get(name) ?? 0) > limit
    })
    if (!over) return []
    const message = `Usage of EmptyDir volume "${over.name}" exceeds the limit "${over.emptyDir?.sizeLimit}". `
    return [{ pod, verdict: evicted(message) }]
  })
  if (judged.length > 0 || !isLow(space)) return judged
  const [most] = uses.toSorted((one, other) => total(other) - total(one))
  if (!most || total(most) === 0) return []
  const message =
    `The node was low on resource: ephemeral-storage. Threshold quantity: ${reservedSpace(space)}, ` +
    `available: ${Math.floor(space.available / 1024)}Ki. The pod was using ${Math.ceil(total(most) / 1024)}Ki. `
  return [{ pod: most.pod, verdict: evicted(message) }]
}

const evicted = (message: string): Verdict => ({ reason: 'Evicted', message, graceMs: EVICTION_GRACE_MS })

const total = ({ volumes, logs }: StorageUse) => [...volumes.values()].reduce((sum, bytes) => sum + bytes, logs)

export interface StorageGuardOptions {
  env: Env
  /** Where pods and logs are. */
  directory: string
  pods(): readonly Pod[]
  evict(pod: Pod, verdict: Verdict): void
  onPressure(isUnder: boolean): void
}

/** Looks after the disk: ends pods that take more of it than they may, before others suffer. Returns how to stop. */
export function guardStorage({ env, directory, pods, evict, onPressure }: StorageGuardOptions): () => void {
  let timer: Timer | undefined
  let isStopped = false
  let wasLow = false
  const look = async () => {
    const { bavail, bsize, blocks } = await statfs(directory)
    const space = { available: bavail * bsize, size: blocks * bsize }
    // The first time it may help that a pod goes.
    onPressure(wasLow && isLow(space))
    wasLow = isLow(space)
    const watched = wasLow ? pods() : pods().filter(hasLimit)
    const uses = await Promise.all(watched.map(pod => measure(directory, pod)))
    if (isStopped) return
    for (const { pod, verdict } of judgeStorage(space, uses)) evict(pod, verdict)
  }
  const lookLater = () => {
    if (isStopped) return
    timer = env.clock.schedule(LOOK_MS, () => {
      void look()
        // The directory comes with the first pod.
        .catch(thrown => env.log.debug('the free space is not known', { error: asError(thrown) }))
        .finally(lookLater)
    })
  }
  lookLater()
  return () => {
    isStopped = true
    timer?.cancel()
  }
}

const hasLimit = ({ spec }: Pod) => (spec?.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined)

async function measure(directory: string, pod: Pod): Promise<StorageUse> {
  const { uid = '', namespace, name } = pod.metadata
  const volumes = new Map<string, number>()
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.emptyDir) volumes.set(volume.name, await sizeOf(join(directory, 'pods', uid, 'volumes', volume.name)))
  }
  return { pod, volumes, logs: await sizeOf(join(directory, 'logs', `${namespace}_${name}_${uid}`)) }
}

/** What a folder takes on disk. Containers write in it meanwhile: what has gone counts nothing. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let sum = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sum += await sizeOf(path)
    else if (entry.isFile())
      sum += await stat(path).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      )
  }
  return sum
}
