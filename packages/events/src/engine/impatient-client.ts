import { type Clock, RetryableFailure } from '@tiphys/env'
import type { Client } from '@tiphys/kube'

const PATIENCE_MS = 30_000

/** The client, but a read or write of one object that is not answered is given up and can be tried again: a connection that
 *  leads nowhere holds up nobody for ever. Lists and watches have limits of their own. */
export function impatientClient(client: Client, clock: Clock, patienceMs = PATIENCE_MS): Client {
  const limited = async <O extends { signal?: AbortSignal }, T>(
    options: O | undefined,
    call: (options: O) => Promise<T>,
  ): Promise<T> => {
    const given = options?.signal
    given?.throwIfAborted()
    // Not AbortSignal.any: a signal that lives as long as a trigger does remembers every one that was made of it.
    const over = new AbortController()
    let isOver = false
    const timer = clock.schedule(patienceMs, () => {
      isOver = true
      over.abort()
    })
    const abort = () => over.abort(given?.reason)
    given?.addEventListener('abort', abort, { once: true })
    try {
      return await call({ ...(options as O), signal: over.signal })
    } catch (thrown) {
      throw isOver && !given?.aborted ? noAnswer(patienceMs, thrown) : thrown
    } finally {
      timer.cancel()
      given?.removeEventListener('abort', abort)
    }
  }
  return {
    get: (ref, options) => limited(options, given => client.get(ref, given)),
    list: (selection, options) => client.list(selection, options),
    listAll: (selection, options) => client.listAll(selection, options),
    watch: (selection, options) => client.watch(selection, options),
    create: (object, options) => limited(options, given => client.create(object, given)),
    update: (object, options) => limited(options, given => client.update(object, given)),
    patch: (ref, patch, options) => limited(options, given => client.patch(ref, patch, given)),
    apply: (object, options) => limited(options, given => client.apply(object, given)),
    delete: (ref, options) => limited(options, given => client.delete(ref, given)),
    deleteCollection: (selection, options) => client.deleteCollection(selection, options),
    subresource: (verb, ref, subresource, body, options) =>
      limited(options, given => client.subresource(verb, ref, subresource, body, given)),
    resources: () => client.resources(),
    resourceFor: kind => client.resourceFor(kind),
    serverVersion: () => client.serverVersion(),
    logs: (pod, options) => client.logs(pod, options),
    exec: (pod, options) => client.exec(pod, options),
    portForward: (pod, port, options) => client.portForward(pod, port, options),
    as: user => impatientClient(client.as(user), clock, patienceMs),
    close: () => client.close(),
  }
}

const noAnswer = (patienceMs: number, cause: unknown) =>
  new RetryableFailure('events-no-answer', {
    what: `The API server has not answered within ${patienceMs / 1000} s`,
    todo: 'It is tried again. If this lasts, look at the way to the API server',
    cause,
  })
