import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { spareMemory, systemClock, systemRandom } from '@tiphys/env'
import { HandWork } from './hand.ts'
import { type Answer, type Request, sendFailure, type WorkerTask } from './protocol.ts'
import { ArchiveReader, type Reads } from './reader.ts'
import { ArchiveWriter } from './writer.ts'

/** As `nice` counts. */
const LOW_PRIORITY = 10

/** The program of a thread that has a connection to the database of its own. Answers requests, each by itself: those that
 *  must not overlap are put in order by the writer. */
export function serveArchive(): void {
  const port = parentPort
  if (port === null) throw new Error('an archive worker is a worker thread')
  const task = workerData as WorkerTask
  if (task.role !== 'reader') stepBack()
  let opened: Promise<Service> | undefined
  /** By the first request, and by the next one when that has failed. */
  const openOnce = () => {
    if (opened) return opened
    opened = open(task)
    // Whoever has sent the request is told.
    opened.catch(() => (opened = undefined))
    return opened
  }
  const answer = (message: Answer) => port.postMessage(message)
  let [underWay, requests, before] = [0, 0, 0]
  port.on('message', (request: Request) => {
    underWay++
    requests++
    void handle(request.method === 'close' ? opened : openOnce(), request).then(message => {
      underWay--
      answer(message)
    })
  })
  // Between two batches there is a moment without a request, too.
  const isIdle = () => {
    const isQuiet = underWay === 0 && requests === before
    before = requests
    return isQuiet
  }
  spareMemory({
    clock: systemClock,
    isIdle,
    forget: async () => {
      const writer = await opened
      if (writer instanceof ArchiveWriter) await writer.rest()
    },
  })
}

type Service = ArchiveWriter | ArchiveReader | HandWork

function open({ role, database, program }: WorkerTask): Promise<Service> {
  if (role === 'reader') return ArchiveReader.open(database, systemClock)
  if (role === 'hand') return HandWork.open(database)
  return ArchiveWriter.open(database, { clock: systemClock, random: systemRandom }, program)
}

async function handle(opened: Promise<Service> | undefined, { id, method, args }: Request): Promise<Answer> {
  try {
    const service = await opened
    if (method === 'open') return { id, result: undefined }
    if (method === 'close') return { id, result: await service?.close() }
    if (service instanceof ArchiveReader)
      return { id, result: await service.call(method as keyof Reads, args as never) }
    const work = (service as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>)[method]
    if (!work) throw new Error(`there is no ${method}`)
    return { id, result: await work.apply(service, args as unknown[]) }
  } catch (error) {
    // The one border of the worker: whatever is thrown is the answer.
    return { id, failure: sendFailure(error) }
  }
}

/** The engines go first where processors are scarce: what they do is kept in the journal meanwhile. Linux gives every thread a
 *  priority of its own; elsewhere it stays as it is. */
function stepBack(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread !== process.pid) setPriority(thread, LOW_PRIORITY)
  } catch {
    // There is no such thing here, or it is not allowed: nothing depends on it.
  }
}
