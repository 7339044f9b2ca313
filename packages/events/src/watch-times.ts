import type { ListWatchOptions } from '@tiphys/kube'

/** A connection that leads nowhere is noticed within a minute. Servers say something once a minute, and when a stream ends:
 *  it is asked for so short that its end comes before the minute is over, and a silence longer than that is none of a
 *  server that is well. */
export const WATCH_TIMES = { streamSeconds: 25, idleMs: 58_000 } as const satisfies ListWatchOptions['times']
