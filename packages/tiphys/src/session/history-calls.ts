import type { Archive } from '@tiphys/archive'
import { type Clock, delay } from '@tiphys/env'
import { Noted } from './control-server.ts'
import { HISTORY_CALLS } from './instance.ts'

export interface HistorySource {
  archive(): Promise<Pick<Archive, (typeof HISTORY_CALLS)[number]>>
  recorder: { settled(): Promise<unknown> }
}

const PATIENCE_MS = 10_000
const BEHIND =
  'the history lags behind: what happened last is not in it yet. Either there is much to do, or it cannot be stored, which tiphys up says where it runs'

/** What other commands ask of the past. What has happened before the question belongs to the answer; where that cannot be stored,
 *  or not soon, the answer is what is known, and says so. */
export function historyCalls(source: HistorySource, clock: Clock, patienceMs = PATIENCE_MS) {
  const isCurrent = async (archive: Pick<Archive, 'caughtUp'>) => {
    const settled = async () => {
      await source.recorder.settled()
      return await archive.caughtUp({ isPatient: false })
    }
    return await Promise.race([settled(), delay(clock, patienceMs).then(() => false)])
  }
  const call =
    (name: (typeof HISTORY_CALLS)[number]) =>
    async (...args: readonly never[]): Promise<unknown> => {
      const archive = await source.archive()
      const isBehind = !(await isCurrent(archive))
      const method = archive[name] as (...args: readonly unknown[]) => Promise<unknown>
      const result = name === 'caughtUp' ? undefined : await method(...args)
      return isBehind ? new Noted(result, BEHIND) : result
    }
  return Object.fromEntries(HISTORY_CALLS.map(name => [name, call(name)] as const))
}
