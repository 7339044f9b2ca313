import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { systemEnv } from '@tiphys/env'
import { type BuildOptions, build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Journal } from '../journal.ts'
import { journalSuite } from '../testing/journal-suite.ts'
import { NatsServer, noNatsServer } from '../testing/nats-server.ts'
import { type JetStreamJournalOptions, openJetStreamJournal } from './jetstream-journal.ts'
import { JournalStreams } from './journal-streams.ts'
import { Link } from './link.ts'

const env = systemEnv

let server: NatsServer
let streams = 0

beforeAll(async () => {
  if (!noNatsServer) server = await NatsServer.start()
})

afterAll(() => server?.dispose())

const open = (stream: string, options: Partial<JetStreamJournalOptions> = {}) =>
  openJetStreamJournal({ connection: { servers: server.address }, stream, env, ...options })

const newStream = () => `stream-${++streams}`

const texts = async (journal: Journal) => {
  const found: string[] = []
  for await (const { data } of journal.read(1)) found.push(data.toString())
  return found
}

/** Does something to the streams that no journal would do. */
async function meddle<T>(task: (link: Link) => Promise<T>): Promise<T> {
  const link = await Link.open({ servers: server.address }, env, 'test')
  try {
    return await task(link)
  } finally {
    await link.close()
  }
}

describe.skipIf(noNatsServer)(`on a NATS server${noNatsServer}`, () => {
  journalSuite('a JetStream stream', async () => {
    const stream = newStream()
    return { open: () => open(stream), dispose: async () => {} }
  })

  describe('a journal on JetStream', () => {
    it('shuts the earlier writer out, and never mixes the records of two', async () => {
      const stream = newStream()
      const first = await open(stream)
      const appended = Array.from({ length: 2000 }, (_, i) =>
        first.append({ data: `first ${i + 1}` }).then(
          position => ({ position, code: 'stored' }),
          ({ code }) => ({ position: i + 1, code }),
        ),
      )
      const second = await open(stream)
      const taken = second.head
      expect(await second.append({ data: 'second' })).toBe(taken + 1)
      const outcomes = await Promise.all(appended)
      expect(new Set(outcomes.slice(taken).map(({ code }) => code))).toEqual(
        new Set(taken === 2000 ? [] : ['journal-taken-over']),
      )
      expect(outcomes.slice(0, taken)).toEqual(
        Array.from({ length: taken }, (_, i) => ({ position: i + 1, code: 'stored' })),
      )
      expect(await texts(second)).toEqual([...Array.from({ length: taken }, (_, i) => `first ${i + 1}`), 'second'])
      await expect(first.append({ data: 'late' })).rejects.toMatchObject({ code: 'journal-taken-over' })
      await first.close()
      await second.close()
    })

    it('leaves one writer when several open it at once', async () => {
      const stream = newStream()
      const opened = await Promise.allSettled(Array.from({ length: 4 }, () => open(stream)))
      const journals = opened.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      const refusals = opened.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
      expect(refusals).toEqual(refusals.map(() => 'journal-taken-over'))
      const appended = await Promise.allSettled(journals.map(journal => journal.append({ data: 'one' })))
      expect(appended.filter(({ status }) => status === 'fulfilled')).toEqual([{ status: 'fulfilled', value: 1 }])
      await Promise.all(journals.map(journal => journal.close()))
    })

    it('splits records as the largest message of the server demands', async () => {
      const narrow = await NatsServer.start({ config: 'max_payload: 2000' })
      const connection = { servers: narrow.address }
      const journal = await open('narrow', { connection })
      const contents = [0, 1, 1400, 1487, 1488, 1489, 2000, 2977, 10_000].map(size => Buffer.alloc(size, 'x'))
      const key = 'k'.repeat(300)
      for (const data of contents) await journal.append({ data })
      for (const data of contents) await journal.append({ key, data })
      await expect(journal.append({ key: 'k'.repeat(400), data: '' })).rejects.toMatchObject({
        code: 'journal-record-too-large',
      })
      await journal.close()
      const again = await open('narrow', { connection })
      expect((await texts(again)).map(({ length }) => length)).toEqual(
        [...contents, ...contents].map(({ length }) => length),
      )
      await again.close()
      await narrow.dispose()
    })

    it('lets no earlier writer compact', async () => {
      const stream = newStream()
      const first = await open(stream)
      await first.append({ data: 'a' })
      await first.append({ data: 'b' })
      const second = await open(stream)
      await second.compact({ before: 2 })
      await expect(first.compact({ before: 3 })).rejects.toMatchObject({ code: 'journal-taken-over' })
      expect(await texts(second)).toEqual(['b'])
      await first.close()
      await second.close()
    })

    it('refuses what the stream has no room for, drops nothing, and goes on after a compaction', async () => {
      const journal = await open(newStream(), { maxBytes: 20_000 })
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, () => journal.append({ data: 'x'.repeat(1000) }).catch(({ code }) => code)),
      )
      const stored = outcomes.filter(outcome => outcome !== 'journal-full')
      expect(stored).toEqual(Array.from({ length: journal.head }, (_, i) => i + 1))
      expect([stored.length, (await texts(journal)).length]).toEqual([journal.head, journal.head])
      expect(journal.head).toBeLessThan(20)
      await journal.compact({ before: journal.head })
      const { head } = journal
      expect(await journal.append({ data: 'again' })).toBe(head + 1)
      await journal.close()
    })

    it('finishes a compaction that was cut short when it is opened next', async () => {
      const stream = newStream()
      const journal = await open(stream)
      for (const [key, data] of [
        ['a', 'a1'],
        ['b', 'b2'],
        ['a', 'a3'],
        ['b', 'b4'],
        ['c', 'c5'],
      ] as const)
        await journal.append({ key, data, deleted: data === 'b4' })
      await journal.close()
      await meddle(async link => {
        const cut = new JournalStreams(link, env, stream)
        await cut.readHorizon()
        await cut.writeHorizon({ position: 5, isReached: false })
        await cut.purge(2)
      })
      const again = await open(stream)
      expect([again.horizon, again.head, await texts(again)]).toEqual([5, 5, ['a3', 'c5']])
      await again.close()
    })

    it('removes the parts of large records that are dropped or were never finished', async () => {
      const stream = newStream()
      const journal = await open(stream)
      const large = Buffer.alloc(3_000_000, 'x')
      await journal.append({ key: 'large', data: large })
      await journal.append({ key: 'large', data: large })
      const parts = () =>
        meddle(async link => {
          const info = await link.call<{ state: { messages: number } }>(`STREAM.INFO.${stream}_side`)
          return info.state.messages
        })
      expect(await parts()).toBe(6)
      await journal.compact({ before: 3 })
      expect(await parts()).toBe(4)
      await journal.close()
      await meddle(link => new JournalStreams(link, env, stream).writePart(3, 'unfinished', 0, large.subarray(0, 10)))
      expect(await parts()).toBe(5)
      const again = await open(stream)
      expect([await parts(), (await texts(again)).map(text => text.length)]).toEqual([4, [3_000_000]])
      await again.close()
    })

    it('fails when its stream is deleted', async () => {
      const stream = newStream()
      const journal = await open(stream)
      await journal.append({ data: 'a' })
      await meddle(link => link.call(`STREAM.DELETE.${stream}`))
      await expect(journal.append({ data: 'b' })).rejects.toMatchObject({ code: 'journal-write-failed' })
      await journal.close()
    })

    it('fails when records that were acknowledged are gone', async () => {
      const stream = newStream()
      const journal = await open(stream)
      await journal.append({ data: 'a' })
      await journal.append({ data: 'b' })
      await meddle(async link => {
        const { config } = await link.call<{ config: object }>(`STREAM.INFO.${stream}`)
        await link.call(`STREAM.DELETE.${stream}`)
        await link.call(`STREAM.CREATE.${stream}`, config)
      })
      await expect(journal.append({ data: 'c' })).rejects.toMatchObject({
        code: 'journal-write-failed',
        why: 'the stream ends at 0, although 2 was acknowledged',
      })
      await journal.close()
    })

    it('leaves alone a stream that is not a journal, and one of a newer format', async () => {
      const [foreign, newer] = [newStream(), newStream()]
      await meddle(async link => {
        await link.call(`STREAM.CREATE.${foreign}`, { name: foreign, subjects: [`${foreign}.>`] })
        await link.call(`STREAM.CREATE.${newer}`, {
          name: newer,
          subjects: [`${newer}.>`],
          metadata: { 'tiphys.dev/journal': '2' },
        })
      })
      await expect(open(foreign)).rejects.toMatchObject({ code: 'journal-foreign' })
      await expect(open(newer)).rejects.toMatchObject({ code: 'journal-newer' })
      await expect(open('a name.with > signs')).rejects.toMatchObject({ code: 'journal-foreign' })
    })

    it('says what the sync setting of the server can cost', async () => {
      const lazy = await NatsServer.start({ jetstream: '' })
      const connection = { servers: lazy.address }
      try {
        const [told, untold, safe] = [
          await open('warned', { connection, monitor: lazy.monitor }),
          await open('unknown', { connection }),
          await open(newStream(), { monitor: server.monitor }),
        ]
        expect(told.warnings).toEqual([expect.stringContaining('syncs every 120 s')])
        expect(untold.warnings).toEqual([expect.stringContaining('not known whether the server syncs')])
        expect(safe.warnings).toEqual([])
        for (const journal of [told, untold, safe]) await journal.close()
      } finally {
        await lazy.dispose()
      }
    })

    it('says that a server cannot be reached, or has no JetStream', async () => {
      const plain = await NatsServer.start({ jetstream: 'max_file: 0, enabled: false' })
      try {
        const connection = { servers: plain.address }
        await expect(open('none', { connection, patienceMs: 100 })).rejects.toMatchObject({
          code: 'journal-unreachable',
        })
      } finally {
        await plain.dispose()
      }
      await expect(open('none', { connection: { servers: plain.address } })).rejects.toMatchObject({
        code: 'journal-unreachable',
      })
    })

    it('refuses a key that does not fit into the headers of a message', async () => {
      const journal = await open(newStream())
      await expect(journal.append({ key: 'x'.repeat(20_000), data: '' })).rejects.toMatchObject({
        code: 'journal-record-too-large',
      })
      expect(await journal.append({ key: 'ü'.repeat(8000), data: '' })).toBe(1)
      await journal.close()
    })
  })
})

describe('the NATS client', () => {
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'journal-'))
  })

  afterAll(() => rm(directory, { recursive: true }))

  const bundle = (options: BuildOptions) =>
    build({
      entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
      outdir: directory,
      bundle: true,
      splitting: true,
      metafile: true,
      platform: 'node',
      format: 'esm',
      ...options,
    })

  it('is loaded when a journal is opened, not before', async () => {
    const { metafile } = await bundle({ external: ['@nats-io/*'], write: false })
    const outputs = metafile?.outputs ?? {}
    const entry = Object.keys(outputs).find(path => outputs[path]?.entryPoint?.endsWith('jetstream/index.ts')) as string
    const isClient = ({ path }: { path: string }) =>
      path.startsWith('@nats-io/') || outputs[path]?.imports.some(({ path }) => path.startsWith('@nats-io/'))
    expect(outputs[entry]?.imports.filter(isClient).map(({ kind }) => kind)).toEqual(['dynamic-import'])
  })

  it.skipIf(noNatsServer)(`is found in a bundle${noNatsServer}`, async () => {
    const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`
    await bundle({ banner: { js: banner }, outExtension: { '.js': '.mjs' } })
    const bundled = (await import(pathToFileURL(join(directory, 'index.mjs')).href)) as typeof import('./index.ts')
    const journal = await bundled.openJetStreamJournal({
      connection: { servers: server.address },
      stream: newStream(),
      env,
    })
    expect(await journal.append({ data: 'a' })).toBe(1)
    await journal.close()
  })
})
