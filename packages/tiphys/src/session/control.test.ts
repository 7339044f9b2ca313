import { systemEnv, TerminalFailure } from '@tiphys/env'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callInstance, streamInstance } from './control-client.ts'
import { type ControlServer, startControlServer } from './control-server.ts'
import type { ServerFile } from './server-file.ts'

let server: ControlServer
let instance: ServerFile
beforeEach(async () => {
  server = await startControlServer(systemEnv, {
    calls: {
      add: async (a: number, b: number) => a + b,
      end: () => server.close(),
      refuse: async () => {
        throw new TerminalFailure('some-code', { what: 'it cannot be', why: 'so it is', todo: 'Leave it' })
      },
    },
    streams: {
      async *count(signal: AbortSignal, from: number) {
        for (let n = from; !signal.aborted; n++) {
          yield n
          await new Promise(resolve => setImmediate(resolve))
        }
      },
    },
  })
  const { url, token } = server
  instance = { command: 'up', pid: 1, version: '0', url, token, kubeconfig: '', manifests: [] }
})
afterEach(() => server.close())

it('answers calls', async () => expect(await callInstance(instance, 'add', [1, 2])).toBe(3))

it('passes a failure on as it was', async () => {
  const failure = { code: 'some-code', what: 'it cannot be', why: 'so it is', todo: 'Leave it' }
  await expect(callInstance(instance, 'refuse', [])).rejects.toMatchObject(failure)
})

it('streams until the reader has enough', async () => {
  const seen: unknown[] = []
  for await (const number of streamInstance(instance, 'count', [7], new AbortController().signal)) {
    seen.push(number)
    if (seen.length === 3) break
  }
  expect(seen).toEqual([7, 8, 9])
})

it('tells a reader whose instance ends that it did', async () => {
  const read = async () => {
    for await (const _ of streamInstance(instance, 'count', [7], new AbortController().signal)) await server.close()
  }
  await expect(read()).rejects.toMatchObject({ code: 'cli-instance-gone' })
})

it('tells a caller whose instance ends before it has answered that it did', async () => {
  const answer = callInstance(instance, 'end', [])
  await expect(answer).rejects.toMatchObject({ code: 'cli-instance-gone' })
})

it('knows no other calls, and nobody without the token', async () => {
  await expect(callInstance(instance, 'constructor', [])).rejects.toThrow('does not know constructor')
  await expect(callInstance({ ...instance, token: 'guessed' }, 'add', [1, 2])).rejects.toThrow('the token is wrong')
  const fromPage = await fetch(`${server.url}/v1/call/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, origin: 'http://evil.test' },
    body: '[1,2]',
  })
  expect(fromPage.status).toBe(401)
})
