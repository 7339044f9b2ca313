import type { Invocation } from '../command.ts'
import { dim } from '../terminal.ts'
import { untilAborted } from './environment.ts'
import { printPlaces } from './feed.ts'
import type { Serving } from './serving.ts'

export interface LiveView {
  /** Where everything is, by its name. */
  places: Readonly<Record<string, string>>
  /** What to type next, and what it does. */
  next: readonly (readonly [string, string])[]
  /** What is said when it ends. */
  farewell: string
}

/** Says where everything is, then what happens, as it happens, until whoever looks on has seen enough. */
export async function showLive(
  { terminal, interrupted }: Invocation,
  { engines, feed, console }: Serving,
  { places, next, farewell }: LiveView,
): Promise<void> {
  const { out } = terminal
  printPlaces(out, places, next)
  feed.begin({
    ...(console !== undefined && { console }),
    // Where nobody looks nobody asks, and the thread that would read it is not started.
    ...(out.isInteractive && {
      async parked() {
        const archive = await engines.archive()
        await engines.recorder.settled()
        await archive.caughtUp()
        return (await archive.counters({ minutes: 1 })).parked
      },
    }),
  })
  await untilAborted(interrupted)
  feed.end()
  if (out.isInteractive) out.print(dim(out, farewell))
}
