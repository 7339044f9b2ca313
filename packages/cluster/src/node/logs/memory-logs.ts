import type { Env } from '@tiphys/env'
import { asyncLines, type LogLine, lineSelection } from './log-lines.ts'
import type { LogRun, LogStore, ReadOptions } from './log-store.ts'

const MOST_LINES = 200

interface KeptLog {
  lines: LogLine[]
  /** How many lines were dropped before the first. */
  dropped: number
  isOver: boolean
  waiters: Set<() => void>
}

/** Logs of containers that print little: the last lines of each run, in memory, for as long as the pod is here. */
export function createMemoryLogs({ clock }: Env): LogStore {
  const kept = new Map<string, Map<string, KeptLog>>()
  const keyOf = ({ container, restartCount }: LogRun) => `${container}/${restartCount}`
  const find = (run: LogRun) => kept.get(run.uid)?.get(keyOf(run))

  async function* follow(log: KeptLog, options: ReadOptions): AsyncGenerator<readonly LogLine[]> {
    let next = log.dropped
    while (!options.signal?.aborted) {
      yield log.lines.slice(Math.max(0, next - log.dropped))
      next = log.dropped + log.lines.length
      if (!options.follow || log.isOver) return
      await new Promise<void>(resolve => {
        const wake = () => {
          log.waiters.delete(wake)
          options.signal?.removeEventListener('abort', wake)
          resolve()
        }
        log.waiters.add(wake)
        options.signal?.addEventListener('abort', wake, { once: true })
      })
    }
  }

  return {
    open(run) {
      const log: KeptLog = { lines: [], dropped: 0, isOver: false, waiters: new Set() }
      let isKept = false
      const keep = () => {
        if (isKept) return
        isKept = true
        const ofPod = kept.get(run.uid) ?? new Map<string, KeptLog>()
        ofPod.delete(keyOf({ ...run, restartCount: run.restartCount - 2 }))
        kept.set(run.uid, ofPod.set(keyOf(run), log))
      }
      const wakeAll = () => {
        for (const wake of log.waiters) wake()
      }
      return {
        write(stream, chunk) {
          if (chunk.length === 0) return
          keep()
          const text = Buffer.from(chunk)
          for (let at = 0; at < text.length; ) {
            const end = text.indexOf(0x0a, at)
            const stop = end < 0 ? text.length : end + 1
            log.lines.push({ time: clock.now(), stream, content: text.subarray(at, stop) })
            at = stop
          }
          const surplus = log.lines.length - MOST_LINES
          if (surplus > 0) log.dropped += log.lines.splice(0, surplus).length
          wakeAll()
        },
        end() {
          log.isOver = true
          wakeAll()
        },
      }
    },
    read(run, options) {
      const log = find(run)
      if (!log) return undefined
      const selection = lineSelection(options, clock.now())
      return asyncLines(follow(log, options), selection, log.lines)
    },
    async tail(run, lines, bytes) {
      const text = Buffer.concat((find(run)?.lines ?? []).slice(-lines).map(({ content }) => content))
      return text.subarray(-bytes).toString()
    },
    async remove({ uid }) {
      for (const log of kept.get(uid)?.values() ?? []) {
        log.isOver = true
        for (const wake of log.waiters) wake()
      }
      kept.delete(uid)
    },
    removeOthers: async () => {},
  }
}
