import { connect, type Socket } from 'node:net'
import type { Clock } from '@tiphys/env'

export interface DialOptions {
  clock: Clock
  /** After this, whoever does not answer counts as not there. */
  timeoutMs?: number
}

/** A connection that stays open in one direction when the other ends. Rejects with the system's reason. */
export function dial(
  to: { host: string; port: number } | { path: string },
  { clock, timeoutMs = 10_000 }: DialOptions,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...to, allowHalfOpen: true, noDelay: true })
    const place = 'path' in to ? to.path : `${to.host}:${to.port}`
    const timer = clock.schedule(timeoutMs, () => {
      const error = new Error(`connect ETIMEDOUT ${place}: no answer within ${timeoutMs} ms`)
      socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
    })
    socket.once('connect', () => {
      timer.cancel()
      socket.off('error', onError)
      // Whoever gets the socket learns of a failure by `close`; an unheard `error` would end the process.
      socket.on('error', () => {})
      resolve(socket)
    })
    const onError = (error: Error) => {
      timer.cancel()
      reject(error)
    }
    socket.once('error', onError)
  })
}
