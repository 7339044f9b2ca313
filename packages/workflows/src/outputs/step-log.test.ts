import { missingLogNote, silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { ApiError, type Client, ConnectionFailure, type LogOptions } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { followStepLog } from './step-log.ts'

/** A server that answers the nth request for a log as the nth script says. */
function scripted(...scripts: ((options: LogOptions) => AsyncIterable<string>)[]) {
  const asked: LogOptions[] = []
  const client = {
    async *logs(_pod: unknown, options: LogOptions) {
      asked.push(options)
      const script = scripts[asked.length - 1]
      if (!script) throw new Error('nobody expects this request')
      for await (const text of script(options)) yield Buffer.from(text)
    },
  } as unknown as Client
  return { client, asked }
}

const follow = async (
  client: Client,
  {
    nonce,
    over = AbortSignal.abort(),
    ended = new AbortController().signal,
    isSilent = false,
  }: { nonce?: string; over?: AbortSignal; ended?: AbortSignal; isSilent?: boolean } = {},
) => {
  const clock = new VirtualClock()
  const kept: string[] = []
  const done = followStepLog({
    env: { clock, random: systemRandom, log: silentLog },
    client,
    pod: { namespace: 'default', name: 'pod' },
    container: 'main',
    nonce,
    isSilent,
    writer: {
      write: async bytes => void kept.push(Buffer.from(bytes).toString()),
      writeMissing: async (note, position) => void kept.push(`<${position}>${note.toString()}`),
      end: async () => ({ stored: 0, dropped: 0 }),
    },
    over,
    ended,
    signal: new AbortController().signal,
  })
  let isOver = false
  void done.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise<void>(resolve => setImmediate(resolve))
    await clock.advance(100)
  }
  return { ...(await done), kept: kept.join('') }
}

/** An answer that fails at once. */
const refusing = (why: () => Error) => () => ({
  [Symbol.asyncIterator]: () => ({ next: (): Promise<IteratorResult<string>> => Promise.reject(why()) }),
})

const broken = () => new ConnectionFailure('https://node', new Error('reset'))

describe('the log of a step', () => {
  it('goes on where the connection broke, and nothing comes twice', async () => {
    const { client } = scripted(
      async function* () {
        yield 'one\ntw'
        throw broken()
      },
      async function* () {
        yield 'one\n'
        yield 'two\nthree\n'
      },
    )
    expect(await follow(client)).toMatchObject({ text: 'one\ntwo\nthree\n', kept: 'one\ntwo\nthree\n' })
  })

  it('that a server ends while its container runs goes on, however often', async () => {
    const over = new AbortController()
    const words = Array.from({ length: 30 }, (_, index) => `${index}\n`)
    const { client } = scripted(
      ...words.map((_, index) => {
        const isLast = index === words.length - 1
        return async function* () {
          yield words.slice(0, index + 1).join('')
          if (isLast) yield '\n::tiphys:n0:missing:parameter:x\n'
          if (isLast) over.abort()
          else if (index % 2 === 0) throw broken()
        }
      }),
    )
    const { frames, kept } = await follow(client, { nonce: 'n0', over: over.signal })
    expect(kept).toBe(words.join(''))
    expect(frames).toMatchObject([{ type: 'missing', name: 'parameter:x' }])
  })

  it('of a container that ends after it was cut off is read to its end', async () => {
    const over = new AbortController()
    const { client, asked } = scripted(
      async function* () {
        yield 'one\n'
        // Whoever comes to its end then finds nothing more.
        void new Promise<void>(resolve => setImmediate(resolve)).then(() => over.abort())
      },
      async function* () {
        yield 'one\ntwo\n\n::tiphys:n0:missing:parameter:x\n'
      },
    )
    const { frames, kept } = await follow(client, { nonce: 'n0', over: over.signal })
    expect(kept).toBe('one\ntwo\n')
    expect(frames).toHaveLength(1)
    expect(asked).toHaveLength(2)
  })

  it('that has ended before its container is known to have is not asked for again', async () => {
    const over = new AbortController()
    const { client, asked } = scripted(async function* () {
      yield 'one\n'
      void new Promise<void>(resolve => setImmediate(resolve)).then(() => over.abort())
    })
    expect((await follow(client, { over: over.signal })).kept).toBe('one\n')
    expect(asked).toHaveLength(1)
  })

  it('that was rotated while the connection was broken still tells its outputs, once', async () => {
    const { client } = scripted(
      async function* () {
        yield 'much\n'.repeat(100)
        throw broken()
      },
      async function* () {
        yield 'the rest\n\n::tiphys:n0:missing:parameter:x\n'
        throw broken()
      },
      async function* () {
        yield 'the rest\n\n::tiphys:n0:missing:parameter:x\n::tiphys:n0:missing:parameter:y\n'
      },
    )
    const { frames, kept } = await follow(client, { nonce: 'n0' })
    expect(frames.map(({ name }) => name)).toEqual(['parameter:x', 'parameter:y'])
    expect(kept).toBe('much\n'.repeat(100))
  })

  it('of which the node has dropped something goes on behind that, wherever the connection broke', async () => {
    const note = `${missingLogNote(1000)}\n`
    const { client } = scripted(
      async function* () {
        yield 'one\ntwo\n'
        throw broken()
      },
      async function* () {
        yield `${note}fo`
        throw broken()
      },
      async function* () {
        yield `${note}four\n`
      },
    )
    const { kept } = await follow(client, { nonce: 'n0' })
    expect(kept).toBe(`one\ntwo\n<1000>${note}four\n`)
  })

  it('may have such a line of another log in it', async () => {
    const text = `a log of more than 9 bytes:\n${missingLogNote(9)}\nend\n`
    const { client } = scripted(async function* () {
      yield text
    })
    expect((await follow(client)).kept).toBe(text)
  })

  it('is asked for once more when nothing depends on it, and often when outputs do', async () => {
    const failing = refusing(broken)
    const plain = scripted(failing, failing)
    expect((await follow(plain.client)).trouble).toContain('no answer')
    const wanted = scripted(...Array.from({ length: 9 }, () => failing), async function* () {
      yield '\n::tiphys:n0:missing:parameter:x\n'
    })
    expect((await follow(wanted.client, { nonce: 'n0' })).frames).toMatchObject([
      { type: 'missing', name: 'parameter:x' },
    ])
  })

  it('that the server refuses is not asked for again', async () => {
    const { client, asked } = scripted(
      refusing(
        () => new ApiError({ apiVersion: 'v1', kind: 'Status', metadata: {}, code: 404, message: 'no such pod' }),
      ),
    )
    expect((await follow(client)).trouble).toBe('no such pod')
    expect(asked).toHaveLength(1)
  })

  it('of a container that printed nothing is not asked for', async () => {
    const { client, asked } = scripted()
    expect(await follow(client, { isSilent: true })).toEqual({ text: '', frames: [], kept: '' })
    expect(asked).toEqual([])
  })

  it('that does not end with its container is cut off, and read once more', async () => {
    const ended = new AbortController()
    const { client, asked } = scripted(
      async function* ({ signal }) {
        yield 'one\n'
        ended.abort()
        await new Promise<void>(resolve => {
          if (signal?.aborted) resolve()
          else signal?.addEventListener('abort', () => resolve())
        })
      },
      async function* () {
        yield 'one\ntwo\n'
      },
    )
    expect(await follow(client, { ended: ended.signal })).toMatchObject({ kept: 'one\ntwo\n' })
    expect(asked.map(options => options.follow)).toEqual([true, undefined])
  })
})
