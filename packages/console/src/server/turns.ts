import type { Archive } from '@tiphys/archive'
import { HttpFailure } from './http-failure.ts'

/** Lets callers take turns at something that does little at once, so that nobody waits behind all that another has asked for.
 *
 *  - At most `atOnce` tasks run at a time, of one caller no more than half of them (but one).
 *  - Callers who wait come one after the other, each with one task; the tasks of one caller stay in their order.
 *  - Who has more than `mostWaiting` tasks waiting is refused. */
export interface Turns {
  run<T>(who: string, task: () => Promise<T>): Promise<T>
}

export function createTurns({ atOnce, mostWaiting }: { atOnce: number; mostWaiting: number }): Turns {
  const mostOfOne = Math.max(1, Math.floor(atOnce / 2))
  /** In the order in which their turns come. */
  const waiting = new Map<string, (() => void)[]>()
  const underWay = new Map<string, number>()
  let running = 0

  const begin = () => {
    for (const [who, tasks] of waiting) {
      if (running >= atOnce) return
      if ((underWay.get(who) ?? 0) >= mostOfOne) continue
      const task = tasks.shift()
      waiting.delete(who)
      // Behind all others who wait.
      if (tasks.length > 0) waiting.set(who, tasks)
      task?.()
    }
  }

  return {
    async run(who, task) {
      const own = waiting.get(who) ?? []
      if (own.length >= mostWaiting) {
        throw new HttpFailure('console-busy', {
          status: 429,
          what: `${own.length} of your requests wait already`,
          todo: 'Wait until they are answered, and send fewer at a time',
        })
      }
      await new Promise<void>(resolve => {
        own.push(() => {
          running++
          underWay.set(who, (underWay.get(who) ?? 0) + 1)
          resolve()
        })
        waiting.set(who, own)
        begin()
      })
      try {
        return await task()
      } finally {
        running--
        const left = (underWay.get(who) ?? 1) - 1
        if (left > 0) underWay.set(who, left)
        else underWay.delete(who)
        begin()
      }
    },
  }
}

/** What a caller asks of the archive, in turns; an export takes one for each of its parts. What lasts (following) and what changes it is not
 *  held up. */
export function archiveInTurns(archive: Archive, turns: Turns, who: string): Archive {
  return new Proxy(archive, {
    get(target, name: keyof Archive) {
      const member = target[name]
      if (typeof member !== 'function') return member
      if (name === 'export')
        return (...args: Parameters<Archive['export']>) => inTurns(target.export(...args), turns, who)
      const call = (...args: unknown[]) => (member as (...given: unknown[]) => Promise<unknown>).apply(target, args)
      return READS.has(name) ? (...args: unknown[]) => turns.run(who, () => call(...args)) : call
    },
  })
}

/** So much of an export is read in one turn. */
const [LINES_A_TURN, CHARACTERS_A_TURN] = [500, 2 ** 20]

async function* inTurns(lines: AsyncIterable<string>, turns: Turns, who: string): AsyncIterable<string> {
  const each = lines[Symbol.asyncIterator]()
  const readSome = async () => {
    const some: string[] = []
    for (let left = CHARACTERS_A_TURN; some.length < LINES_A_TURN && left > 0; ) {
      const { value, done } = await each.next()
      if (done) return { some, isEnd: true }
      some.push(value)
      left -= value.length
    }
    return { some, isEnd: false }
  }
  try {
    for (let isEnd = false; !isEnd; ) {
      const part = await turns.run(who, readSome)
      yield* part.some
      isEnd = part.isEnd
    }
  } finally {
    await each.return?.()
  }
}

const READS: ReadonlySet<keyof Archive> = new Set([
  'events',
  'sensorEvents',
  'event',
  'payload',
  'trace',
  'runs',
  'run',
  'runGroups',
  'log',
  'kinds',
  'objects',
  'object',
  'writes',
  'write',
  'parked',
  'parkedItems',
  'health',
  'healthHistory',
  'audit',
  'search',
  'flow',
  'counters',
  'attention',
  'ancestors',
  'descendants',
  'complete',
  'status',
] satisfies (keyof Archive)[])
