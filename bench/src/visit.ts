import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadGenerator } from './load-generator.ts'
import type { Side } from './server-process.ts'
import { median } from './statistics.ts'

/** How much a visit asks of a server. */
export interface Sizes {
  /** ConfigMaps of 1 KB that there are when lists and memory are measured. */
  objects: number
  /** How many of them are created before the clock runs. */
  warmUp: number
  pods: number
  lists: number
  changes: number
  watchers: number
  /** Milliseconds of rest before memory is read, for both sides' collectors. */
  rest: number
}

/** What one life of one server showed. */
export interface Visit {
  readyMilliseconds: number
  answerMilliseconds: number
  createsPerSecond: number
  podsPerSecond: number
  residentMegabytes: number
  listMilliseconds: number
  gzipListMilliseconds: number
  watchMilliseconds: number
}

/** Starts a server, measures it from outside, and stops it. Everything but the start is done by a user with rights in one
 *  namespace. */
export async function visit(side: Side, load: LoadGenerator, directory: string, sizes: Sizes): Promise<Visit> {
  await mkdir(directory, { recursive: true })
  const launch = await side.launch(directory)
  let running: ReturnType<typeof launch.start> | undefined
  try {
    const { answered, ready } = await load.timeStart(launch.kubeconfig, () => {
      running = launch.start()
    })
    const kubeconfig = join(directory, 'user.kubeconfig')
    await load.setUp(launch.kubeconfig, kubeconfig)
    const { objects, warmUp, lists, changes, watchers } = sizes
    await load.create({ kubeconfig, count: warmUp, first: 0 })
    const creates = await load.create({ kubeconfig, count: objects - warmUp, first: warmUp })
    await pause(sizes.rest)
    const residentBytes = (await running?.residentBytes()) ?? 0
    const list = await load.list({ kubeconfig, count: objects, repeats: lists, gzip: false })
    const gzipList = await load.list({ kubeconfig, count: objects, repeats: lists, gzip: true })
    const watched = await load.watch({ kubeconfig, changes, watchers })
    if (watched.wrong > 0) throw new Error(`${side.name}: ${watched.wrong} watch events were lost or out of order`)
    const pods = await load.create({ kubeconfig, count: sizes.pods, first: 0, resource: 'pods' })
    return {
      readyMilliseconds: ready,
      answerMilliseconds: answered,
      createsPerSecond: creates.rate,
      podsPerSecond: pods.rate,
      residentMegabytes: residentBytes / 1e6,
      listMilliseconds: median(list),
      gzipListMilliseconds: median(gzipList),
      watchMilliseconds: watched.seconds * 1000,
    }
  } finally {
    await running?.stop()
  }
}
