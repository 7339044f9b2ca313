import { TerminalFailure } from '@tiphys/env'
import type { FailureMessage } from './control-server.ts'
import type { ServerFile } from './server-file.ts'

type Answer = { result?: unknown } | { failure: FailureMessage }

/** Asks the running instance; what it refuses is thrown as the failure that it was there. */
export async function callInstance(instance: ServerFile, method: string, args: readonly unknown[]): Promise<unknown> {
  const answer = await post(instance, `call/${method}`, args)
  return resultOf((await answer.json()) as Answer)
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
    if (!signal.aborted) throw thrown
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
    throw new TerminalFailure('cli-instance-gone', {
      what: 'the running instance does not answer any more',
      todo: 'See whether it still runs, and start it again',
      cause: thrown,
    })
  }
}

function resultOf(answer: Answer): unknown {
  if (!('failure' in answer)) return answer.result
  const { code, ...rest } = answer.failure
  throw new TerminalFailure(code, rest)
}
