import { setMaxListeners } from 'node:events'
import { asError, delay } from '@tiphys/env'
import type { RunningSource, SourceHost } from './source.ts'

const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 15_000]

/** Runs `work` until it is stopped. What it throws is reported, and it is begun again after a pause: one bad entry ends
 *  nothing but itself, and not even itself for good. With the host that `work` is given, it is known whether something is on
 *  its way to the bus. */
export function runSource(
  host: SourceHost,
  describe: (error: Error) => { reason: string; message: string },
  work: (stopped: AbortSignal, host: SourceHost) => Promise<void>,
): RunningSource {
  let publishing = 0
  const counted: SourceHost = {
    ...host,
    publish: event => {
      publishing++
      return host.publish(event).finally(() => {
        publishing--
      })
    },
  }
  const stopped = new AbortController()
  // Every pause of everything that it has under way listens.
  setMaxListeners(0, stopped.signal)
  const run = async () => {
    let pauseMs = SHORTEST_PAUSE_MS
    while (!stopped.signal.aborted) {
      const began = host.env.clock.monotonic()
      try {
        await work(stopped.signal, counted)
        return
      } catch (thrown) {
        if (stopped.signal.aborted) return
        // What went well for a while was no failed attempt.
        if (host.env.clock.monotonic() - began > LONGEST_PAUSE_MS) pauseMs = SHORTEST_PAUSE_MS
        host.report({ state: 'failing', ...describe(asError(thrown)) })
        await pause(host, pauseMs, stopped.signal)
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      }
    }
  }
  const running = run()
  return {
    async stop() {
      stopped.abort()
      await running
    },
    isIdle: () => publishing === 0,
  }
}

/** Ends at once when it is stopped, which is no error. */
export async function pause({ env }: SourceHost, ms: number, stopped: AbortSignal): Promise<void> {
  await delay(env.clock, ms, stopped).catch(() => {})
}

export function whenStopped(stopped: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (stopped.aborted) resolve()
    stopped.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Publishes, however long it takes until the bus takes it. Whether it was published before the source was stopped. */
export async function publishUntilTaken(
  host: SourceHost,
  event: Parameters<SourceHost['publish']>[0],
  stopped: AbortSignal,
): Promise<boolean> {
  for (let pauseMs = 100; !stopped.aborted; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      await host.publish(event)
      if (pauseMs > 100) host.report({ state: 'active' })
      return true
    } catch (thrown) {
      const message = `Events are held back: ${asError(thrown).message}`
      host.report({ state: 'waiting', reason: 'BusRefuses', message })
      await pause(host, pauseMs, stopped)
    }
  }
  return false
}
