import { asError, delay, type Env } from '@tiphys/env'
import { ApiError, type Client } from '@tiphys/kube'
import { createFrameReader, type Frame } from './frames.ts'
import { findMissing } from './log-notes.ts'
import { MAX_OUTPUT_BYTES } from './output-limit.ts'
import type { StepLogWriter } from './step-log-writer.ts'

export interface StepLogOptions {
  env: Env
  client: Client
  pod: { namespace: string; name: string }
  container: string
  /** Of the frames in it; undefined when there are none. */
  nonce: string | undefined
  /** Where it is kept. */
  writer: StepLogWriter
  onHeld?: (pid: string) => void
  /** Told when it waits for time to pass before it tries again, and when that is over. */
  onPause?: (isWaiting: boolean) => void
  /** Waited for before the log is asked for. Resolves with what is called when the answer was read, or there is none. */
  turn?: () => Promise<() => void>
  /** Nothing was printed: nothing is asked for. */
  isSilent?: boolean
  /** The container has ended. Until then a log that ends was cut off: servers end what they send without a word when a node is started
   *  anew, or when nothing is printed for long. */
  over: AbortSignal
  /** It has ended long ago: what is there is read, and nothing more is waited for. */
  ended: AbortSignal
  signal: AbortSignal
}

/** What became of a container's log. */
export interface StepLog {
  /** The first part of what the command printed, as much as an output may have. */
  text: string
  frames: readonly Frame[]
  /** Why nothing, or not everything, could be read. */
  trouble?: string
}

/** A node that does not answer may come back, and is asked for as long as the container runs. When that has ended, what the step's
 *  outputs depend on is asked for longer than what is only kept. */
const ATTEMPTS = { outputs: 10, log: 2 } as const
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** A log ends so long at most before it is known that its container has. */
const TOLD_WITHIN_MS = 2000
const CUT_AFTER_MS = 5000

/** Follows a container's log to its end, keeps it and takes the frames out. A connection that breaks is made again. Never
 *  rejects, unless it is aborted. */
export async function followStepLog(options: StepLogOptions): Promise<StepLog> {
  const { env, client, pod, container, nonce, writer, onHeld, over, signal } = options
  const frames: Frame[] = []
  const first: Buffer[] = []
  let firstBytes = 0
  /** How much of what was printed was taken, or is known to be lost. */
  let taken = 0
  const addFrame = (frame: Frame) => {
    if (frames.some(({ type, name }) => type === frame.type && name === frame.name)) return
    frames.push(frame)
    if (frame.type === 'held') onHeld?.(frame.name)
  }
  const newReader = () => createFrameReader(nonce ?? 'none', addFrame)
  let reader = newReader()
  const keep = async (own: Buffer) => {
    if (own.length === 0) return
    if (firstBytes < MAX_OUTPUT_BYTES + 1) {
      first.push(Buffer.from(own.subarray(0, MAX_OUTPUT_BYTES + 1 - firstBytes)))
      firstBytes += own.length
    }
    await writer.write(own)
  }
  let trouble: string | undefined
  /** Takes what is new of a piece that begins at a place of the output; returns where it ends. */
  const take = async (piece: Buffer, begin: number): Promise<number> => {
    const fresh = piece.subarray(Math.min(Math.max(0, taken - begin), piece.length))
    taken += fresh.length
    await keep(nonce === undefined ? Buffer.from(fresh) : reader.push(fresh))
    return begin + piece.length
  }
  /** False when there may be more. */
  const read = async (): Promise<boolean> => {
    const endTurn = await options.turn?.()
    try {
      // Read from the start each time: nothing else says exactly where the last attempt ended.
      let position = 0
      // A log that was rotated meanwhile begins later: what is skipped may be new, and frames are found in it all the same.
      const anew = nonce === undefined || taken === 0 ? undefined : createFrameReader(nonce, addFrame)
      const follow = !options.ended.aborted
      const how = follow ? { follow, signal: AbortSignal.any([signal, options.ended]) } : { signal }
      for await (const bytes of client.logs(pod, { container, ...how })) {
        anew?.push(bytes)
        let piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        for (let missing = findMissing(piece); missing; missing = findMissing(piece)) {
          const note = piece.subarray(missing.begin, missing.end)
          position = await take(piece.subarray(0, missing.begin), position)
          // What leads back is no word of the node: the step has printed the log of another one.
          if (missing.position <= position) position = await take(note, position)
          else {
            if (missing.position > taken) {
              await keep(reader.end())
              reader = newReader()
              await writer.writeMissing(note, missing.position)
            }
            position = missing.position
            taken = Math.max(taken, position)
          }
          piece = piece.subarray(missing.end)
        }
        position = await take(piece, position)
      }
      // A stream that was waited for in vain may have held something back.
      return !follow || !options.ended.aborted || signal.aborted
    } finally {
      endTurn?.()
    }
  }
  /** Waits for time to pass, no longer than until the container has ended. */
  const pause = async (ms: number) => {
    options.onPause?.(true)
    await delay(env.clock, ms, over.aborted ? signal : AbortSignal.any([over, signal])).catch(() => {
      signal.throwIfAborted()
    })
    options.onPause?.(false)
  }
  /** Frames come last: without them it may have been cut off at any time. */
  const endedWithContainer = async (): Promise<boolean> => {
    const endedAt = env.clock.now()
    if (!over.aborted) await pause(CUT_AFTER_MS)
    return over.aborted && env.clock.now() - endedAt <= TOLD_WITHIN_MS && (nonce === undefined || frames.length > 0)
  }
  for (let pauses = 0, tries = 1; options.isSilent !== true; ) {
    try {
      const wasOver = over.aborted
      const isWhole = await read()
      if (isWhole && (wasOver || (await endedWithContainer()))) break
      pauses = 0
    } catch (thrown) {
      const isLast = over.aborted && tries++ === ATTEMPTS[nonce === undefined ? 'log' : 'outputs']
      if (isLast || !mayPass(thrown)) {
        trouble = asError(thrown).message
        break
      }
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** pauses++))
    }
  }
  signal.throwIfAborted()
  await keep(reader.end())
  await writer.end().catch((thrown: unknown) => {
    trouble ??= asError(thrown).message
  })
  return { text: Buffer.concat(first).toString(), frames, ...(trouble !== undefined && { trouble }) }
}

/** What the server refuses for good is not asked for again. */
function mayPass(thrown: unknown): boolean {
  return !(thrown instanceof ApiError) || thrown.statusCode === 429 || thrown.statusCode >= 500
}
