import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { spareMemory, systemClock, systemRandom } from '@tiphys/env'
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
  const { role, database } = workerData as WorkerTask
  if (role === 'writer') stepBack()
  const env = { clock: systemClock, random: systemRandom }
  const opened = role === 'writer' ? ArchiveWriter.open(database, env) : ArchiveReader.open(database, systemClock)
  // The first request reports it.
  opened.catch(() => {})
  const answer = (message: Answer) => port.postMessage(message)
  let underWay = 0
  port.on('message', (request: Request) => {
    underWay++
    void handle(opened, request).then(message => {
      underWay--
      answer(message)
    })
  })
  spareMemory({
    clock: systemClock,
    isIdle: () => underWay === 0,
    forget: async () => {
      const service = await opened
      if (service instanceof ArchiveWriter) await service.rest()
    },
  })
}

async function handle(opened: Promise<ArchiveWriter | ArchiveReader>, { id, method, args }: Request): Promise<Answer> {
  try {
    const service = await opened
    if (method === 'open') return { id, result: undefined }
    if (method === 'close') return { id, result: await service.close() }
    if (service instanceof ArchiveReader)
      return { id, result: await service.call(method as keyof Reads, args as never) }
    const work = service[method as 'store'] as (...args: readonly unknown[]) => Promise<unknown>
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
