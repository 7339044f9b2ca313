import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingLogNote, systemEnv } from '@tiphys/env'
import { createLogStore } from '@tiphys/journal/records'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readNote } from './log-notes.ts'
import { openStepLog } from './step-log-writer.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'step-log-'))
})
afterEach(() => rm(directory, { recursive: true }))

async function kept(pieces: readonly string[], { attempt = 1, mostBytes = 1000 } = {}) {
  const logs = createLogStore({ place: { directory }, env: systemEnv, chunkBytes: 7 })
  const chunks: { key: string; store: string; bytes: number }[] = []
  const offsets: number[] = []
  const writer = openStepLog({
    logs,
    log: { run: 'run', step: 'step', container: 'main' },
    attempt,
    mostBytes,
    onChunk(chunk, offset) {
      chunks.push(chunk)
      offsets.push(offset)
    },
  })
  for (const piece of pieces) await writer.write(Buffer.from(piece))
  const end = await writer.end()
  const text = Buffer.concat(await Promise.all(chunks.map(chunk => logs.read(chunk)))).toString()
  return { text, end, offsets, lengths: chunks.map(({ bytes }) => bytes) }
}

it('keeps what the first attempt of a run prints as it is', async () => {
  const { text, end, offsets, lengths } = await kept(['one\n', 'two'])
  expect(text).toBe('one\ntwo')
  expect(end).toEqual({ stored: 7, dropped: 0 })
  expect(offsets).toEqual(lengths.map((_, i) => lengths.slice(0, i).reduce((sum, bytes) => sum + bytes, 0)))
})

it('says in front of what a retry prints which attempt it is, on a line of its own', async () => {
  expect((await kept(['one\n'], { attempt: 3 })).text).toBe('\n[tiphys] attempt 3 of the run\none\n')
  expect((await kept([], { attempt: 3 })).text, 'nothing was printed').toBe('')
})

it('says where a log was cut, and how much was printed after that', async () => {
  const { text, end } = await kept(['12345678', '9', 'more\n', 'and more'], { mostBytes: 8 })
  expect(text.split('\n')).toEqual([
    '12345678',
    '[tiphys] cut here: of what a container prints 8 bytes are kept',
    '[tiphys] 14 bytes more were printed and are not kept',
    '',
  ])
  expect(end.dropped).toBe(14)
  expect((await kept(['1234567\n', '9'], { mostBytes: 8 })).text).toMatch(
    /^1234567\n\[tiphys\] cut here: .*\n.* 1 byte /,
  )
})

it('keeps what comes after something that is missing at the place where it was printed', async () => {
  const note = `${missingLogNote(1000)}\n`
  const places = async (isBegun: boolean) => {
    const logs = createLogStore({ place: { directory }, env: systemEnv })
    const found: { text: Promise<Buffer>; offset: number }[] = []
    const writer = openStepLog({
      logs,
      log: { run: 'run', step: 'step', container: 'main' },
      attempt: 1,
      onChunk: (chunk, offset) => found.push({ text: logs.read(chunk), offset }),
    })
    if (isBegun) await writer.write(Buffer.from('one\n'))
    await writer.writeMissing(Buffer.from(note), 1000)
    await writer.write(Buffer.from('last\n'))
    const { stored } = await writer.end()
    const chunks = await Promise.all(found.map(async ({ text, offset }) => [(await text).toString(), offset] as const))
    expect(stored).toBe(chunks.reduce((sum, [text]) => sum + text.length, 0))
    return chunks
  }
  expect(await places(true)).toEqual([
    ['one\n', 0],
    [`${note}last\n`, 1000 - note.length],
  ])
  expect(await places(false), 'an engine that died may have kept half a line').toEqual([
    [`\n${note}last\n`, 999 - note.length],
  ])
})

it('knows its own lines', async () => {
  const { text } = await kept(['one\n[tiphys]\n'], { attempt: 2, mostBytes: 4 })
  expect(text.split('\n').map(readNote)).toEqual([undefined, { attempt: 2 }, undefined, {}, {}, undefined])
})
