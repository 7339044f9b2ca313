import { getHeapStatistics } from 'node:v8'
import type { Clock } from './clock.ts'
import { utilization } from './utilization.ts'

export interface SpareMemoryOptions {
  clock: Clock
  /** Whether there is nothing to do at the moment. */
  isIdle(): boolean
  /** Which part of the time since the last call this thread has worked. */
  busy?(): number
  /** Bytes that this thread holds. */
  held?(): number
  /** Lets go of what is only remembered to be quicker. */
  forget?(): Promise<void>
  /** Frees what nothing refers to, and gives it back to the machine, now or in a moment. */
  collect?(): void
}

const LOOK_EVERY_MS = 1000
/** So often in a row nothing was to be done before memory is given back: a pause between two events is no rest. */
const QUIET_LOOKS = 3
/** A thread that works more than this is in the middle of something, though nothing may be under way just when it is looked at. */
const MOST_BUSY = 0.1
/** What is worth the pause that it takes, some tens of milliseconds. */
const WORTHWHILE_BYTES = 16 * 2 ** 20

/** Gives back what a burst of work needed once it is over. The engine of JavaScript itself leaves that for later, and without
 *  more work there is no later: an operator that watches and waits would hold for days what it needed for seconds. */
export function spareMemory(options: SpareMemoryOptions): { stop(): void } {
  const { clock, isIdle, busy = utilization(), held = bytesHeld, forget, collect = collectGarbage } = options
  let least = held()
  let quietLooks = 0
  const look = () => {
    quietLooks = busy() <= MOST_BUSY && isIdle() ? quietLooks + 1 : 0
    const now = held()
    least = Math.min(least, now)
    if (quietLooks >= QUIET_LOOKS && now - least >= WORTHWHILE_BYTES) {
      // What could not be forgotten is needed.
      if (forget) forget().then(collect, collect)
      else collect()
      // What is left at the next look is what is needed.
      least = Number.POSITIVE_INFINITY
      quietLooks = 0
    }
    timer = clock.schedule(LOOK_EVERY_MS, look)
  }
  let timer = clock.schedule(LOOK_EVERY_MS, look)
  return { stop: () => timer.cancel() }
}

function bytesHeld(): number {
  const { total_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/** As a debugger does it: the only way that also makes the room for young objects small again. */
function collectGarbage(): void {
  import('node:inspector').then(
    ({ Session }) => {
      const session = new Session()
      session.connect()
      // Not in the answer itself: Node does not return from a session that ends there.
      session.post('HeapProfiler.collectGarbage', () => setImmediate(() => session.disconnect()))
    },
    () => {
      // A Node that was built without a debugger: memory is given back when the engine sees fit.
    },
  )
}
