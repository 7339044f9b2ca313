import type { Duplex, Readable } from 'node:stream'

/** An answer before it becomes bytes. */
export interface ApiResponse {
  status: number
  headers: Record<string, string | string[]>
  body: ResponseBody
}

export type ResponseBody =
  | { type: 'empty' }
  | { type: 'text'; text: string }
  | { type: 'bytes'; bytes: Uint8Array }
  /** A JSON document. `text` is there when somebody already wrote it; `value` is shared and must not be changed. */
  | { type: 'json'; value: () => unknown; text: () => string }
  /** Bytes as they come (logs, what is proxied). Destroyed when the caller leaves. */
  | { type: 'stream'; chunks: Readable }
  /** Another protocol, with status 101: `accept` takes over the caller's connection and what was read of it too early.
   *  `abandon` when there is no connection any more. */
  | { type: 'connection'; accept: (client: Duplex, head: Buffer) => void; abandon: () => void }
  /** A watch: starts when `start` is called, ends by itself or by `stop`. */
  | { type: 'watch'; start: (sink: WatchSink) => WatchStream }

/** One event of a watch, in the form that its receiver asks for. Receivers may share it. */
export interface SentEvent {
  /** Its JSON, with the newline. */
  line(): string
  /** The same as a value, which must not be changed. */
  value(): { type: string; object: unknown }
}

export interface WatchSink {
  send(event: SentEvent): void
  /** True while the receiver is so far behind that the stream should rather be ended. */
  isBehind(): boolean
  end(): void
}

export interface WatchStream {
  stop(): void
}
