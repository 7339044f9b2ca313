import { Failure, TerminalFailure } from '@tiphys/env'
import type { FailureMessage } from './control-server.ts'
import type { ServerFile } from './server-file.ts'

type Answer = { result?: unknown; note?: string } | { failure: FailureMessage }

/** Asks the running instance; what it refuses is thrown as the failure that it was there. */
export async function callInstance(
  instance: ServerFile,
  method: string,
  args: readonly unknown[],
  onNote: (note: string) => void = () => {},
): Promise<unknown> {
  const response = await post(instance, `call/${method}`, args)
  const answer = (await response.json().catch(thrown => {
    throw instanceGone(thrown)
  })) as Answer
  if ('note' in answer && answer.note !== undefined) onNote(answer.note)
  return resultOf(answer)
}

export async function* streamInstance(
  instance: ServerFile,
  method: string,
  args: readonly unknown[],
  signal: AbortSignal,
): AsyncIterable<unknown> {
  const answer = await post(instance, `stream/${method}`, args, signal)
  if (!answer.ok || !answer.body) return resultOf((await answer.json()) as Answer)
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield resultOf(JSON.parse(line) as Answer)
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown instanceof Failure ? thrown : instanceGone(thrown)
  }
}

async function post({ url, token }: ServerFile, path: string, args: readonly unknown[], signal?: AbortSignal) {
  try {
    return await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(args),
      ...(signal && { signal }),
    })
  } catch (thrown) {
    throw signal?.aborted ? thrown : instanceGone(thrown)
  }
}

/** It ended, or was ended, whatever it was about to say. */
export const instanceGone = (cause: unknown) =>
  new TerminalFailure('cli-instance-gone', {
    what: 'the running instance does not answer any more',
    todo: 'See whether it still runs, and start it again',
    cause,
  })

function resultOf(answer: Answer): unknown {
  if (!('failure' in answer)) return answer.result
  const { code, ...rest } = answer.failure
  throw new TerminalFailure(code, rest)
}
