import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadGenerator } from './load-generator.ts'
import type { ServerProcess, Side } from './server-process.ts'
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

/** How long a server takes to its first authenticated answer, and to calling itself ready. */
export interface Start {
  readyMilliseconds: number
  answerMilliseconds: number
}

/** What one life of one server showed. */
export interface Visit extends Start {
  createsPerSecond: number
  podsPerSecond: number
  residentMegabytes: number
  listMilliseconds: number
  gzipListMilliseconds: number
  watchMilliseconds: number
}

/** Starts a server, waits for it, does something with it, and stops it. */
async function withServer<Result>(
  side: Side,
  load: LoadGenerator,
  directory: string,
  work: (running: ServerProcess, start: Start) => Promise<Result>,
): Promise<Result> {
  await mkdir(directory, { recursive: true })
  const launch = await side.launch(directory)
  let running: ServerProcess | undefined
  try {
    const { answered, ready } = await load.timeStart(launch.kubeconfig, () => {
      running = launch.start()
    })
    return await work(running as unknown as ServerProcess, { readyMilliseconds: ready, answerMilliseconds: answered })
  } finally {
    await running?.stop()
  }
}

export const timeStart = (side: Side, load: LoadGenerator, directory: string): Promise<Start> =>
  withServer(side, load, directory, async (_, start) => start)

/** Starts a server, measures it from outside, and stops it. Everything but the start is done by a user with rights in one
 *  namespace. */
export function visit(side: Side, load: LoadGenerator, directory: string, sizes: Sizes): Promise<Visit> {
  return withServer(side, load, directory, async (running, start) => {
    const kubeconfig = join(directory, 'user.kubeconfig')
    await load.setUp(running.kubeconfig, kubeconfig)
    const { objects, warmUp, lists, changes, watchers } = sizes
    await load.create({ kubeconfig, count: warmUp, first: 0 })
    const creates = await load.create({ kubeconfig, count: objects - warmUp, first: warmUp })
    await pause(sizes.rest)
    const residentBytes = await running.residentBytes()
    const list = await load.list({ kubeconfig, count: objects, repeats: lists, gzip: false })
    const gzipList = await load.list({ kubeconfig, count: objects, repeats: lists, gzip: true })
    const watched = await load.watch({ kubeconfig, changes, watchers })
    if (watched.wrong > 0) throw new Error(`${side.name}: ${watched.wrong} watch events were lost or out of order`)
    const pods = await load.create({ kubeconfig, count: sizes.pods, first: 0, resource: 'pods' })
    return {
      ...start,
      createsPerSecond: creates.rate,
      podsPerSecond: pods.rate,
      residentMegabytes: residentBytes / 1e6,
      listMilliseconds: median(list),
      gzipListMilliseconds: median(gzipList),
      watchMilliseconds: watched.seconds * 1000,
    }
  })
}
