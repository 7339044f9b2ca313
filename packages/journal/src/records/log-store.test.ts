import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom, systemEnv, VirtualClock } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFileJournal } from '../file/file-journal.ts'
import type { Journal } from '../journal.ts'
import { SimulatedDisk } from '../testing/simulated-disk.ts'
import { createLogStore, type LogStore, type LogStoreOptions } from './log-store.ts'
import type { ContentReference } from './trace-record.ts'

const clock = new VirtualClock()
const env = { ...systemEnv, clock }
const name = { run: '7b0c', step: 'build', container: 'main' }

let directory: string
let journal: Journal

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logs-'))
  journal = await openFileJournal({ directory: '/logs', env, fileSystem: new SimulatedDisk() })
})

afterEach(async () => {
  await journal.close()
  await rm(directory, { recursive: true })
})

const places: Record<string, () => LogStoreOptions['place']> = {
  files: () => ({ directory }),
  'a journal': () => ({ journal }),
}

describe.each(Object.keys(places))('a log store on %s', where => {
  const make = (options: Partial<LogStoreOptions> = {}) =>
    createLogStore({ place: (places[where] as () => LogStoreOptions['place'])(), env, ...options })

  const store = async (logs: LogStore, output: Uint8Array, log = name) => {
    const chunks: ContentReference[] = []
    const writer = logs.open(log, { onChunk: chunk => chunks.push(chunk) })
    await writer.write(output)
    return { chunks, ...(await writer.end()) }
  }
  const readAll = async (logs: LogStore, chunks: ContentReference[]) =>
    Buffer.concat(await Promise.all(chunks.map(chunk => logs.read(chunk))))

  it('gives back what was written, whatever the pieces', async () => {
    const random = seededRandom(5)
    const logs = make({ chunkBytes: 1000 })
    const chunks: ContentReference[] = []
    const writer = logs.open(name, { onChunk: chunk => chunks.push(chunk) })
    const pieces = Array.from({ length: 60 }, () => random.bytes(Math.floor(random.next() * 400)))
    for (const piece of pieces) await writer.write(piece)
    const output = Buffer.concat(pieces)
    expect(await writer.end()).toEqual({ stored: output.length, dropped: 0 })
    expect((await readAll(logs, chunks)).equals(output)).toBe(true)
    expect(chunks.length).toBe(Math.ceil(output.length / 1000))
  })

  it('reads after a restart, and goes on behind what is there', async () => {
    const first = await store(make(), Buffer.from('one\n'))
    const second = await store(make(), Buffer.from('two\n'))
    expect((await readAll(make(), [...first.chunks, ...second.chunks])).toString()).toBe('one\ntwo\n')
  })

  it('compresses', async () => {
    const { chunks } = await store(make(), Buffer.alloc(200_000, 'the same line again\n'))
    expect(chunks.map(({ bytes }) => bytes)).toEqual([200_000])
    await make().trim(10_000)
    expect((await readAll(make(), chunks)).length).toBe(200_000)
  })

  it('stores a little output after a while, without waiting for more', async () => {
    const chunks: ContentReference[] = []
    const logs = make({ chunkMs: 500 })
    const writer = logs.open(name, { onChunk: chunk => chunks.push(chunk) })
    await writer.write(Buffer.from('hello'))
    await clock.advance(500)
    await writer.end()
    await writer.write(Buffer.from(' again'))
    await writer.end()
    expect(chunks.map(({ bytes }) => bytes)).toEqual([5, 6])
  })

  it('keeps no more of one log than it may, and counts the rest', async () => {
    const { chunks, stored, dropped } = await store(make({ maxLogBytes: 100 }), Buffer.alloc(250, 'x'))
    expect([stored, dropped, chunks.map(({ bytes }) => bytes)]).toEqual([100, 150, [100]])
  })

  it('copies what it is given', async () => {
    const logs = make()
    const chunks: ContentReference[] = []
    const writer = logs.open(name, { onChunk: chunk => chunks.push(chunk) })
    const bytes = Buffer.from('before')
    await writer.write(bytes)
    bytes.fill('!')
    await writer.end()
    expect((await readAll(logs, chunks)).toString()).toBe('before')
  })

  it('forgets a run and keeps the others', async () => {
    const logs = make()
    const gone = await store(logs, Buffer.from('gone'))
    const kept = await store(logs, Buffer.from('kept'), { ...name, run: 'other' })
    await logs.remove(name.run)
    for (const each of [logs, make()]) {
      await expect(readAll(each, gone.chunks)).rejects.toMatchObject({ code: 'log-chunk-missing' })
      expect((await readAll(each, kept.chunks)).toString()).toBe('kept')
    }
  })

  it('forgets the oldest runs when there is too much', async () => {
    const logs = make()
    const random = seededRandom(6)
    const runs: { chunks: ContentReference[] }[] = []
    for (let i = 0; i < 4; i++) {
      runs.push(await store(logs, random.bytes(1000), { ...name, run: `run-${i}` }))
      if (where === 'files') await utimes(join(directory, `run-${i}`), i, i)
    }
    expect(await make().trim(2500)).toBe(2)
    const outcomes = await Promise.allSettled(runs.map(({ chunks }) => readAll(logs, chunks)))
    expect(outcomes.map(({ status }) => status).slice(-2)).toEqual(['fulfilled', 'fulfilled'])
    expect(await make().trim(0)).toBe(1)
  })

  it('takes any name', async () => {
    const logs = make()
    const names = [
      { run: '../../etc', step: 'passwd', container: '.' },
      { run: 'a', step: 'b.c', container: 'd' },
      { run: 'a', step: 'b', container: 'c.d' },
      { run: 'ü'.repeat(300), step: '', container: '/' },
    ]
    const stored = await Promise.all(names.map((log, i) => store(logs, Buffer.from(`log ${i}`), log)))
    const texts = await Promise.all(stored.map(async ({ chunks }) => (await readAll(logs, chunks)).toString()))
    expect(texts).toEqual(['log 0', 'log 1', 'log 2', 'log 3'])
  })

  it('says so when a reference leads nowhere', async () => {
    const logs = make()
    const { chunks } = await store(logs, Buffer.from('here'))
    const [{ store: at, key }] = chunks as [ContentReference]
    for (const chunk of [
      { store: at, key: '../../etc/passwd/0/10', bytes: 10 },
      { store: at, key: '99', bytes: 1 },
      { store: at, key, bytes: 3 },
      { store: at, key, bytes: 5 },
    ])
      await expect(logs.read(chunk)).rejects.toMatchObject({ code: 'log-chunk-missing' })
  })
})

it('a log that cannot be stored tells the one who ends it, and costs no memory', async () => {
  const file = join(directory, 'file')
  await writeFile(file, '')
  const logs = createLogStore({ place: { directory: file }, env, chunkBytes: 10 })
  const writer = logs.open(name, { onChunk: () => {} })
  for (let i = 0; i < 100; i++) await writer.write(Buffer.alloc(10))
  await expect(writer.end()).rejects.toThrow()
  expect(await readdir(directory)).toEqual(['file'])
})
