import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '@tiphys/env'
import { drained, type LogOptions } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import type { ContainerRef, NodePods } from '../node/node-pods.ts'
import { KubeletRefusal } from './kubelet-refusal.ts'

export type ContainerLogOptions = Omit<LogOptions, 'container'>

/** The options of a request for logs; undefined when they cannot be read, 'invalid' when they make no sense. */
export function logOptions(query: URLSearchParams): ContainerLogOptions | undefined | 'invalid' {
  const tail = query.get('tail') ?? query.get('tailLines')
  const numbers = {
    tailLines: tail === 'all' ? undefined : integer(tail),
    limitBytes: integer(query.get('limitBytes')),
    sinceSeconds: integer(query.get('sinceSeconds')),
  }
  const sinceTime = query.get('sinceTime') || undefined
  if (Object.values(numbers).some(Number.isNaN)) return undefined
  if (sinceTime !== undefined && Number.isNaN(Date.parse(sinceTime))) return undefined
  const { tailLines, limitBytes, sinceSeconds } = numbers
  const isInvalid =
    (tailLines !== undefined && tailLines < 0) ||
    (limitBytes !== undefined && limitBytes < 1) ||
    (sinceSeconds !== undefined && (sinceSeconds < 1 || sinceTime !== undefined)) ||
    !['', 'All'].includes(query.get('stream') ?? '')
  if (isInvalid) return 'invalid'
  return {
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(sinceTime === undefined ? {} : { sinceTime }),
  }
}

/** How to read a container's log as the request for it says; throws the refusal. */
export function containerLog(
  pods: NodePods,
  ref: ContainerRef,
  query: URLSearchParams,
): (signal: AbortSignal) => AsyncIterable<Uint8Array> {
  const options = logOptions(query)
  if (!options) throw new KubeletRefusal(400, '{"message": "Unable to decode query."}')
  if (options === 'invalid') throw new KubeletRefusal(422, '{"message": "Invalid request."}')
  const { pod: name, container } = ref
  const pod = pods.pod(ref.namespace, name)
  if (!pod) throw new KubeletRefusal(404, `pod ${JSON.stringify(name)} does not exist`)
  if (!containerNames(pod).includes(container)) {
    throw new KubeletRefusal(404, `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(name)}`)
  }
  return signal => pods.logs(ref, { ...options, signal })
}

export function containerNames({ spec }: Pod): string[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {}
  return [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
}

function integer(value: string | null): number | undefined {
  if (value === null || value === '') return undefined
  return /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN
}

const isTrue = (value: string | null): boolean => value !== null && value !== '' && !/^(0|false)$/i.test(value)

/** So long a refusal may take; then the answer begins, so that whoever follows a silent log knows that it does. */
const REFUSAL_MS = 500

/** Made once: making one takes as long as reading a short log. */
const DEPARTED = new DOMException('This operation was aborted', 'AbortError')

/** Writes a log at the pace at which it is read, and stops reading it when the reader leaves. A log that is there in full
 *  leaves with the head of the answer, in one piece. A refusal before the first bytes is thrown. */
export async function sendLogs(
  read: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  response: ServerResponse,
  clock: Clock,
): Promise<void> {
  const departure = new AbortController()
  const closed = new Promise<void>(resolve => response.once('close', resolve)).then(() => departure.abort(DEPARTED))
  const chunks = read(departure.signal)[Symbol.asyncIterator]()
  try {
    let next = chunks.next()
    let late: Timer | undefined
    const isLate = new Promise<void>(resolve => {
      late = clock.schedule(REFUSAL_MS, resolve)
    })
    const first = await Promise.race([next, isLate, closed])
    late?.cancel()
    response.writeHead(200, { 'content-type': 'text/plain' })
    if (!first) response.flushHeaders()
    for (;;) {
      const chunk = await Promise.race([next, closed])
      if (!chunk || chunk.done) break
      // What comes in the same turn leaves together.
      if (response.writableCorked === 0) {
        response.cork()
        setImmediate(() => {
          if (!response.writableEnded) response.uncork()
        })
      }
      if (!response.write(chunk.value)) await drained(response)
      if (departure.signal.aborted) break
      next = chunks.next()
    }
    response.end()
  } catch (thrown) {
    if (!response.headersSent) throw thrown
    // Cut off, so that nobody takes it for the end of the log.
    response.destroy()
  } finally {
    departure.abort(DEPARTED)
    // A reader that waits for more output ends by its signal; nobody waits for it.
    chunks.return?.()?.then(
      () => {},
      () => {},
    )
  }
}
