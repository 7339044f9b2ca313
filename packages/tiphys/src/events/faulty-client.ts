import { ApiError, type Client, ConnectionFailure, type WatchEvent } from '@tiphys/kube'

/** What is done with a call, or with an event of a watch. */
export type Fault =
  /** The answer of a server that has a reason to refuse for now. */
  | { type: 'answer'; code: 409 | 429 | 500 | 503 }
  /** The connection breaks before the request has arrived. */
  | { type: 'unsent' }
  /** It breaks after the server has done what it was asked for. */
  | { type: 'done, and not answered' }

const WRITES = new Set(['create', 'update', 'patch', 'apply', 'delete'])

/** For tests: a client on whose way things go wrong. */
export function faultyClient(
  client: Client,
  faults: {
    onWrite?: (call: string) => Fault | undefined
    /** What becomes of each event; several times the same, none, an end, and nothing any more are all possible. */
    onWatch?: (event: WatchEvent) => 'pass' | 'twice' | 'cut' | 'expired' | 'silent'
    /** Every call fails when this is true: the process that makes them is dead. */
    isDead?: () => boolean
  },
): Client {
  const { onWrite = () => undefined, onWatch = () => 'pass' as const, isDead = () => false } = faults
  const lost = () => new ConnectionFailure('the server', new Error('the connection was lost'))
  return new Proxy(client, {
    get(_, name: string) {
      const call = (client[name as keyof Client] as (...args: unknown[]) => unknown).bind(client)
      if (name === 'as') return (...args: unknown[]) => faultyClient(call(...args) as Client, faults)
      if (name === 'watch')
        return (...args: unknown[]) => watched(call(...args) as AsyncIterable<WatchEvent>, signalOf(args))
      if (!WRITES.has(name)) return isDead() ? () => Promise.reject(lost()) : call
      return async (...args: unknown[]) => {
        if (isDead()) throw lost()
        const fault = onWrite(name)
        if (fault?.type === 'answer') throw refusal(fault.code)
        if (fault?.type === 'unsent') throw lost()
        const answer = await call(...args)
        if (fault) throw lost()
        return answer
      }
    },
  })

  async function* watched(
    events: AsyncIterable<WatchEvent>,
    signal: AbortSignal | undefined,
  ): AsyncIterable<WatchEvent> {
    for await (const event of events) {
      if (isDead()) throw lost()
      const fate = event.type === 'BOOKMARK' || event.type === 'ERROR' ? 'pass' : onWatch(event)
      if (fate === 'cut') throw lost()
      if (fate === 'expired') throw refusal(410)
      // Neither this nor anything after it arrives, and nobody says so.
      if (fate === 'silent')
        await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(lost()), { once: true }))
      yield event
      if (fate === 'twice') yield event
    }
  }
}

const signalOf = (args: readonly unknown[]) =>
  args.map(arg => (arg as { signal?: AbortSignal } | undefined)?.signal).find(signal => signal !== undefined)

const REASONS: Readonly<Record<number, string>> = {
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
}

function refusal(code: number): ApiError {
  const reason = REASONS[code] ?? ''
  const message = `the test says ${code}`
  return new ApiError({ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', code, reason, message })
}
