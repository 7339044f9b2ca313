import { asError } from '@tiphys/env'

/** When a server brings what it has acknowledged to stable storage. */
export type SyncSetting =
  | { sync: 'always' }
  | { sync: 'interval'; intervalMs: number }
  /** A server tells its own setting to its monitoring port and its system account only. */
  | { sync: 'unknown'; why: string }

interface JetStreamReport {
  config?: { sync_always?: boolean; sync_interval?: number }
}

const NANOSECONDS = 1e6

/** Asks the monitoring port of a server, such as `http://127.0.0.1:8222`. */
export async function readSyncSetting(monitor: string | undefined): Promise<SyncSetting> {
  if (monitor === undefined) return { sync: 'unknown', why: 'a server tells it on its monitoring port only' }
  try {
    const answer = await fetch(new URL('/jsz', monitor), { signal: AbortSignal.timeout(5000) })
    const { config } = (await answer.json()) as JetStreamReport
    if (!config) return { sync: 'unknown', why: `${monitor} does not run JetStream` }
    if (config.sync_always) return { sync: 'always' }
    return { sync: 'interval', intervalMs: (config.sync_interval ?? 0) / NANOSECONDS }
  } catch (error) {
    return { sync: 'unknown', why: `${monitor} did not answer: ${asError(error).message}` }
  }
}

/** What the setting can cost, for the person who runs the server. */
export function warningsOf(setting: SyncSetting, replicas: number): string[] {
  const loss =
    replicas > 1
      ? `if most of its ${replicas} copies lose power at once`
      : 'if the server loses power or its machine crashes'
  if (setting.sync === 'always') return []
  if (setting.sync === 'unknown')
    return [
      `It is not known whether the server syncs before it acknowledges (${setting.why}). Unless it has sync_interval: always, acknowledged records can be lost ${loss}`,
    ]
  return [
    `The server syncs every ${setting.intervalMs / 1000} s: records acknowledged since then are lost ${loss}. Set sync_interval: always in its jetstream block`,
  ]
}
