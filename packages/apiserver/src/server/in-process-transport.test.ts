import { Readable } from 'node:stream'
import { systemEnv } from '@tiphys/env'
import { expect, it } from 'vitest'
import { inProcessTransport } from './in-process-transport.ts'
import { TurnGate } from './turn-gate.ts'

it('a log that goes on for ever ends when its reader wants no more of it', async () => {
  const chunks = new Readable({ read() {} })
  chunks.push('first\n')
  const handle = async () => ({ status: 200, headers: {}, body: { type: 'stream', chunks } }) as const
  const transport = inProcessTransport(systemEnv, handle, { name: 'me', groups: [] }, new TurnGate())
  const leaving = new AbortController()
  const read: string[] = []
  const reading = (async () => {
    for await (const bytes of transport.bytes({ method: 'GET', path: '/log', signal: leaving.signal })) {
      read.push(String(bytes))
      leaving.abort()
    }
  })()
  await expect(reading).rejects.toThrow()
  expect([read, chunks.destroyed]).toEqual([['first\n'], true])
})
