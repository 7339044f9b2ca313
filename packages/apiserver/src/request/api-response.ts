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
  /** Bytes as they come (logs). */
  | { type: 'stream'; chunks: AsyncIterable<Uint8Array> }
  /** A watch: starts when `start` is called, ends by itself or by `stop`. */
  | { type: 'watch'; start: (sink: WatchSink) => WatchStream }

export interface WatchSink {
  /** One event. `line` is its JSON with the newline; `event` the same as a shared value that must not be changed. */
  send(line: () => string, event: () => { type: string; object: unknown }): void
  /** True while the receiver is so far behind that the stream should rather be ended. */
  isBehind(): boolean
  end(): void
}

export interface WatchStream {
  stop(): void
}
