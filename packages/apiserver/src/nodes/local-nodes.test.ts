import { once } from 'node:events'
import { systemClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { bodyOfLog } from './local-nodes.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function* printed(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text)
}

/** A log whose next line comes when the reader has gone. */
async function* unfinished(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield bytes('first\n')
  await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
}

describe('the log of a node in this process', () => {
  it('leaves in one piece when it is all there', async () => {
    const body = await bodyOfLog(printed('a\n', 'b\n'), new AbortController(), systemClock)
    expect(body).toEqual({ type: 'bytes', bytes: Buffer.from('a\nb\n') })
  })

  it('goes on as a stream, which ends its reading when the caller leaves', async () => {
    const departure = new AbortController()
    const body = await bodyOfLog(unfinished(departure.signal), departure, systemClock)
    if (body.type !== 'stream') throw new Error(body.type)
    const [chunk] = (await once(body.chunks, 'data')) as [Buffer]
    expect(String(chunk)).toBe('first\n')
    body.chunks.destroy()
    expect(departure.signal.aborted).toBe(true)
  })

  it('that is long is read as fast as the caller reads', async () => {
    const lines = Array.from({ length: 40 }, () => 'x'.repeat(4096))
    const body = await bodyOfLog(printed(...lines), new AbortController(), systemClock)
    if (body.type !== 'stream') throw new Error(body.type)
    let length = 0
    for await (const chunk of body.chunks as AsyncIterable<Buffer>) length += chunk.length
    expect(length).toBe(40 * 4096)
  })

  it('is refused before it begins', async () => {
    const refusal = Object.assign(new Error('not here'), { status: 404 })
    const refused: AsyncIterator<Uint8Array> = { next: () => Promise.reject(refusal) }
    await expect(bodyOfLog(refused, new AbortController(), systemClock)).rejects.toBe(refusal)
  })

  it('that breaks later is cut off', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes('x'.repeat(70_000))
      throw new Error('the disk is gone')
    }
    const body = await bodyOfLog(broken(), new AbortController(), systemClock)
    if (body.type !== 'stream') throw new Error(body.type)
    const read = async () => {
      for await (const _ of body.chunks);
    }
    await expect(read()).rejects.toThrow('the disk is gone')
  })
})
